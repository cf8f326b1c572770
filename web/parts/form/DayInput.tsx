import { useFormContext } from 'react-hook-form'
import { InputFrame } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'

/** A date, `YYYY-MM-DD`, in the browser's own date picker. */
export function DayInput({ name, label, help, disabled }: FieldProps) {
  const { register } = useFormContext()
  return (
    <Field {...{ name, label, help, disabled }}>
      {(control) => (
        <InputFrame>
          <input {...register(name)} {...control} type="date" />
        </InputFrame>
      )}
    </Field>
  )
}

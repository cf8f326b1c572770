import { useFormContext } from 'react-hook-form'
import { Box } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'

/** A date, `YYYY-MM-DD`, in the browser's own date picker. */
export function DayInput({ name, label, help, disabled }: FieldProps) {
  const { register } = useFormContext()
  return (
    <Field {...{ name, label, help, disabled }}>
      {(control) => (
        <Box>
          <input {...register(name)} {...control} type="date" />
        </Box>
      )}
    </Field>
  )
}

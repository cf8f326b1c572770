import { useEffect } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { InputFrame } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'

interface FileInputProps extends FieldProps {
  /** The kinds of files that are offered, as the attribute `accept` names them. */
  accept: string
}

/** A file of the person's, as a `File`; null while none is chosen. */
export function FileInput({ accept, ...frame }: FileInputProps) {
  const { field } = useController({ name: frame.name })
  // Shown again, the browser's field is empty, whatever was chosen before.
  const { setValue } = useFormContext()
  useEffect(() => () => setValue(frame.name, null), [setValue, frame.name])
  return (
    <Field {...frame}>
      {(control) => (
        <InputFrame>
          <input
            {...control}
            ref={field.ref}
            type="file"
            accept={accept}
            style={{ paddingBlock: 8 }}
            onBlur={field.onBlur}
            onChange={({ target }) => field.onChange(target.files?.[0] ?? null)}
          />
        </InputFrame>
      )}
    </Field>
  )
}

import type { ComponentProps, ReactNode } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { EXACT, InputFrame } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'

interface TextInputProps extends FieldProps {
  /** Allows several lines; the field grows with its text. */
  multiline?: boolean | undefined
  /** The unit shown after the value: 'credits'. */
  unit?: string | undefined
  /** Uses the monospaced font, and turns off capitalisation and correction. */
  identifier?: boolean | undefined
  /** Turns off capitalisation and correction but keeps the normal font, as for a username. */
  asTyped?: boolean | undefined
  autoComplete?: string | undefined
  inputMode?: ComponentProps<'input'>['inputMode']
  action?: ReactNode
}

export function TextInput({
  name,
  label,
  help,
  disabled,
  multiline,
  unit,
  identifier,
  asTyped = identifier,
  autoComplete = 'off',
  action,
  ...native
}: TextInputProps) {
  // An input is controlled, so that the document has its value: in a page from the back/forward cache, Safari resets to
  // that what may be secret, which are passwords and fields without autocompletion. In a text of several lines, which
  // Safari leaves alone, React would begin with the caret before the text.
  const { register } = useFormContext()
  const { field } = useController({ name })
  // What is no identifier may be from right to left.
  const exact = asTyped ? EXACT : { dir: 'auto' }
  return (
    <Field {...{ name, label, help, disabled }}>
      {(control) => {
        const shared = { ...native, ...exact, ...control, autoComplete }
        return (
          <InputFrame className={identifier ? 'identifier' : undefined}>
            {multiline ? (
              <textarea {...register(name)} {...shared} />
            ) : (
              <input {...field} {...shared} value={String(field.value ?? '')} />
            )}
            {unit && <span>{unit}</span>}
            {action}
          </InputFrame>
        )
      }}
    </Field>
  )
}

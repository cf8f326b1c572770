import type { ComponentProps } from 'react'
import { useFormContext } from 'react-hook-form'
import { mono } from '../faces.ts'
import { Box } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'

interface TextInputProps extends FieldProps {
  /** More than one line; grows with its text. */
  multiline?: boolean | undefined
  /** What is counted, after the text: 'credits'. */
  unit?: string | undefined
  /** A name or number, in its own face, that no keyboard may capitalise or correct. */
  identifier?: boolean | undefined
  /** Not to be capitalised or corrected either, though it looks like any text: a username. */
  asTyped?: boolean | undefined
  autoComplete?: string | undefined
  inputMode?: ComponentProps<'input'>['inputMode']
  placeholder?: string | undefined
}

/** A line of text, or several. */
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
  ...native
}: TextInputProps) {
  const { register } = useFormContext()
  const exact = asTyped ? EXACT : {}
  return (
    <Field {...{ name, label, help, disabled }}>
      {(control) => {
        const shared = { ...native, ...exact, ...register(name), ...control, autoComplete }
        return (
          <Box style={identifier ? { fontFamily: mono } : undefined}>
            {multiline ? <textarea {...shared} /> : <input {...shared} />}
            {unit && <span>{unit}</span>}
          </Box>
        )
      }}
    </Field>
  )
}

/** What keeps a phone's keyboard from changing what is typed. */
export const EXACT = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const

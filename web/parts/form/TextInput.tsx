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
  identifier?: boolean | undefined
  autoComplete?: string | undefined
  inputMode?: ComponentProps<'input'>['inputMode']
  placeholder?: string | undefined
  autoFocus?: boolean | undefined
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
  ...rest
}: TextInputProps) {
  const { register } = useFormContext()
  const { autoFocus, autoComplete = 'off', ...native } = rest
  const focus = autoFocus ? { ref: focusOnce } : {}
  return (
    <Field {...{ name, label, help, disabled }}>
      {(control) => {
        const { ref, ...field } = register(name)
        const both = (element: HTMLInputElement | HTMLTextAreaElement | null) => {
          ref(element)
          focus.ref?.(element)
        }
        const shared = { ...native, ...field, ...control, autoComplete }
        return (
          <Box style={identifier ? { fontFamily: mono } : undefined}>
            {multiline ? <textarea {...shared} ref={both} /> : <input {...shared} ref={both} />}
            {unit && <span>{unit}</span>}
          </Box>
        )
      }}
    </Field>
  )
}

const focused = new WeakSet<Element>()

/** Focuses an input when it appears, and never again. */
function focusOnce(element: HTMLElement | null) {
  if (!element || focused.has(element)) return
  focused.add(element)
  element.focus()
}

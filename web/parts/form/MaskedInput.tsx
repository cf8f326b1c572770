import { type ChangeEvent, useLayoutEffect, useRef } from 'react'
import { useController } from 'react-hook-form'
import { mono } from '../faces.ts'
import { Box } from './controls.tsx'
import { type ControlProps, Field, type FieldProps } from './Field.tsx'
import { edited, type Mask } from './masks.ts'

interface MaskedInputProps extends FieldProps {
  /** `macMask(prefix)` or `phoneMask`, made once outside the component. */
  mask: Mask
}

/** A value typed into a pattern; the form holds it with its separators, or '' while it is empty. */
export function MaskedInput({ name, label, help, disabled, mask }: MaskedInputProps) {
  return (
    <Field {...{ name, label, help, disabled }}>
      {(control) => <Masked name={name} mask={mask} control={control} />}
    </Field>
  )
}

function Masked({ name, mask, control }: { name: string; mask: Mask; control: ControlProps }) {
  const { field } = useController({ name })
  const caret = useRef<{ of: HTMLInputElement; at: number }>(null)
  const value = String(field.value ?? '')
  // React puts the caret of a changed value at its end; it belongs behind what was typed.
  useLayoutEffect(() => {
    caret.current?.of.setSelectionRange(caret.current.at, caret.current.at)
    caret.current = null
  })
  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const next = edited(mask, value, target.value, target.selectionStart ?? target.value.length)
    target.value = next.value
    target.setSelectionRange(next.caret, next.caret)
    caret.current = { of: target, at: next.caret }
    field.onChange(next.value)
  }
  return (
    <Box style={mask.identifier ? { fontFamily: mono } : undefined}>
      <input
        {...control}
        ref={field.ref}
        value={value}
        onChange={change}
        onBlur={field.onBlur}
        placeholder={mask.placeholder}
        inputMode={mask.inputMode}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
      />
    </Box>
  )
}

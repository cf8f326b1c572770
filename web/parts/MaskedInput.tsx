import { useMask } from '@react-input/mask'
import { useController } from 'react-hook-form'
import { Box } from './controls.tsx'
import { type ControlProps, Field, type FieldProps } from './Field.tsx'
import { mono } from './faces.ts'
import type { Mask } from './masks.ts'

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
  const masked = useMask({
    mask: mask.mask,
    replacement: mask.replacement,
    track: (change) => (change.inputType === 'insert' ? mask.clean(change.data) : change.data),
  })
  const both = (element: HTMLInputElement | null) => {
    field.ref(element)
    if (element) masked.current = element
  }
  return (
    <Box style={mask.identifier ? { fontFamily: mono } : undefined}>
      <input
        {...control}
        ref={both}
        value={String(field.value ?? '')}
        onChange={field.onChange}
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

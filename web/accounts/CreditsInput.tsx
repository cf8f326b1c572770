import type { FieldProps } from '../parts/form/Field.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'

/** A field of an amount of credits that is typed: see `typedNumber`. */
export function CreditsInput(props: Pick<FieldProps, 'name' | 'label' | 'help'>) {
  return <TextInput {...props} inputMode="numeric" unit="credits" />
}

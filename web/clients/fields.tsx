import Button from '@mui/material/Button'
import type { ReactNode } from 'react'
import { useController, useFormContext, useFormState, useWatch } from 'react-hook-form'
import { foreignMac } from '../../contract/clients.ts'
import { PACKAGES } from '../../contract/packages.ts'
import { MaskedInput } from '../parts/form/MaskedInput.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { macMask } from './mac.ts'
import { phoneHint, phoneMask } from './phone.ts'

/** What the fields that the forms of new and existing clients share can be told. Each has its name in the call. */
interface FieldProps {
  disabled?: boolean
}

export function DescriptionField({ disabled }: FieldProps) {
  return <TextInput name="desc" label="Description" disabled={disabled} />
}

/** `help` is shown below the field while there is no error; `refused` says why a MAC that is whole cannot be taken. */
export function MacField({
  name = 'stb_mac',
  help,
  refused,
  disabled,
}: FieldProps & { name?: string; help?: ReactNode; refused?: string | undefined }) {
  // Said at the twelfth digit or the first wrong character, and not only when the field is left.
  const fault = foreignMac(String(useWatch({ name }) ?? '')) ?? refused
  return <MaskedInput {...{ name, help, fault, disabled }} label="MAC Address" mask={macMask} />
}

export function PhoneField({ disabled }: FieldProps) {
  const { touchedFields } = useFormState({ name: 'phone' })
  const typed = String(useWatch({ name: 'phone' }) ?? '')
  const help = touchedFields.phone ? phoneHint(typed) : undefined
  return <MaskedInput name="phone" label="Phone Number" mask={phoneMask} help={help} disabled={disabled} />
}

export function PackageField({ disabled }: FieldProps) {
  return <SelectInput name="package_selection" label="Package" options={PACKAGES} disabled={disabled} />
}

/** A button within a field that fills it with a suggestion; `what` says which: 'a login'. */
export function Suggest({ name, what, suggest }: { name: string; what: string; suggest: () => string }) {
  const { field } = useController({ name })
  const { setValue } = useFormContext()
  const fill = () => {
    const text = suggest()
    setValue(name, text, { shouldValidate: true })
    // To the form this is an edit like any other, which a draft keeps and which clears a refusal.
    field.onChange(text)
  }
  return (
    <Button size="small" aria-label={`Suggest ${what}`} onClick={fill} sx={IN_FIELD}>
      Suggest
    </Button>
  )
}

const IN_FIELD = { flex: 'none', marginRight: '-8px' }

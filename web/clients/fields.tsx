import { MAC_PREFIX } from '../../contract/clients.ts'
import { PACKAGES } from '../../contract/packages.ts'
import { MaskedInput } from '../parts/form/MaskedInput.tsx'
import { macMask, phoneMask } from '../parts/form/masks.ts'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { fitsMask } from './phone.ts'

/** The fields that a new client and a present one share, each under its name on the wire. */

interface OneField {
  disabled?: boolean
}

export function DescriptionField({ disabled }: OneField) {
  return <TextInput name="desc" label="Description" disabled={disabled} />
}

export function MacField({ name = 'stb_mac', disabled }: OneField & { name?: string }) {
  return <MaskedInput name={name} label="MAC Address" mask={mac} disabled={disabled} />
}

/** `stored` is a number that may be longer than the pattern: it is shown and changed as it is, and not cut. */
export function PhoneField({ stored = '', disabled }: OneField & { stored?: string }) {
  return fitsMask(stored) ? (
    <MaskedInput name="phone" label="Phone Number" mask={phoneMask} disabled={disabled} />
  ) : (
    <TextInput name="phone" label="Phone Number" inputMode="tel" disabled={disabled} />
  )
}

export function PackageField({ disabled }: OneField) {
  return <SelectInput name="package_selection" label="Package" options={PACKAGES} disabled={disabled} />
}

const mac = macMask(MAC_PREFIX.slice(0, -1))

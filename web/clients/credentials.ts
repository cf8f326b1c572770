import { packageLabel } from '../../contract/packages.ts'
import { showMoment } from '../parts/time.ts'
import { zone } from '../zone.ts'

/** What a client needs to use its box. */
export interface Credentials {
  login: string
  password: string
  /** Null for a Ministra client. */
  mac: string | null
  package_selection: number
  expiry: string
  /** As the server stores it. */
  phone: string
}

/** Returns the credentials as lines of text, to be copied, sent or drawn. */
export function credentialsText(client: Credentials, { withPassword }: { withPassword: boolean }): string {
  return credentialLines(client)
    .filter(({ secret }) => withPassword || !secret)
    .map(({ label, value }) => `${label}: ${value}`)
    .join('\n')
}

interface Line {
  label: string
  value: string
  secret?: true
  /** True for what is typed into a box. */
  typed?: true
  /** The moment whose day `value` is. */
  moment?: string
}

export function credentialLines({
  login,
  password,
  mac,
  package_selection,
  expiry,
}: Credentials): readonly Line[] {
  return [
    { label: 'Login', value: login, typed: true },
    { label: 'Password', value: password, secret: true, typed: true },
    ...(mac === null ? [] : [{ label: 'MAC', value: mac, typed: true } as const]),
    { label: 'Package', value: packageLabel(package_selection) ?? String(package_selection) },
    { label: 'Expiry', value: showMoment(expiry, zone(), 'date'), moment: expiry },
  ]
}

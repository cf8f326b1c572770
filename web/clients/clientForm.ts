import type { calls, InputOf } from '../../contract/calls.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { shownPhone } from './phone.ts'

/** What the form of a present client holds, under the names of the wire. */
export type ClientValues = {
  status: boolean
  locked: boolean
  ministra: boolean
  alt_player: boolean
  password: string
  desc: string
  phone: string
  stb_mac: string
  months: number
  package_selection: number
}

export const EMPTY: ClientValues = {
  status: false,
  locked: false,
  ministra: false,
  alt_player: false,
  password: '',
  desc: '',
  phone: '',
  stb_mac: '',
  months: 0,
  package_selection: 1,
}

export function valuesOf(client: ClientDetail): ClientValues {
  const { status, locked, ministra, alt_player, password, description, phone, mac, package_selection } =
    client
  return {
    status,
    locked,
    ministra,
    alt_player,
    password,
    desc: description,
    phone: shownPhone(phone),
    stb_mac: mac ?? '',
    months: 0,
    package_selection,
  }
}

/** The values that differ, of what was typed against what was seen. */
export function typedOver(seen: ClientDetail, typed: ClientValues): Partial<ClientValues> {
  const before = valuesOf(seen)
  return Object.fromEntries(
    Object.entries(typed).filter(([field, value]) => before[field as keyof ClientValues] !== value),
  )
}

/** What to send: the changed fields alone; with a new MAC the one that was seen, with months the expiry that was. */
export function changesOf(seen: ClientDetail, typed: ClientValues): InputOf<typeof calls.clients.save> {
  const { stb_mac, ...changed } = typedOver(seen, typed)
  // A Ministra client has no MAC; whoever switches it off has to give one.
  const needsMac = !typed.ministra && (stb_mac !== undefined || seen.mac === null)
  return {
    login: seen.name,
    ...changed,
    ...(typed.months > 0 && { expiry: seen.expiry }),
    ...(needsMac && { stb_mac: typed.stb_mac, o_mac: seen.o_mac }),
  }
}

/** What was typed and not sent, without the password, and what was seen of what only its present state can change. */
export interface ClientDraft {
  typed: Partial<Omit<ClientValues, 'password'>>
  seen: Pick<ClientDetail, 'o_mac' | 'expiry'>
}

/** What the form was filled from, and what stood in it then. */
export interface Base {
  seen?: ClientDetail
  values: ClientValues
  /** Some of the values were typed before, and kept. */
  isBack: boolean
}

export function draftFrom(seen: ClientDetail, typed: ClientValues): ClientDraft | null {
  const { password: _, ...changed } = typedOver(seen, typed)
  const { o_mac, expiry } = seen
  return Object.keys(changed).length > 0 ? { typed: changed, seen: { o_mac, expiry } } : null
}

/** The form as it was left: what changed elsewhere since is refused as if the page had stayed open. */
export function baseFrom(client: ClientDetail, draft: ClientDraft | null, expired: boolean): Base {
  const { months = 0 } = draft?.typed ?? {}
  const typed = expired ? { months } : draft?.typed
  const values = { ...valuesOf(client), ...typed }
  const isBack = Object.keys(typedOver(client, values)).length > 0
  return { seen: isBack ? { ...client, ...draft?.seen } : client, values, isBack }
}

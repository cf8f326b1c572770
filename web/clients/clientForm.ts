import { withoutSecrets } from '../../contract/call.ts'
import { calls, type InputOf } from '../../contract/calls.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { differing } from '../parts/differing.ts'
import { shownPhone } from '../phone.ts'

/** The values of the form for an existing client, named as in the call, while none has come. */
export const EMPTY_CLIENT = {
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
export type ClientValues = typeof EMPTY_CLIENT

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

/** Returns the typed values that differ from those shown. */
export function typedOver(seen: ClientDetail, typed: ClientValues): Partial<ClientValues> {
  return differing(typed, valuesOf(seen))
}

/**
 * Returns the call's input: the changed fields, with the MAC or the expiry that was shown, if it changes one of them.
 * An expired client is only renewed.
 */
export function changesOf(
  seen: ClientDetail,
  all: ClientValues,
  expired: boolean,
): InputOf<typeof calls.clients.save> {
  const typed = expired ? { ...valuesOf(seen), months: all.months } : all
  const { stb_mac, ...changed } = typedOver(seen, typed)
  // A Ministra client has no MAC, so switching from Ministra needs one.
  const needsMac = !typed.ministra && (stb_mac !== undefined || seen.mac === null)
  return {
    login: seen.name,
    ...changed,
    ...(typed.months > 0 && { expiry: seen.expiry }),
    ...(needsMac && { stb_mac: typed.stb_mac, o_mac: seen.o_mac }),
  }
}

/** What was typed and not sent, without the password, and the MAC and expiry that were shown. */
export interface ClientDraft {
  typed: Partial<Omit<ClientValues, 'password'>>
  seen: Pick<ClientDetail, 'o_mac' | 'expiry'>
}

/** Returns whether a call's input has for this client all that a draft has, or all that an expired one can be sent. */
export function hasDraft(input: object, login: string | undefined, { typed, seen }: ClientDraft): boolean {
  const sent = new Map(Object.entries(input))
  if (login === undefined || sent.get('login') !== login) return false
  const isSent = ([field, value]: [string, unknown]) => sent.get(field) === value
  const isRenewal = sent.size === 3 && isRenewalOf(input, { name: login, ...seen })
  return (isRenewal && sent.get('months') === typed.months) || Object.entries(typed).every(isSent)
}

/** Returns whether a call's input pays for months of a client with this expiry. */
export function isRenewalOf(input: object, { name, expiry }: Pick<ClientDetail, 'name' | 'expiry'>): boolean {
  const sent = new Map<string, unknown>(Object.entries(input))
  return sent.get('login') === name && sent.has('months') && sent.get('expiry') === expiry
}

/** The client that the form was filled from, with the form's values at that time. */
export interface Base {
  seen?: ClientDetail
  values: ClientValues
  /** True when a draft was restored. */
  isRestored: boolean
}

export function draftFrom(seen: ClientDetail, typed: ClientValues): ClientDraft | null {
  const changed = withoutSecrets(calls.clients.save, typedOver(seen, typed))
  const { o_mac, expiry } = seen
  return Object.keys(changed).length > 0 ? { typed: changed, seen: { o_mac, expiry } } : null
}

/**
 * Restores a draft. It keeps the MAC or the expiry that were shown where one of them is changed, so that the server
 * still refuses.
 */
export function baseFrom(client: ClientDetail, draft: ClientDraft | null): Base {
  const values = { ...valuesOf(client), ...draft?.typed }
  const typed = typedOver(client, values)
  return {
    seen: seenFor(client, typed, draft?.seen),
    values,
    isRestored: Object.keys(typed).length > 0,
  }
}

/**
 * Returns a client as the form knows it: with the MAC or the expiry that was shown before, where one of them is
 * changed.
 */
function seenFor(
  client: ClientDetail,
  typed: Partial<ClientValues>,
  before: Pick<ClientDetail, 'o_mac' | 'expiry'> | undefined,
): ClientDetail {
  return {
    ...client,
    ...(before && 'stb_mac' in typed && { o_mac: before.o_mac }),
    ...(before && 'months' in typed && { expiry: before.expiry }),
  }
}

/**
 * Returns the base of a form once its client has been loaded again, with what is in its fields now. What was typed
 * stays, and so do the MAC or the expiry that were shown where one of them is changed, so that the server still
 * refuses. Where no field has changed it has the same values, because new ones fill the form again.
 */
export function followed({ seen, ...base }: Required<Base>, client: ClientDetail, now: ClientValues): Base {
  const typed = typedOver(seen, now)
  const values = { ...valuesOf(client), ...typedOver(seen, base.values) }
  const isSame = Object.keys(differing(values, base.values)).length === 0
  return {
    seen: seenFor(client, typed, seen),
    values: isSame ? base.values : values,
    isRestored: base.isRestored && Object.keys(typed).length > 0,
  }
}

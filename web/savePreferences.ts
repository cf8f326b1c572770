import { calls, type InputOf } from '../contract/calls.ts'
import { isFields, merged } from '../contract/merge.ts'
import type { Preferences } from '../contract/preferences.ts'
import { send } from './calls/api.ts'
import { signedInAs } from './session.tsx'

export type Change = InputOf<typeof calls.session.savePreferences>

/**
 * Has the server keep a change of the preferences. @throws ApiError where it does not, unless the session ended
 * meanwhile
 */
export function savePreferences(change: Change): Promise<void> {
  const by = signedInAs()
  // One after the other, so that the newest choice is the one that stays.
  const saved = saving.then(async () => {
    // By then somebody else may have signed in here.
    if (signedInAs() !== by) return
    try {
      await send(calls.session.savePreferences, change)
      if (signedInAs() === by) unsaved = unsaved.map((one) => without(one, change))
    } catch (error) {
      if (signedInAs() !== by) return
      unsaved.push(change)
      throw error
    }
  })
  saving = saved.catch(() => {})
  return saved
}

/** Waits until the server knows of each choice, or refused it. */
export function whenSaved(): Promise<void> {
  return saving
}

/** Asks the server for the preferences. Returns them with what it was told and could not keep. */
export async function askForPreferences(): Promise<Preferences> {
  const { preferences } = await send(calls.session.user, {})
  return unsaved.reduce<Preferences>(merged, preferences)
}

/** Forgets what could not be saved: the next who signs in here may be somebody else. */
export function forgetUnsaved(): void {
  unsaved = []
}

let saving: Promise<void> = Promise.resolve()
let unsaved: Change[] = []

/** Returns what of a change another one leaves as it is. */
function without(change: object, other: object): object {
  const others = new Map<string, unknown>(Object.entries(other))
  const left = Object.entries(change).flatMap(([key, value]) => {
    const there = others.get(key)
    if (there === undefined) return [[key, value]]
    return isFields(value) && isFields(there) ? [[key, without(value, there)]] : []
  })
  return Object.fromEntries(left)
}

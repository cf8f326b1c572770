import type { calls, OutputOf } from '../../contract/calls.ts'
import { BOX_EVENTS } from '../../contract/clients.ts'

/** What is done to many clients at once, besides renewing them. */
export type Act = 'package' | 'on' | 'off' | 'delete' | BoxEvent

/** What is sent to their boxes. */
export type BoxEvent = (typeof BOX_EVENTS)[number]

export function isBoxEvent(act: Act): act is BoxEvent {
  return BOX_EVENTS.some((one) => one === act)
}

export type ChosenState = OutputOf<typeof calls.clients.multiquote>['data'][number]

/** The selected clients, by what becomes of them. */
export interface Sorted {
  acted: readonly ChosenState[]
  /** Those of `acted` that are already as they are to become. */
  same: readonly ChosenState[]
  /** Those to which it cannot be done: living ones are not deleted, and expired ones not changed. */
  leftOut: readonly ChosenState[]
}

/** Sorts the selected clients by what an act does to them. */
export function sortFor(act: Act, data: readonly ChosenState[], chosenPackage?: number): Sorted {
  const possible = ({ expired }: ChosenState) => expired === (act === 'delete')
  const acted = data.filter(possible)
  return {
    acted,
    same: acted.filter((client) => isSame(act, client, chosenPackage)),
    leftOut: data.filter((client) => !possible(client)),
  }
}

function isSame(act: Act, { status, package_selection }: ChosenState, chosenPackage?: number): boolean {
  if (act === 'delete' || isBoxEvent(act)) return false
  return act === 'package' ? package_selection === chosenPackage : status === (act === 'on')
}

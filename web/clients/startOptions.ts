import type { calls, InputOf } from '../../contract/calls.ts'
import { MOST_MONTHS } from '../../contract/clients.ts'
import { counted } from '../../contract/quantities.ts'

interface StartOption {
  value: InputOf<typeof calls.clients.create>['months']
  label: string
}

/** The months that can be bought at once. */
export const MONTH_OPTIONS = Array.from({ length: MOST_MONTHS }, (_, index) => ({
  value: index + 1,
  label: counted(index + 1, 'month'),
}))

/** The trials and months that a new client can start with, in the order offered. */
export const START_OPTIONS: readonly StartOption[] = [
  { value: 0, label: 'Trial - Expires at midnight' },
  { value: '2d', label: 'Trial - Expires tomorrow midnight' },
  ...MONTH_OPTIONS,
]

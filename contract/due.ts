import * as z from 'zod/mini'
import { storable } from './text.ts'

/**
 * Which clients are due: those that expire within so many days, today included, on the day of tomorrow alone, or have
 * expired lately.
 */
export const DUE_WITHIN = ['today', 'tomorrow', 'week', 'month', 'lapsed'] as const
export type DueWithin = (typeof DUE_WITHIN)[number]

/** The days of a week and of a month ahead, and of the days after which an expired client is not due any more. */
export const DUE_DAYS = { week: 7, month: 30, lapsed: 30 } as const

/** The text of a reminder, with the names of fields in braces; '' for the console's own. */
export const ReminderText = z.string().check(
  z.maxLength(500, 'A reminder cannot exceed 500 characters'),
  z.refine((text) => !/\{\s*password\s*\}/i.test(text), 'A reminder has no field for a password'),
  storable('A reminder has characters that cannot be stored'),
)

import { phoneMask, shownAs } from '../parts/form/masks.ts'

/** Stored digits as the phone field shows them. */
export function shownPhone(digits: string): string {
  return fitsMask(digits) ? shownAs(phoneMask, digits) : digits
}

/** Whether digits have a place in the pattern, all of them: a number from abroad may not. */
export function fitsMask(digits: string): boolean {
  return digits === '' || /^[1-9]\d{9}$/.test(digits)
}

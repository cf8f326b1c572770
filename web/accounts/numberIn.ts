/** Returns the number that was typed, perhaps as 1,500; NaN for anything else. */
export function numberIn(typed: string): number {
  const digits = typed.replace(/[,\s]/g, '')
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN
}

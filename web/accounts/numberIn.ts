/** Returns the number that was typed, perhaps as 1,500 or 1 500; NaN for anything else, as for 10,00. */
export function numberIn(typed: string): number {
  const isNumber = /^(?:\d+|\d{1,3}(?:[,\s]\d{3})+)$/.test(typed.trim())
  return isNumber ? Number(typed.replace(/[,\s]/g, '')) : Number.NaN
}

/** Returns the WCAG contrast ratio, 1 to 21, of two #rrggbb colours. */
export function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** Returns `under` covered by `over` with an opacity of `share` (0 to 1). */
export function mix(under: string, over: string, share: number): string {
  const [a, b] = [rgb(under), rgb(over)]
  return `#${a.map((value, i) => hex(value + ((b[i] ?? 0) - value) * share)).join('')}`
}

/**
 * Returns the colour between `colour` and `end` that is nearest to `colour` and has the contrast `ratio` on every
 * ground.
 */
export function readable(colour: string, grounds: readonly string[], end: string, ratio = 4.5): string {
  for (let share = 0; share < 1; share += 0.02) {
    const tint = mix(colour, end, share)
    if (grounds.every((ground) => contrast(tint, ground) >= ratio)) return tint
  }
  return end
}

function rgb(colour: string) {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

function hex(value: number) {
  return Math.round(value).toString(16).padStart(2, '0')
}

function luminance(colour: string) {
  const [red, green, blue] = rgb(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

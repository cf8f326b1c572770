/** Returns the fields whose value is not the one before. */
export function differing<Fields extends object>(now: Fields, before: Partial<Fields>): Partial<Fields> {
  const changed = Object.entries(now).filter(([name, value]) => value !== before[name as keyof Fields])
  return Object.fromEntries(changed) as Partial<Fields>
}

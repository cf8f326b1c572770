import { useState } from 'react'

/** Returns what was loaded, or saved since, and a function that is told what was saved. */
export function useSaved<T>(loaded: T): readonly [T, (value: T) => void] {
  const [saved, setSaved] = useState<{ value: T; over: T } | null>(null)
  // It is loaded again only after the save.
  if (saved && saved.over !== loaded) setSaved(null)
  return [saved ? saved.value : loaded, (value) => setSaved({ value, over: loaded })]
}

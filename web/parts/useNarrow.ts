import { useSyncExternalStore } from 'react'

/** Whether the window is narrower than `width` in CSS pixels, right at the first render. */
export function useNarrow(width: number): boolean {
  const query = window.matchMedia(`(max-width: ${width - 0.02}px)`)
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => query.matches,
  )
}

import { useRef } from 'react'

/**
 * Returns the error to show. One that stands in place of the data stays while that is loaded again: what is beneath
 * neither moves nor vanishes, and 'Retry' keeps the focus.
 * @param data what is there; undefined where nothing was loaded yet
 */
export function useFault<Fault>(error: Fault | null | undefined, data: unknown): Fault | undefined {
  const last = useRef<Fault>(undefined)
  if (error != null || data !== undefined) last.current = error ?? undefined
  return last.current
}

import { useRef } from 'react'

/** The last thing that was there: what a dialog shows while it closes. */
export function useHeld<T>(value: T | null): T | null {
  const held = useRef(value)
  if (value !== null) held.current = value
  return held.current
}

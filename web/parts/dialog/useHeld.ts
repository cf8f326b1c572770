import { useRef } from 'react'

/** Returns the last value that was not null, which a dialog shows while it closes. */
export function useHeld<T>(value: T | null): T | null {
  const held = useRef(value)
  if (value !== null) held.current = value
  return held.current
}

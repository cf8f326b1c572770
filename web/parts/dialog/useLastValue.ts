import { useRef } from 'react'

/** Returns the last value that was not null, which a dialog shows while it closes. */
export function useLastValue<T>(value: T | null): T | null {
  const last = useRef(value)
  if (value !== null) last.current = value
  return last.current
}

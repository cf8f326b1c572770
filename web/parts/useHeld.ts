import { useEffect, useRef } from 'react'

/**
 * Returns a value as it was when `isHeld` began: what may have been done already is shown and sent again as it was, and
 * not as it looks afterwards.
 */
export function useHeld<T>(value: T, isHeld: boolean): T {
  const last = useRef(value)
  useEffect(() => {
    if (!isHeld) last.current = value
  })
  return isHeld ? last.current : value
}

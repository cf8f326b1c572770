import { useEffect, useRef } from 'react'

/**
 * Returns a value as it was when `isHeld` began: what may have been done already is shown and sent again as it was, and not
 * as it looks afterwards.
 */
export function useHeld<T>(value: T, isHeld: boolean): T {
  const last = useRef(value)
  useEffect(() => {
    if (!isHeld) last.current = value
  })
  return isHeld ? last.current : value
}

/** What a dialog says, and a field that cannot be changed meanwhile. */
export const NOT_TWICE = 'Try again or cancel: nothing is done twice'

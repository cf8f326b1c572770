import { createContext, use, useCallback } from 'react'
import { type DataRouter, useLocation } from 'react-router'

/** The router of the session. It knows of a link that was followed before React has rendered that page. */
export const SessionRouter = createContext<DataRouter | null>(null)

/**
 * Returns a function that tells whether the person has left this page or is leaving it. What waits to change the
 * address asks it first, since it would otherwise undo a link that was followed meanwhile.
 */
export function useHasLeft(): () => boolean {
  const router = use(SessionRouter)
  const { pathname } = useLocation()
  return useCallback(() => {
    if (!router) return false
    const { location, navigation } = router.state
    return location.pathname !== pathname || (navigation.location ?? location).pathname !== pathname
  }, [router, pathname])
}

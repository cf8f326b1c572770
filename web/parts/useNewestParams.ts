import { use, useCallback } from 'react'
import { useLocation } from 'react-router'
import { SessionRouter } from './useHasLeft.ts'

/**
 * Returns a function that reads the newest parameters of the page's address. Those of a render are behind: React renders
 * a new address when nothing else is to be done, and whoever changes one parameter meanwhile would lose the other.
 */
export function useNewestParams(): () => URLSearchParams {
  const router = use(SessionRouter)
  const { search } = useLocation()
  return useCallback(() => {
    if (!router) return new URLSearchParams(search)
    const { location, navigation } = router.state
    const isHere = navigation.location?.pathname === location.pathname
    return new URLSearchParams((isHere ? navigation.location : location)?.search)
  }, [router, search])
}

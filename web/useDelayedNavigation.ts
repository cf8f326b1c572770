import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { isTextUnsent, whenUndisturbed } from './parts/focus.ts'
import { useHasLeft } from './parts/useHasLeft.ts'
import { lastVisit } from './visits.ts'

/** The page to open, and the delay in milliseconds; `anew` opens a list as at first, not as it was left. */
export interface GoTo {
  path: string
  after: number
  anew?: boolean
}

/**
 * Opens another page after a delay, as it was left, unless the person has left this one before, even if they came back,
 * or another form of this one has unsent text: then nothing opens, also not later.
 */
export function useDelayedNavigation() {
  const navigate = useNavigate()
  const hasLeft = useHasLeft()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stopWaiting = useRef(() => {})
  const [leaving, setLeaving] = useState(false)
  const isUnmounted = useRef(false)
  useEffect(() => {
    isUnmounted.current = false
    return () => {
      isUnmounted.current = true
      clearTimeout(timer.current)
      stopWaiting.current()
    }
  }, [])
  const leave = ({ path, after, anew }: GoTo) => {
    // The answer to what was sent from here may come after the person has gone.
    if (isUnmounted.current) return
    setLeaving(true)
    const { search = '', y = 0 } = (!anew && lastVisit(path)) || {}
    timer.current = setTimeout(() => {
      // What the person opened meanwhile is not closed under their hands.
      stopWaiting.current = whenUndisturbed(() => {
        if (isTextUnsent()) setLeaving(false)
        else if (!hasLeft()) navigate(path + search, { state: { y } })
      })
    }, after)
  }
  return { leave, leaving }
}

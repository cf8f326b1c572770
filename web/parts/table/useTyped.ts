import { useEffect, useRef, useState } from 'react'

/** How long typing pauses before it counts. */
const PAUSE_MS = 250

/** Returns the typed text at once, and calls `commit` when typing pauses. An outside change such as Back wins. */
export function useTyped(committed: string, commit: (text: string) => void) {
  const [typed, setTyped] = useState(committed)
  const sent = useRef(committed)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (committed === sent.current) return
    sent.current = committed
    clearTimeout(timer.current)
    setTyped(committed)
  }, [committed])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = text
      commit(text)
    }, PAUSE_MS)
  }
  return [typed, type] as const
}

import { useEffect, useState } from 'react'
import { inMinutes } from '../../contract/quantities.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useNow } from '../clock.ts'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { useSession } from '../session.tsx'

/** Offers to sign in again before the session expires, in a dialog over the page, which keeps what was typed. */
export function SignInAgain() {
  const { expiry } = useSession()
  const left = Date.parse(expiry) - useNow(5_000).getTime()
  const [putOff, setPutOff] = useState('')
  const reminder = REMINDERS_MS.find((before) => left <= before)
  const due = left > 0 && reminder !== undefined && putOff !== `${expiry} ${reminder}`
  const open = useOnceTypingPauses(due)
  const onClose = () => setPutOff(`${expiry} ${reminder}`)
  return <Later part={dialog} given={{ open, left: inMinutes(left), onClose }} />
}

const dialog = chunk(async () => (await import('./SignInAgainDialog.tsx')).SignInAgainDialog)

/** How long before the end each reminder is shown; the last reminder first. */
const REMINDERS_MS = [MINUTE_MS, 5 * MINUTE_MS]

/** How long typing pauses before the dialog takes the focus. */
const PAUSE_MS = 3_000

/** Turns true once something is due and nobody is typing: the next letters would go into the dialog. */
function useOnceTypingPauses(due: boolean): boolean {
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const isTyping = due && document.activeElement?.matches('input, textarea') === true
    setReady(due && !isTyping)
    if (!isTyping) return
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setReady(true), PAUSE_MS)
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    wait()
    document.addEventListener('keydown', wait)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('keydown', wait)
    }
  }, [due])
  return due && isReady
}

import { useState } from 'react'
import { useNow } from '../clock.ts'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { useSession } from '../session.tsx'

/** Offers to sign in again before the session expires, in a dialog over the page, which keeps what was typed. */
export function SignInAgain() {
  const { expiry } = useSession()
  const left = Date.parse(expiry) - useNow(5_000).getTime()
  const [putOff, setPutOff] = useState('')
  const reminder = REMINDERS.find((before) => left <= before)
  const open = left > 0 && reminder !== undefined && putOff !== `${expiry} ${reminder}`
  const onClose = () => setPutOff(`${expiry} ${reminder}`)
  return <Later part={dialog} given={{ open, left: inWords(left), onClose }} />
}

const dialog = chunk(async () => (await import('./SignInAgainDialog.tsx')).SignInAgainDialog)

/** How long before the end each reminder is shown, in milliseconds; the last reminder first. */
const REMINDERS = [60_000, 300_000]

function inWords(left: number): string {
  const minutes = Math.ceil(left / 60_000)
  return minutes > 1 ? `${minutes} minutes` : 'a minute'
}

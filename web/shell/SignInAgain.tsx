import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNow } from '../clock.ts'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { replaceSession, useSession } from '../session.tsx'
import { SignInForm } from './SignInForm.tsx'

/** Offers to sign in again before the session expires, in a dialog over the page, which keeps what was typed. */
export function SignInAgain() {
  const { expiry } = useSession()
  const left = Date.parse(expiry) - useNow(5_000).getTime()
  const [putOff, setPutOff] = useState('')
  const reminder = REMINDERS.find((before) => left <= before)
  const open = left > 0 && reminder !== undefined && putOff !== `${expiry} ${reminder}`
  return (
    <Dialog
      open={open}
      title={`Your session ends in ${inWords(left)}`}
      onClose={() => setPutOff(`${expiry} ${reminder}`)}
    >
      <Again later={() => setPutOff(`${expiry} ${reminder}`)} />
    </Dialog>
  )
}

/** How long before the end each reminder is shown, in milliseconds; the last reminder first. */
const REMINDERS = [60_000, 300_000]

function Again({ later }: { later: () => void }) {
  const { name } = useSession()
  return (
    <SignInForm
      username={name}
      submit="Sign in again"
      autoFocus
      onDone={replaceSession}
      aside={<Button onClick={later}>Later</Button>}
    >
      <p>
        Sign in again as <b>{name}</b> to go on. What you have typed stays.
      </p>
      {/* Tells the password manager which account the password belongs to. */}
      <input hidden readOnly autoComplete="username" value={name} />
    </SignInForm>
  )
}

function inWords(left: number): string {
  const minutes = Math.ceil(left / 60_000)
  return minutes > 1 ? `${minutes} minutes` : 'a minute'
}

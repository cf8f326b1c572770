import Button from '@mui/material/Button'
import { useMemo, useState } from 'react'
import { useNow } from '../clock.ts'
import { Captcha } from '../parts/captcha/Captcha.tsx'
import { Work } from '../parts/captcha/Work.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { signInAgain, useSession } from '../session.tsx'
import { askCaptcha, captchaSolved, useSigning } from './signing.ts'

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
  const { sign, loading, refused, round, work, stop } = useSigning(signInAgain)
  const values = useMemo(() => ({ login_username: name, login_password: '' }), [name])
  return (
    <Form
      schema={captchaSolved}
      values={values}
      submit="Sign in again"
      onSubmit={sign}
      loading={loading}
      submitError={refused}
      onlyWhenValid
      autoFocus
      aside={work ? <Button onClick={stop}>Stop</Button> : <Button onClick={later}>Later</Button>}
    >
      <p>
        Sign in again as <b>{name}</b> to go on. What you have typed stays.
      </p>
      {/* Tells the password manager which account the password belongs to. */}
      <input hidden readOnly autoComplete="username" value={name} />
      <PasswordInput name="login_password" label="Password" autoComplete="current-password" />
      {work ? <Work {...work} /> : <Captcha name="g_recaptcha_response" load={askCaptcha} round={round} />}
    </Form>
  )
}

function inWords(left: number): string {
  const minutes = Math.ceil(left / 60_000)
  return minutes > 1 ? `${minutes} minutes` : 'a minute'
}

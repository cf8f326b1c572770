import Button from '@mui/material/Button'
import { type ReactNode, useMemo } from 'react'
import type { calls, OutputOf } from '../../contract/calls.ts'
import { Captcha } from '../parts/captcha/Captcha.tsx'
import { Work } from '../parts/captcha/Work.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { askCaptcha } from './askCaptcha.ts'
import { captchaSolved, useSigning } from './signing.ts'

interface SignInFormProps {
  /** Fills in the username at first. */
  username: string
  /** The label of the button. */
  label: string
  autoFocus: boolean | string
  onDone: (answer: OutputOf<typeof calls.session.login>) => void
  /** Content to the left of the button, while no longer challenge is being solved. */
  aside?: ReactNode
  /** The username field, above the password. */
  children: ReactNode
}

/** The form of the login page and of the dialog that signs in again. */
export function SignInForm({ username, label, autoFocus, onDone, aside, children }: SignInFormProps) {
  const { sign, loading, refused, round, work, stop } = useSigning(onDone)
  const values = useMemo(() => ({ login_username: username, login_password: '' }), [username])
  return (
    <Form
      schema={captchaSolved}
      values={values}
      label={label}
      onSubmit={sign}
      sending={{ loading, submitError: refused }}
      onlyWhenValid
      autoFocus={autoFocus}
      aside={work ? <Button onClick={stop}>Stop</Button> : aside}
    >
      {children}
      <PasswordInput name="login_password" label="Password" autoComplete="current-password" />
      {work ? <Work {...work} /> : <Captcha name="g_recaptcha_response" load={askCaptcha} round={round} />}
    </Form>
  )
}

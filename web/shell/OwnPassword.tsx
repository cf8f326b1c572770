import * as z from 'zod/mini'
import { AccountPassword } from '../../contract/accounts.ts'
import { calls } from '../../contract/calls.ts'
import { passwordsMatch } from '../accounts/passwordsMatch.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { OFFLINE, useSession } from '../session.tsx'

/** Changes the caller's own password, which needs the present one. */
export function OwnPassword() {
  const { name } = useSession()
  const change = useSubmit(calls.session.password, {
    // It ends all other sessions.
    changes: [calls.session.list, calls.session.signIns],
    onDone: () => localStorage.removeItem(OFFLINE),
  })
  return (
    <Form
      title="Your password"
      schema={Change}
      values={EMPTY}
      resetKey={change.done}
      label="Change password"
      onlyWhenValid
      sending={change}
      onSubmit={({ old_password, password }) => change.submit({ old_password, password })}
    >
      {/* Tells the password manager which account the password belongs to. */}
      <input hidden readOnly autoComplete="username" value={name} />
      <PasswordInput name="old_password" label="Present password" autoComplete="current-password" />
      <PasswordInput name="password" label="New password" autoComplete="new-password" />
      <PasswordInput name="again" label="Confirm new password" autoComplete="new-password" />
    </Form>
  )
}

const EMPTY = { old_password: '', password: '', again: '' }

const Change = z
  .object({
    old_password: z.string().check(z.minLength(1, 'Please type your present password')),
    password: AccountPassword,
    again: z.string(),
  })
  .check(passwordsMatch)

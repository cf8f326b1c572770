import * as z from 'zod/mini'
import { ACCOUNT_PASSWORD_LENGTH, AccountPassword } from '../../contract/accounts.ts'
import type { calls } from '../../contract/calls.ts'
import { inCharacters } from '../../contract/text.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { passwordsMatch } from './passwordsMatch.ts'

interface PasswordCardProps {
  name: string
  /** The parent's call, or the admin's for any account. */
  call: typeof calls.level.dealer.changePassword | typeof calls.tree.password
}

/** Sets the password of an account beneath, which ends its sessions. It is typed twice. */
export function PasswordCard({ name, call }: PasswordCardProps) {
  const change = useSubmit(call, { changes: [] })
  return (
    <Card title="Change Password">
      <Form
        schema={Change}
        values={EMPTY}
        resetKey={change.done}
        label="Change Password"
        onlyWhenValid
        sending={change}
        onSubmit={({ password }) => change.submit({ name, password })}
      >
        <PasswordInput
          name="password"
          label="New Password"
          help={inCharacters(ACCOUNT_PASSWORD_LENGTH)}
          autoComplete="new-password"
        />
        <PasswordInput name="again" label="Confirm New Password" autoComplete="new-password" />
      </Form>
    </Card>
  )
}

const EMPTY = { password: '', again: '' }

const Change = z.object({ password: AccountPassword, again: z.string() }).check(passwordsMatch)

import * as z from 'zod/mini'
import { AccountPassword } from '../../contract/accounts.ts'
import { calls } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { useSubmit } from '../queries.ts'
import { passwordsMatch } from './passwordsMatch.ts'

/** Changes an account's password, which ends its sessions. */
export function ChangePassword({ level, name }: { level: LevelName; name: string }) {
  const change = useSubmit(calls.level[level].changePassword, { changes: [] })
  return (
    <Card title="Change Password">
      <Form
        schema={Change}
        values={EMPTY}
        resetKey={change.done}
        submit="Change Password"
        onlyWhenValid
        loading={change.loading}
        submitError={change.submitError}
        onSubmit={({ password }) => change.submit({ name, password })}
      >
        <PasswordInput
          name="password"
          label="New Password"
          help="8 to 128 characters"
          autoComplete="new-password"
        />
        <PasswordInput name="again" label="Confirm New Password" autoComplete="new-password" />
      </Form>
    </Card>
  )
}

const EMPTY = { password: '', again: '' }

const Change = z.object({ password: AccountPassword, again: z.string() }).check(passwordsMatch)

import * as z from 'zod/mini'
import { AccountPassword } from '../../contract/accounts.ts'
import { Card } from '../parts/Card.tsx'
import { Form, type SubmitError } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { passwordsMatch } from './passwordsMatch.ts'

interface PasswordCardProps {
  change: { loading: boolean; submitError: SubmitError | null; done: number }
  onSubmit: (password: string) => void
}

/** Takes a new password twice. */
export function PasswordCard({ change, onSubmit }: PasswordCardProps) {
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
        onSubmit={({ password }) => onSubmit(password)}
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

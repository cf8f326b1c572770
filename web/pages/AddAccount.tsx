import { useMemo } from 'react'
import { calls } from '../../contract/calls.ts'
import { LEVELS, type LevelName } from '../../contract/levels.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { to } from '../screens.ts'

/** Creates an account of one level. It begins without credits. */
export function AddAccount({ level: name }: { level: LevelName }) {
  const { title } = LEVELS[name]
  const call = calls.level[name].create
  const add = useSubmit(call, { goTo: { path: to.level[name].list(), after: 2_000, anew: true } })
  const values = useMemo(() => ({ login: '', password: '' }), [])
  return (
    <>
      <PageHead title={`Add ${title}`} />
      <Card form>
        <Form
          schema={call.input}
          values={values}
          label={`Add ${title}`}
          autoFocus
          onSubmit={add.submit}
          sending={add}
        >
          <TextInput
            name="login"
            label="Login"
            help="3 to 32 of the letters A to Z, digits, dots, dashes and underscores"
            asTyped
          />
          <PasswordInput
            name="password"
            label="Password"
            help="8 to 128 characters"
            autoComplete="new-password"
          />
        </Form>
      </Card>
    </>
  )
}

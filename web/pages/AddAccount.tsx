import { useMemo } from 'react'
import { ACCOUNT_NAME_LENGTH, ACCOUNT_PASSWORD_LENGTH } from '../../contract/accounts.ts'
import { calls } from '../../contract/calls.ts'
import { LEVELS, type LevelName } from '../../contract/levels.ts'
import { inCharacters } from '../../contract/text.ts'
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
          <TextInput name="login" label="Login" help={LOGIN_HELP} asTyped />
          <PasswordInput
            name="password"
            label="Password"
            help={inCharacters(ACCOUNT_PASSWORD_LENGTH)}
            autoComplete="new-password"
          />
        </Form>
      </Card>
    </>
  )
}

const { least, most } = ACCOUNT_NAME_LENGTH
const LOGIN_HELP = `${least} to ${most} of the letters A to Z, digits, dots, dashes and underscores`

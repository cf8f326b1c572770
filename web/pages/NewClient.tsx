import { useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { withoutSecrets } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { PACKAGES } from '../../contract/packages.ts'
import { credits, shortage } from '../../contract/words.ts'
import { DescriptionField, MacField, PackageField, PhoneField } from '../clients/fields.tsx'
import { KeepDraft } from '../clients/KeepDraft.tsx'
import { costOf, type NewClientValues, newClientSchema } from '../clients/newClient.ts'
import { START_OPTIONS } from '../clients/startOptions.ts'
import { type Draft, draftOf, keepDraft, NEW_CLIENT } from '../drafts.ts'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { CheckboxInput } from '../parts/form/SwitchInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { useCredits, useSubmit } from '../queries.ts'
import { to } from '../screens.ts'
import { useSession } from '../session.tsx'

/** Creates a client, on a trial or for paid months. */
export function NewClient() {
  const balance = useCredits()
  const schema = useMemo(() => newClientSchema(balance), [balance])
  const { name } = useSession()
  const [draft] = useState(() => draftOf(name, NEW_CLIENT))
  const [discarded, setDiscarded] = useState(0)
  const values = useMemo(() => (discarded === 0 ? { ...EMPTY, ...draft } : { ...EMPTY }), [draft, discarded])
  const create = useSubmit(calls.clients.create, {
    onDone: () => keepDraft(name, NEW_CLIENT, null),
    goTo: { path: to.clients(), after: 3_000 },
  })
  return (
    <>
      <title>New Client · Boxtree</title>
      <PageTitle>New Client</PageTitle>
      <Card form>
        <Form
          schema={schema}
          values={values}
          resetKey={discarded}
          submit="Submit"
          onlyWhenValid
          autoFocus
          onSubmit={create.submit}
          loading={create.loading}
          submitError={create.submitError}
        >
          <KeepDraft
            form={NEW_CLIENT}
            draftFrom={draftFrom}
            isRestored={draft !== null && discarded === 0}
            sent={create.loading}
            onDiscard={() => setDiscarded((times) => times + 1)}
          />
          <CheckboxInput name="ministra" label="Ministra" />
          <TextInput name="login" label="Login Name" identifier help="5 to 15 characters" />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="new-password"
            help="5 to 15 characters"
          />
          <DescriptionField />
          <MacUnlessMinistra />
          <PhoneField />
          <Start balance={balance} />
          <PackageField />
        </Form>
      </Card>
    </>
  )
}

const EMPTY: NewClientValues = {
  ministra: false,
  login: '',
  password: '',
  desc: '',
  stb_mac: '',
  phone: '',
  months: 0,
  package_selection: PACKAGES[0]?.value ?? 1,
}

/** Returns what was typed, without the password; null where nothing was. */
function draftFrom(values: NewClientValues): Draft | null {
  const typed = Object.entries(withoutSecrets(calls.clients.create, values)).filter(
    ([name, value]) => EMPTY[name as keyof NewClientValues] !== value,
  )
  return typed.length > 0 ? Object.fromEntries(typed) : null
}

/** The MAC field, which a Ministra client does not have. */
function MacUnlessMinistra() {
  return useWatch({ name: 'ministra' }) === true ? null : <MacField />
}

/** The choice of trial or months, with its price and the balance. */
function Start({ balance }: { balance: number | null | undefined }) {
  const cost = costOf(useWatch({ name: 'months' }))
  const short = balance != null && cost > balance
  return (
    <SelectInput
      name="months"
      label="Credits"
      options={START_OPTIONS}
      help={price(cost, balance)}
      fault={short ? shortage(balance, cost) : undefined}
    />
  )
}

function price(cost: number, balance: number | null | undefined): string {
  const costs = `Costs ${cost === 0 ? 'nothing' : credits(cost)}`
  return balance == null ? costs : `${costs}; you have ${credits(balance)}`
}

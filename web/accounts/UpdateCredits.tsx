import Button from '@mui/material/Button'
import { useMemo, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { AccountDescription, CreditAmount } from '../../contract/accounts.ts'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { CREDIT_ACTION } from '../../contract/credits.ts'
import { credits as inWords } from '../../contract/words.ts'
import type { Level } from '../levels.ts'
import { Card } from '../parts/Card.tsx'
import { Chip } from '../parts/Chip.tsx'
import { Form } from '../parts/form/Form.tsx'
import { AmountSelect, SelectInput } from '../parts/form/SelectInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { useSubmit } from '../queries.ts'
import { to } from '../screens.ts'
import { balanceTone } from '../tables/balance.ts'
import { CREDIT_AMOUNTS } from './balance.ts'

interface UpdateCreditsProps {
  level: Level
  name: string
  /** Undefined while the account is loading. */
  account: OutputOf<typeof calls.level.reseller.detail> | undefined
}

/** Adds credits to an account or removes them. The description is saved with them, or by itself. */
export function UpdateCredits({ level, name, account }: UpdateCreditsProps) {
  const stay = level.afterUpdate === 'stay'
  const [saved, setSaved] = useState<{ desc: string | undefined }>()
  const update = useSubmit(calls.level[level.role].save, {
    onDone: (_, { desc }) => setSaved({ desc }),
    ...(!stay && { goTo: { path: to.level[level.role].list(), after: 2_000 } }),
  })
  const describe = useSubmit(calls.level[level.role].save, { onDone: (_, { desc }) => setSaved({ desc }) })
  // The query is loaded again only after the save. By then the person may have begun the next change, which the old
  // description would overwrite.
  const description = saved?.desc ?? account?.description ?? ''
  // Each save resets the form to an amount of 1 and Add.
  const values = useMemo(() => ({ ...FIRST, desc: description }), [description])
  const loading = update.loading || describe.loading
  return (
    <Card title="Update Credits" aside={account && <Balance credits={account.credits} />}>
      <Form
        schema={Change}
        values={values}
        resetKey={update.done + describe.done}
        autoFocus
        submit={({ credits, transaction }) => says(Number(credits), Number(transaction))}
        onSubmit={(change) => update.submit({ name, ...change })}
        loading={loading}
        disabled={!account}
        submitError={update.submitError ?? describe.submitError}
        aside={
          <SaveDescription
            present={description}
            loading={loading}
            onSave={(desc) => describe.submit({ name, credits: 0, desc, transaction: CREDIT_ACTION.add })}
          />
        }
      >
        <AmountSelect name="credits" label="Credits" amounts={CREDIT_AMOUNTS} words={inWords} />
        <SelectInput name="transaction" label="Action" options={ACTIONS} />
        <TextInput name="desc" label="Description" />
      </Form>
    </Card>
  )
}

const FIRST = { credits: 1, transaction: CREDIT_ACTION.add, desc: '' }

const ACTIONS = [
  { value: CREDIT_ACTION.add, label: 'Add' },
  { value: CREDIT_ACTION.remove, label: 'Remove' },
]

const Change = z.object({
  credits: CreditAmount,
  transaction: z.literal([CREDIT_ACTION.add, CREDIT_ACTION.remove]),
  desc: AccountDescription,
})

function says(credits: number, transaction: number): string {
  return `${transaction === CREDIT_ACTION.remove ? 'Remove' : 'Add'} ${inWords(credits)}`
}

function Balance({ credits }: { credits: number }) {
  return <Chip tone={balanceTone(credits)}>{inWords(credits)}</Chip>
}

interface SaveDescriptionProps {
  /** The description that the server has. */
  present: string
  loading: boolean
  onSave: (desc: string) => void
}

function SaveDescription({ present, loading, onSave }: SaveDescriptionProps) {
  const { trigger } = useFormContext()
  const desc = String(useWatch({ name: 'desc' }) ?? '')
  return (
    <Button
      variant="outlined"
      disabled={loading || desc === present}
      onClick={async () => (await trigger('desc')) && onSave(desc)}
    >
      Save description
    </Button>
  )
}

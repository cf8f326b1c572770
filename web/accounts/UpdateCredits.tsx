import Button from '@mui/material/Button'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import type { Call } from '../../contract/call.ts'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { CREDIT_ACTION, noneWhileSuspended } from '../../contract/credits.ts'
import { inCredits } from '../../contract/quantities.ts'
import { Description } from '../../contract/text.ts'
import { loadAgain } from '../calls/cache.ts'
import { useCall } from '../calls/useCall.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import type { Level } from '../levels.ts'
import { Card } from '../parts/Card.tsx'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { ChoiceInput } from '../parts/form/ChoiceInput.tsx'
import { Form } from '../parts/form/Form.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { useHeld } from '../parts/useHeld.ts'
import { to } from '../screens.ts'
import { Amount, amountFields, amountOf, FIRST_AMOUNT } from './Amount.tsx'
import { BalanceChip } from './BalanceChip.tsx'
import { Balances, lackOf, useBefore } from './Balances.tsx'
import { useSaved } from './useSaved.ts'

interface UpdateCreditsProps {
  level: Level
  name: string
  /** Undefined while the account is loading. */
  account: OutputOf<typeof calls.level.reseller.detail> | undefined
}

/** Adds credits to an account or removes them, after a question. The description is saved with them, or by itself. */
export function UpdateCredits({ level, name, account }: UpdateCreditsProps) {
  const stay = level.afterUpdate === 'stay'
  const cache = useQueryClient()
  // The account is loaded again only after the save. By then the person may have begun the next change, which the old
  // description would overwrite.
  const [description = '', noteSaved] = useSaved(account?.description)
  const [asked, setAsked] = useState<Asked | null>(null)
  const update = useSubmit(calls.level[level.role].save, {
    onDone: (_, { desc }) => {
      setAsked(null)
      if (desc !== undefined) noteSaved(desc)
    },
    ...(!stay && { goTo: { path: to.level[level.role].list(), after: 2_000 } }),
  })
  const describe = useSubmit(calls.level[level.role].save, { onDone: (_, { desc }) => noteSaved(desc) })
  // Each update resets the form to an amount of 1 and Add.
  const values = useMemo(() => ({ ...FIRST, desc: description }), [description])
  const loading = update.loading || describe.loading
  const { submitError, unanswered } = update
  // A refusal is shown at the field that it concerns, behind the question. Where no answer came, the question stays, so
  // that the same is sent again: with another description it would be a second movement.
  useEffect(() => {
    if (submitError && !unanswered) setAsked(null)
  }, [submitError, unanswered])
  const cancel = () => {
    setAsked(null)
    if (unanswered) update.reset()
  }
  return (
    <Card title="Update Credits" aside={account && <BalanceChip credits={account.credits} />}>
      <Form
        schema={Change}
        values={values}
        resetKey={update.done}
        autoFocus
        label={(chosen) => labelOf({ ...chosen, credits: amountOf(chosen) })}
        onSubmit={(chosen) => {
          const { transaction, desc } = chosen
          // What was not typed here may be another by now, and is left to the server.
          setAsked({ credits: amountOf(chosen), transaction, ...(desc !== description && { desc }) })
          // The question shows what the account has at this moment.
          loadAgain(cache, [calls.level[level.role].detail, calls.tree.account])
        }}
        sending={{ loading, submitError: submitError ?? describe.submitError }}
        disabled={!account}
        aside={
          <SaveDescription
            present={description}
            loading={loading}
            onSave={(desc) => {
              // Of both, the form shows the refusal of what was sent last.
              update.reset()
              describe.submit({ name, credits: 0, desc, transaction: CREDIT_ACTION.add })
            }}
          />
        }
      >
        <Amount />
        <ChoiceInput name="transaction" label="Action" options={ACTIONS} />
        <TextInput name="desc" label="Description" />
      </Form>
      <Movement
        asked={asked}
        name={name}
        of={calls.level[level.role].detail}
        balance={account?.credits ?? 0}
        loading={update.loading}
        unanswered={unanswered}
        onYes={(movement) => {
          describe.reset()
          update.submit({ name, ...movement })
        }}
        onNo={cancel}
      />
    </Card>
  )
}

type Asked = { credits: number; transaction: 0 | 1; desc?: string }

const FIRST = { ...FIRST_AMOUNT, transaction: CREDIT_ACTION.add, desc: '' }

const ACTIONS = [
  { value: CREDIT_ACTION.add, label: 'Add' },
  { value: CREDIT_ACTION.remove, label: 'Remove' },
]

const Change = z.object({
  ...amountFields,
  transaction: z.literal([CREDIT_ACTION.add, CREDIT_ACTION.remove]),
  desc: Description,
})

function labelOf({ credits, transaction }: { credits: number; transaction: number }): string {
  const amount = Number.isNaN(credits) ? 'credits' : inCredits(credits)
  return `${transaction === CREDIT_ACTION.remove ? 'Remove' : 'Add'} ${amount}`
}

interface MovementProps {
  /** Null while the dialog is closed. */
  asked: Asked | null
  name: string
  /** The call that has told the balance. */
  of: Call
  balance: number
  loading: boolean
  /** True where nobody knows whether the credits have moved. */
  unanswered: boolean
  onYes: (asked: Asked) => void
  onNo: () => void
}

/** Asks before credits move, and shows both balances before and after. */
function Movement({ asked, name, of, balance, loading, unanswered, onYes, onNo }: MovementProps) {
  const shown = useLastValue(asked)
  const isHeld = loading || unanswered || asked === null
  const before = useBefore(name, balance, of, isHeld)
  const { data: account } = useCall(calls.tree.account, { name })
  const isOld = useIsOld(calls.tree.account)
  const isRemoval = shown?.transaction === CREDIT_ACTION.remove
  // One that was lifted since is known only once the account is loaded again.
  const isSuspended = account?.suspension != null && !isOld
  const refusal = useHeld(isSuspended && !isRemoval ? noneWhileSuspended(name) : null, isHeld)
  if (!shown) return null
  const change = isRemoval ? -shown.credits : shown.credits
  return (
    <Confirm
      open={asked !== null}
      title={`${labelOf(shown)} ${isRemoval ? 'from' : 'to'} ${name}?`}
      yes={labelOf(shown)}
      onYes={() => onYes(shown)}
      onNo={onNo}
      loading={loading}
      blocked={before.isOld || refusal !== null || lackOf(before, change) !== null}
      unanswered={unanswered}
    >
      <Balances before={before} change={change} refusal={refusal} />
    </Confirm>
  )
}

interface SaveDescriptionProps {
  /** The description that the server has. */
  present: string
  loading: boolean
  onSave: (desc: string) => void
}

function SaveDescription({ present, loading, onSave }: SaveDescriptionProps) {
  const { trigger, setFocus } = useFormContext()
  const desc = String(useWatch({ name: 'desc' }) ?? '')
  const isPressed = useRef(false)
  useEffect(() => {
    if (loading || !isPressed.current) return
    isPressed.current = false
    // What is saved cannot be saved again: the disabled button would leave the focus nowhere.
    if (document.activeElement === document.body) setFocus('desc')
  }, [loading, setFocus])
  const save = async () => {
    if (!(await trigger('desc'))) return
    isPressed.current = true
    onSave(desc)
  }
  return (
    <Button variant="outlined" disabled={loading || desc === present} onClick={save}>
      Save description
    </Button>
  )
}

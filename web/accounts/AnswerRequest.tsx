import { useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { creditsFrom, noneWhileSuspended, PassedCredits } from '../../contract/credits.ts'
import { inCredits } from '../../contract/quantities.ts'
import { type ChildRequest, moreThanAsked, RequestNote } from '../../contract/requests.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { Balances, type Before, lackOf, useBefore } from './Balances.tsx'
import { CreditsInput } from './CreditsInput.tsx'
import { numberIn, typedNumber } from './typedNumber.ts'

export type Answering = { request: ChildRequest; how: 'grant' | 'decline' }

interface AnswerRequestProps {
  open: boolean
  /** Null while the dialog is closed, and once the request is no longer open. */
  answering: Answering | null
  onClose: () => void
}

/** Grants a child's request, in whole or in part, or declines it with a note. */
export function AnswerRequest({ open, answering, onClose }: AnswerRequestProps) {
  const shown = useLastValue(answering)
  if (!shown) return null
  const { request, how } = shown
  const Answer = how === 'grant' ? Grant : Decline
  return <Answer key={`${how} ${request.id}`} {...{ request, open, onClose }} />
}

interface AnswerProps {
  request: ChildRequest
  open: boolean
  onClose: () => void
}

function Grant({ request, open, onClose }: AnswerProps) {
  const { id, name, balance, credits, note } = request
  const grant = useSubmit(calls.requests.grant, { onDone: onClose, onOutdated: onClose })
  const before = useBefore(name, balance, calls.requests.list, grant.loading || grant.unanswered || !open)
  const values = useMemo(() => ({ credits: String(credits) }), [credits])
  return (
    <FormDialog
      open={open}
      title={`Grant credits to ${name}`}
      onClose={onClose}
      schema={Granted}
      values={values}
      label={({ credits: typed }) => labelOf(typed)}
      onSubmit={({ credits: typed }) => grant.submit({ id, credits: numberIn(typed) })}
      sending={grant}
      blocked={({ credits: typed }) => before.isOld || whyNot(request, before, typed) !== null}
    >
      <p>
        {name} asks for {inCredits(credits)}
        {note === '' ? '.' : `: ${note}`}
      </p>
      <CreditsInput name="credits" label="Credits" help={`${inCredits(credits)} or fewer`} />
      <After request={request} before={before} />
    </FormDialog>
  )
}

const Granted = z.object({ credits: typedNumber({ number: PassedCredits, otherwise: creditsFrom(1) }) })

/** Says why the request cannot be granted with this amount, as far as it is known; null where it can. */
function whyNot(request: ChildRequest, before: Before, typed: string): string | null {
  if (request.suspended) return noneWhileSuspended(request.name)
  const change = changeOf(typed)
  return lackOf(before, change) ?? (change > request.credits ? moreThanAsked(request) : null)
}

function labelOf(typed: string): string {
  const credits = changeOf(typed)
  return credits > 0 ? `Grant ${inCredits(credits)}` : 'Grant'
}

/** Returns the credits that are typed; 0 where these are none that can be granted. */
function changeOf(typed: string): number {
  const credits = numberIn(typed)
  return PassedCredits.safeParse(credits).success ? credits : 0
}

function After({ request, before }: { request: ChildRequest; before: Before }) {
  const typed = useWatch({ name: 'credits' })
  return <Balances before={before} change={changeOf(typed)} refusal={whyNot(request, before, typed)} />
}

function Decline({ request: { id, name, credits }, open, onClose }: AnswerProps) {
  const decline = useSubmit(calls.requests.decline, { onDone: onClose, onOutdated: onClose })
  return (
    <FormDialog
      open={open}
      title={`Decline the request of ${name} for ${inCredits(credits)}`}
      onClose={onClose}
      schema={Declined}
      values={NO_NOTE}
      label="Decline"
      onSubmit={({ note }) => decline.submit({ id, note })}
      sending={decline}
    >
      <TextInput name="note" label="Note" multiline help={`${name} reads it`} />
    </FormDialog>
  )
}

const NO_NOTE = { note: '' }

const Declined = z.object({ note: RequestNote })

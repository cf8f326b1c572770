import Button from '@mui/material/Button'
import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { inCredits } from '../../contract/quantities.ts'
import { type OwnRequest, RequestNote } from '../../contract/requests.ts'
import { trimmed } from '../../contract/text.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { CREDIT_REQUEST, draftOf, keepDraft } from '../drafts.ts'
import { KeepDraft, useDraft } from '../KeepDraft.tsx'
import { At } from '../moments.tsx'
import { Card } from '../parts/Card.tsx'
import { useTitleAfterwards } from '../parts/focus.ts'
import { Form } from '../parts/form/Form.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Awaited } from '../parts/Stack.tsx'
import { Question } from '../Question.tsx'
import { useSession } from '../session.tsx'
import { Amount, amountFields, amountOf, FIRST_AMOUNT } from './Amount.tsx'

interface AskForCreditsProps {
  /** The caller's own requests. */
  loaded: {
    data: OutputOf<typeof calls.requests.own> | undefined
    error: { message: string } | null
    refetch: () => void
  }
  /** Whether it stands at the top of its page, and so begins with the focus. */
  first: boolean
}

/** Asks the caller's parent for credits, or shows the open request and lets the caller withdraw it. */
export function AskForCredits({ loaded, first }: AskForCreditsProps) {
  const own = loaded.data
  if (!own) {
    return (
      <Card title="Ask for Credits">
        <Loaded of={loaded}>
          {/* The cards beneath wait until it is known which of the two stands above them. */}
          <Awaited height={40} />
        </Loaded>
      </Card>
    )
  }
  const { parent, data } = own
  const open = data.find(({ state }) => state === 'open')
  return open ? <Open request={open} parent={parent} /> : <Ask parent={parent} first={first} />
}

function Ask({ parent, first }: { parent: string; first: boolean }) {
  const { values, emptied, noteSent, forget, keep } = useDraft(CREDIT_REQUEST, calls.requests.ask, FIRST)
  const ask = useSubmit(calls.requests.ask, { onDone: forget })
  const isOld = useIsOld(calls.requests.own)
  // The open request takes the place of the form.
  useTitleAfterwards()
  return (
    <Card title={`Ask ${parent} for Credits`}>
      <Form
        schema={Asked}
        values={values}
        resetKey={emptied}
        autoFocus={first}
        label={(chosen) => labelOf(amountOf(chosen))}
        onSubmit={(chosen) => {
          noteSent()
          ask.submit({ credits: amountOf(chosen), note: chosen.note })
        }}
        sending={ask}
        // A request that was just withdrawn, or made, may not be shown yet.
        blocked={isOld && !ask.unanswered}
      >
        <KeepDraft {...keep} isSending={ask.loading} />
        <Amount />
        <TextInput name="note" label="Note" multiline />
      </Form>
    </Card>
  )
}

const FIRST = { ...FIRST_AMOUNT, note: '' }

const Asked = z.object({ ...amountFields, note: RequestNote })

function labelOf(credits: number): string {
  return `Ask for ${Number.isNaN(credits) ? 'credits' : inCredits(credits)}`
}

function Open({ request, parent }: { request: OwnRequest; parent: string }) {
  const [asking, setAsking] = useState(false)
  useSentDraft(request)
  return (
    <Card
      title={`You asked ${parent} for ${inCredits(request.credits)}`}
      aside={
        <Button variant="outlined" onClick={() => setAsking(true)}>
          Withdraw
        </Button>
      }
    >
      <p>
        <At iso={request.created} />
        {request.note !== '' && `: ${request.note}`}
      </p>
      <Question
        about={asking ? request : null}
        title={({ credits }) => `Withdraw your request for ${inCredits(credits)}?`}
        yes="Withdraw"
        call={calls.requests.withdraw}
        input={({ id }) => ({ id })}
        onClose={() => setAsking(false)}
      >
        {() => `${parent} no longer sees it. You can ask again.`}
      </Question>
    </Card>
  )
}

/** Forgets the draft of a request that is open: the answer that said so was lost. */
function useSentDraft({ credits, note }: OwnRequest): void {
  const { name } = useSession()
  useEffect(() => {
    const typed = { ...FIRST, ...draftOf<Partial<typeof FIRST>>(name, CREDIT_REQUEST) }
    if (amountOf(typed) === credits && trimmed(typed.note) === note) keepDraft(name, CREDIT_REQUEST, null)
  }, [name, credits, note])
}

import { useState } from 'react'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { MOST_MONTHS } from '../../contract/clients.ts'
import { inCredits } from '../../contract/quantities.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSureBalance } from '../calls/useSureBalance.ts'
import { OnDay } from '../moments.tsx'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { Question } from '../Question.tsx'

interface RetrieveCardProps {
  /** Undefined while it loads. */
  client: ClientDetail | undefined
  expired: boolean
}

/**
 * What is asked about: how many credits of a client, and what it and the balance were then. Both may be loaded again
 * while the question is open, and where an answer was lost they would show what the first try has done.
 */
type Asked = Pick<ClientDetail, 'name' | 'expiry' | 'retrievals' | 'trial_retrieval'> & {
  count: number
  balance: number | null | undefined
}

/** Takes credits back from a client, after a question. It offers only what can be taken back. */
export function RetrieveCard({ client, expired }: RetrieveCardProps) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [retrieved, setRetrieved] = useState(0)
  const balance = useSureBalance()
  // A question from before a change would be about months that are taken back already.
  const isOld = useIsOld(calls.clients.detail)
  const notice = useNotice()
  const most = client && !expired ? Math.min(client.retrievable, MOST_MONTHS) : 0
  const ask = (chosen: number) => {
    // The client may have been loaded again since, with fewer credits to take back than were selected.
    if (chosen === 0 || chosen > most) notice.warning('Please select credits to retrieve')
    else if (client) setAsked({ ...client, count: chosen, balance })
  }
  return (
    <Card title="Retrieve Credits">
      <Form
        schema={asChosen}
        values={NONE}
        resetKey={retrieved}
        label="Retrieve Credits"
        onSubmit={({ credits }) => ask(Number(credits))}
        disabled={most === 0}
        blocked={isOld || balance === undefined}
        sending={{ loading: false, submitError: null }}
      >
        <SelectInput
          name="credits"
          label="Credits"
          options={optionsUpTo(most)}
          help={client && possible(client, expired)}
        />
      </Form>
      <Question
        about={asked}
        title={({ count }) => `Retrieve ${inCredits(count)}?`}
        yes="Retrieve"
        call={calls.clients.retrieve}
        input={({ name, count, expiry }) => ({ login: name, credits: count, expiry })}
        onClose={() => setAsked(null)}
        onDone={() => setRetrieved((times) => times + 1)}
      >
        {(asked) => <Consequence {...asked} />}
      </Question>
    </Card>
  )
}

const NONE = { credits: '' as string | number }

const asChosen = z.custom<typeof NONE>()

function optionsUpTo(most: number) {
  const counts = Array.from({ length: most }, (_, index) => index + 1)
  return [
    { value: '', label: 'Select credits' },
    ...counts.map((value) => ({ value, label: inCredits(value) })),
  ]
}

function possible({ retrievable }: ClientDetail, expired: boolean): string {
  if (expired) return 'An expired client has no months left to retrieve'
  if (retrievable === 0) return 'There is nothing to retrieve'
  const up = `Up to ${inCredits(retrievable)} can be retrieved`
  // The server offers no more at a time, though there may be more.
  return retrievable === MOST_MONTHS ? `${up} at a time` : up
}

/** Shows the expiry and the dealer's balance after the retrieval. */
function Consequence({ name, expiry, retrievals, trial_retrieval, count, balance }: Asked) {
  const next = retrievals[count - 1]
  return (
    <p>
      The newest paid months of {name} are taken back.
      {next !== undefined && (
        <>
          {' '}
          Its service ends on{' '}
          <strong>
            <OnDay iso={next} />
          </strong>{' '}
          instead of <OnDay iso={expiry} />.
        </>
      )}
      {count === trial_retrieval && <> That leaves today only, and counts as one of today's trials.</>}
      {balance != null && <> Your balance becomes {inCredits(balance + count)}.</>}
    </p>
  )
}

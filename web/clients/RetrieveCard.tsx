import { useState } from 'react'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { MOST_MONTHS } from '../../contract/clients.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { inCredits } from '../../contract/words.ts'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { Question } from '../Question.tsx'
import { useBalance } from '../queries.ts'
import { OnDay } from '../When.tsx'

interface RetrieveCardProps {
  /** Undefined while it loads. */
  client: ClientDetail | undefined
  expired: boolean
}

/** Takes credits back from a client, after a question. It offers only what can be taken back. */
export function RetrieveCard({ client, expired }: RetrieveCardProps) {
  const [asked, setAsked] = useState<number | null>(null)
  const [retrieved, setRetrieved] = useState(0)
  const notice = useNotice()
  const most = client && !expired ? Math.min(client.retrievable, MOST_MONTHS) : 0
  const ask = (chosen: number) => {
    // The client may have been loaded again since, with fewer credits to take back than were selected.
    if (chosen === 0 || chosen > most) notice.warning('Please select credits to retrieve')
    else setAsked(chosen)
  }
  return (
    <Card title="Retrieve Credits">
      <Form
        schema={asChosen}
        values={NONE}
        resetKey={retrieved}
        submit="Retrieve Credits"
        onSubmit={({ credits }) => ask(Number(credits))}
        disabled={most === 0}
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
        title={(count) => `Retrieve ${inCredits(count)}?`}
        yes="Retrieve"
        no="Cancel"
        call={calls.clients.retrieve}
        input={(count) => ({ login: client?.name ?? '', credits: count })}
        onClose={() => setAsked(null)}
        onDone={() => setRetrieved((times) => times + 1)}
      >
        {(count) => <Consequence client={client} count={count} />}
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
  if (expired) return 'Nothing is left of an expired client'
  if (retrievable === 0) return 'There is nothing to retrieve'
  const up = `Up to ${inCredits(retrievable)} can be retrieved`
  return retrievable > MOST_MONTHS ? `${up}, ${MOST_MONTHS} at a time` : up
}

/** Shows the expiry and the dealer's balance after the retrieval. */
function Consequence({ client, count }: { client: ClientDetail | undefined; count: number }) {
  const { credits: balance } = useBalance()
  const expiry = client?.retrievals[count - 1]
  return (
    <p>
      The newest paid months of {client?.name} are taken back.
      {client && expiry !== undefined && (
        <>
          {' '}
          Its service ends on{' '}
          <strong>
            <OnDay iso={expiry} />
          </strong>{' '}
          instead of <OnDay iso={client.expiry} />.
        </>
      )}
      {count === client?.trial_retrieval && (
        <> That leaves today only, and counts as one of today’s trials.</>
      )}
      {balance != null && <> Your balance becomes {inCredits(balance + count)}.</>}
    </p>
  )
}

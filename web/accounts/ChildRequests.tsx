import { useMemo, useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { useCall } from '../calls/useCall.ts'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { TableCard } from '../TableCard.tsx'
import { childRequests } from '../tables/requests.tsx'
import type { Answering } from './AnswerRequest.tsx'
import { EndedRequests } from './EndedRequests.tsx'

/** The open requests of the caller's children, each to be granted or declined. */
export function ChildRequests() {
  const loaded = useCall(calls.requests.list, {})
  const [asked, setAsked] = useState<{ id: number; how: Answering['how'] } | null>(null)
  const table = useMemo(
    () =>
      childRequests({
        grant: ({ id }) => setAsked({ id, how: 'grant' }),
        decline: ({ id }) => setAsked({ id, how: 'decline' }),
      }),
    [],
  )
  // The child's balance may change while it is answered.
  const request = loaded.data?.data.find(({ id }) => id === asked?.id)
  const answering = asked && request ? { request, how: asked.how } : null
  return (
    <>
      <TableCard label="Requests from Below" table={table} loaded={{ ...loaded, data: loaded.data?.data }}>
        <Later part={dialog} given={{ open: asked !== null, answering, onClose: () => setAsked(null) }} />
      </TableCard>
      <EndedRequests ended={loaded.data?.ended ?? []} />
    </>
  )
}

const dialog = chunk(async () => (await import('./AnswerRequest.tsx')).AnswerRequest)

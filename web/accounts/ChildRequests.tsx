import { useMemo, useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { useCall } from '../queries.ts'
import { TableCard } from '../TableCard.tsx'
import { childRequests } from '../tables/requests.tsx'
import type { Answering } from './AnswerRequest.tsx'
import { EndedRequests } from './EndedRequests.tsx'

/** The open requests of the caller's children, each to be granted or declined. */
export function ChildRequests() {
  const loaded = useCall(calls.requests.list, {})
  const [answering, setAnswering] = useState<Answering | null>(null)
  const table = useMemo(
    () =>
      childRequests({
        grant: (request) => setAnswering({ request, how: 'grant' }),
        decline: (request) => setAnswering({ request, how: 'decline' }),
      }),
    [],
  )
  return (
    <>
      <TableCard label="Requests from Below" table={table} loaded={{ ...loaded, data: loaded.data?.data }}>
        <Later
          part={dialog}
          given={{ open: answering !== null, answering, onClose: () => setAnswering(null) }}
        />
      </TableCard>
      <EndedRequests ended={loaded.data?.ended ?? []} />
    </>
  )
}

const dialog = chunk(async () => (await import('./AnswerRequest.tsx')).AnswerRequest)

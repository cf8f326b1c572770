import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { loadAgain } from '../calls/cache.ts'
import { useCall } from '../calls/useCall.ts'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { TableCard } from '../TableCard.tsx'
import { childRequests } from '../tables/requests.tsx'
import type { Answering } from './AnswerRequest.tsx'
import { EndedRequests } from './EndedRequests.tsx'

/** The open requests of the caller's children, each to be granted or declined. */
export function ChildRequests() {
  // Somebody may ask while the page stays open.
  const loaded = useCall(calls.requests.list, {}, { every: MINUTE_MS })
  const cache = useQueryClient()
  const [asked, setAsked] = useState<{ id: number; how: Answering['how'] } | null>(null)
  const table = useMemo(
    () =>
      childRequests({
        grant: ({ id }) => {
          // The question shows what the account has at this moment.
          loadAgain(cache, [calls.requests.list])
          setAsked({ id, how: 'grant' })
        },
        decline: ({ id }) => setAsked({ id, how: 'decline' }),
      }),
    [cache],
  )
  // The child's balance may change while it is answered.
  const request = loaded.data?.data.find(({ id }) => id === asked?.id)
  const answering = asked && request ? { request, how: asked.how } : null
  return (
    <>
      <TableCard label="Requests from Below" table={table} rows={loaded.data?.data} loaded={loaded}>
        <Later part={dialog} given={{ open: asked !== null, answering, onClose: () => setAsked(null) }} />
      </TableCard>
      <EndedRequests ended={loaded.data?.ended ?? []} />
    </>
  )
}

const dialog = chunk(async () => (await import('./AnswerRequest.tsx')).AnswerRequest)

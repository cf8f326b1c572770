import { inCredits } from '../../contract/quantities.ts'
import type { EndedRequest } from '../../contract/requests.ts'
import { At } from '../moments.tsx'
import { Card } from '../parts/Card.tsx'

/** Says which requests of children ended because the child was moved away or closed. */
export function EndedRequests({ ended }: { ended: readonly EndedRequest[] }) {
  if (ended.length === 0) return null
  return (
    <Card title="Ended Requests">
      {ended.map(({ id, answered, name, credits, state }) => (
        <p key={id}>
          <At iso={answered} />: the request of {name} for {inCredits(credits)} was{' '}
          {state === 'declined' ? 'declined, as it was closed' : 'withdrawn, as it was moved'}.
        </p>
      ))}
    </Card>
  )
}

import { useMemo, useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { OwnSession } from '../../contract/shapes.ts'
import { useCall } from '../calls/useCall.ts'
import { At } from '../moments.tsx'
import { PageHead } from '../PageHead.tsx'
import { Stack } from '../parts/Stack.tsx'
import { Question } from '../Question.tsx'
import { TableCard } from '../TableCard.tsx'
import { sessions, signIns } from '../tables/signIns.tsx'
import { browserOf } from '../userAgent.ts'

/** The caller's sessions, which can be ended one by one, and the last sign-ins and failures. */
export function SignIns() {
  const own = useCall(calls.session.list, {})
  const last = useCall(calls.session.signIns, {})
  const [ending, setEnding] = useState<OwnSession | null>(null)
  const table = useMemo(() => sessions({ end: setEnding }), [])
  return (
    <>
      <PageHead title="Sign-ins" />
      <Stack>
        <TableCard label="Your Sessions" name="sessions" table={table} rows={own.data?.data} loaded={own}>
          <Question
            about={ending}
            title="End this session?"
            yes="End session"
            call={calls.session.end}
            input={({ id }) => ({ id })}
            onClose={() => setEnding(null)}
          >
            {({ agent, address, since }) => (
              <>
                {browserOf(agent)} from {address ?? 'an unknown address'}, signed in at <At iso={since} />, is
                signed out at once.
              </>
            )}
          </Question>
        </TableCard>
        <TableCard
          label="Last Sign-ins and Failures"
          name="last"
          table={signIns}
          rows={last.data?.data}
          loaded={last}
        />
      </Stack>
    </>
  )
}

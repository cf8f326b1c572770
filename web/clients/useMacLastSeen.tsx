import type { ReactNode } from 'react'
import { calls } from '../../contract/calls.ts'
import { Mac } from '../../contract/clients.ts'
import { useCall } from '../calls/useCall.ts'
import { useNow } from '../clock.ts'
import { timeAgo } from '../parts/time.ts'
import { zone } from '../zone.ts'

/** How often it is asked again: the box may be switched on while its MAC is typed. */
const EVERY_MS = 10_000

/** Returns when the box of a typed MAC asked last, in a sentence; undefined until the MAC is whole. */
export function useMacLastSeen(typed: unknown): ReactNode {
  const now = useNow()
  const mac = Mac.safeParse(typed).data
  const { data } = useCall(
    calls.clients.macLastSeen,
    { mac: mac ?? '' },
    { enabled: mac !== undefined, every: EVERY_MS },
  )
  if (!data) return undefined
  if (data.asked === null) return 'No box with this MAC has asked'
  // It changes each minute, which is not to be announced each time.
  return <span aria-live="off">This box asked {timeAgo(data.asked, zone(), now)}</span>
}

import { type ReactNode, useEffect, useState } from 'react'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { counted } from '../../contract/quantities.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { ErrorState } from '../parts/ErrorState.tsx'
import type { Sending } from '../parts/form/Form.tsx'
import { Toggle } from '../parts/form/Toggle.tsx'
import { number } from '../parts/number.ts'
import { UnderWay } from '../parts/Progress.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { useHeld } from '../parts/useHeld.ts'
import { type Act, type ChosenState, type Sorted, sortFor } from './chosenAct.ts'
import { Gone, missingOf } from './Gone.tsx'
import { Warning } from './Warning.tsx'

/** What the dialogs of acts on many clients share. */
export interface ActProps<A extends Act = Act> {
  act: A
  open: boolean
  /** The logins of the selected clients. */
  chosen: readonly string[]
  onClose: () => void
  onDone: ((names: readonly string[]) => void) | undefined
  onGone: ((names: readonly string[]) => void) | undefined
}

/**
 * Loads the selected clients as the server sees them, and makes the call of an act for those of them to which it can be
 * done. Where some are left out, the person has to agree, at each opening anew. After a refusal the clients are loaded
 * again.
 */
export function useAct<C extends Call>(call: C, { act, open, chosen, onClose, onDone }: ActProps) {
  const [agreed, setAgreed] = useState(false)
  const sending = useSubmit(call, {
    onDone: () => {
      onDone?.(names)
      onClose()
    },
  })
  const { unanswered, reset } = sending
  useEffect(() => {
    if (!open) return
    setAgreed(false)
    reset()
  }, [open, reset])
  // Not loaded again while the call runs, its answer is lost or the dialog closes: clients that are already changed
  // would then count as left out or gone.
  const isHeld = sending.loading || unanswered || !open
  const clients = useHeld(useStates(chosen, !isHeld), isHeld)
  const { acted, leftOut } = sortFor(act, clients.data ?? [])
  const names = acted.map(({ name }) => name)
  const blocked = !clients.data || acted.length === 0 || (leftOut.length > 0 && !agreed)
  return { ...clients, acted, names, leftOut, agreed, setAgreed, sending, blocked }
}

function useStates(chosen: readonly string[], enabled: boolean): States {
  const loaded = useCall(calls.clients.multiquote, { clients: [...chosen] }, { enabled })
  const { isFetching, error, refetch: again } = loaded
  const isNobodyThere = error?.code === 'not_found'
  const data = isFetching ? undefined : isNobodyThere ? NO_STATES : loaded.data?.data
  const fault = isFetching || isNobodyThere ? undefined : error?.message
  return { data, gone: missingOf(chosen, data), fault, again }
}

interface States {
  /** The selected clients as they are; undefined while they load. */
  data: readonly ChosenState[] | undefined
  /** Those that were selected and are not there any more. */
  gone: readonly string[]
  /** Why they could not be loaded. */
  fault: string | undefined
  again: () => unknown
}

const NO_STATES: readonly ChosenState[] = []

/** An act as its dialog shows it. From the call on, the clients stay as they were before it. */
interface ShownAct extends Pick<Sorted, 'acted' | 'leftOut'>, States {
  /** Whether the person agrees that some are left out. */
  agreed: boolean
  setAgreed: (agreed: boolean) => void
  sending: Sending
}

interface ActContentProps extends Pick<ActProps, 'act' | 'onGone'> {
  does: ShownAct
  /** What is under way while the call runs, such as 'Deleting'. */
  doing: string
  children: ReactNode
}

/** Shows what an act will do once the clients have loaded, whom it leaves out, and that it is under way. */
export function ActContent({ act, onGone, does, doing, children }: ActContentProps) {
  const { data, gone, fault, again, acted, leftOut, agreed, setAgreed, sending } = does
  if (fault !== undefined && !data) return <ErrorState message={fault} onRetry={again} />
  if (!data) {
    return (
      <p aria-busy>
        <Skeleton width="80%" />
      </p>
    )
  }
  return (
    <>
      {data.length > 0 && children}
      {acted.length > 0 && (
        <LeftOut
          some={leftOut}
          why={act === 'delete' ? 'not expired' : 'expired'}
          agreed={agreed}
          onAgree={setAgreed}
          busy={sending.loading}
        />
      )}
      <Gone names={gone} done="deleted or moved" onGone={onGone} />
      <UnderWay loading={sending.loading} what={`${doing} ${counted(acted.length, 'client')}`} />
    </>
  )
}

interface LeftOutProps {
  some: readonly ChosenState[]
  /** What keeps them from being changed: 'expired', 'not expired'. */
  why: string
  agreed: boolean
  onAgree: (agreed: boolean) => void
  busy: boolean
}

/** Names the clients to which it cannot be done, and asks for a tick that leaves them out. */
function LeftOut({ some, why, agreed, onAgree, busy }: LeftOutProps) {
  if (some.length === 0) return null
  return (
    <Warning style={{ marginTop: 12 }}>
      <p>
        {`${counted(some.length, 'client')} ${some.length === 1 ? 'has' : 'have'} ${why}: `}
        <span className="identifier">{some.map(({ name }) => name).join(', ')}</span>
      </p>
      <Toggle
        kind="box"
        label={some.length === 1 ? 'Leave it out' : `Leave these ${number(some.length)} out`}
        checked={agreed}
        disabled={busy}
        onChange={onAgree}
      />
    </Warning>
  )
}

import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import { ErrorState } from '../parts/ErrorState.tsx'
import { Toggle } from '../parts/form/Toggle.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import type { Submit } from '../queries.ts'
import { inClients } from '../words.ts'
import type { State } from './chosenAct.ts'

/** What the dialogs of acts on many clients share. */
export interface OneAct {
  open: boolean
  /** The selected clients as they are; undefined while they load. */
  data: readonly State[] | undefined
  /** Why they could not be loaded. */
  fault: string | undefined
  again: () => unknown
  onClose: () => void
  onDone: (names: readonly string[]) => void
}

type Ends = Pick<OneAct, 'again' | 'onClose' | 'onDone'> & Pick<Submit<never>, 'submitError' | 'reset'>

/** How the dialog ends: with those to which it was done, or given up. A refusal loads the clients again. */
export function useEnd({ submitError, reset, again, onClose, onDone }: Ends) {
  useEffect(() => {
    if (submitError) again()
  }, [submitError, again])
  return {
    end(names: readonly string[]) {
      onDone(names)
      onClose()
    },
    close() {
      reset()
      onClose()
    },
  }
}

/** Whether the person agreed that some are left out. Each opening asks again. */
export function useAgreement(open: boolean) {
  const [agreed, setAgreed] = useState(false)
  useEffect(() => {
    if (open) setAgreed(false)
  }, [open])
  return [agreed, setAgreed] as const
}

interface LeftOutProps {
  some: readonly State[]
  /** What keeps them from being changed: 'expired', 'not expired'. */
  why: string
  agreed: boolean
  onAgree: (agreed: boolean) => void
  busy: boolean
}

/** Names the clients to which it cannot be done, and asks for a tick that leaves them out. */
export function LeftOut({ some, why, agreed, onAgree, busy }: LeftOutProps) {
  if (some.length === 0) return null
  return (
    <Left>
      <p>
        {`${inClients(some.length)} ${some.length === 1 ? 'has' : 'have'} ${why}: `}
        <span className="identifier">{some.map(({ name }) => name).join(', ')}</span>
      </p>
      <Toggle
        kind="box"
        label={some.length === 1 ? 'Leave it out' : `Leave these ${some.length.toLocaleString('en-US')} out`}
        checked={agreed}
        disabled={busy}
        onChange={onAgree}
      />
    </Left>
  )
}

export function Content({
  data,
  fault,
  again,
  children,
}: Pick<OneAct, 'data' | 'fault' | 'again'> & { children: React.ReactNode }) {
  if (fault !== undefined && !data) return <ErrorState message={fault} onRetry={again} />
  if (!data) {
    return (
      <p aria-busy>
        <Skeleton width="80%" />
      </p>
    )
  }
  return children
}

const Left = styled('div')(({ theme }) => ({
  marginTop: 12,
  padding: '8px 16px',
  borderRadius: 8,
  color: theme.palette.tones.warn.text,
  background: theme.palette.tones.warn.fill,
  '& p': { maxHeight: 120, overflowY: 'auto' },
}))

import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { inCredits, shortage } from '../../contract/quantities.ts'
import { Skeleton } from '../parts/Skeleton.tsx'
import { AskForMore } from './AskForMore.tsx'

interface SumsProps {
  /** What the purchase costs, and what the dealer has; both are missing until they are known. */
  cost: number | undefined
  balance: number | null | undefined
}

/** The cost of a purchase, and the balance before and after it. */
export function Sums({ cost, balance }: SumsProps) {
  const isShort = cost !== undefined && balance != null && cost > balance
  return (
    <Rows>
      <div>
        <dt>Cost</dt>
        <dd>{cost === undefined ? WAITING : inCredits(cost)}</dd>
      </div>
      <div>
        <dt>Balance</dt>
        <dd>{balance == null ? WAITING : inCredits(balance)}</dd>
      </div>
      <div data-short={isShort}>
        <dt>Balance after</dt>
        <dd>{after(cost, balance) ?? WAITING}</dd>
      </div>
    </Rows>
  )
}

const WAITING = <Skeleton width={64} />

function after(cost: number | undefined, balance: number | null | undefined): ReactNode {
  if (cost === undefined || balance == null) return undefined
  if (cost <= balance) return inCredits(balance - cost)
  return (
    <>
      {shortage(balance, cost)} <AskForMore />
    </>
  )
}

/** The style of a line with a label at its start and a value at its end. */
export const inALine = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: '0 16px',
  minHeight: 32,
} as const

/** Labels and values, a line each. */
export const Rows = styled('dl')(({ theme }) => ({
  '& > div': inALine,
  '& dt': { color: theme.palette.text.secondary },
  '& dd': { fontWeight: 600, fontVariantNumeric: 'tabular-nums', textAlign: 'right' },
  '& .moment': { fontWeight: 400 },
  '& strong .moment': { fontWeight: 600 },
  '& [data-short=true] dd': { color: theme.palette.tones.bad.text },
}))

/** The frame around what a dialog has calculated. */
export const Calculation = styled('div')(({ theme }) => ({
  padding: '4px 16px',
  borderRadius: 8,
  background: theme.palette.background.default,
  '&[role=alert]': { padding: 16, color: theme.palette.tones.bad.text },
  '& strong': { fontWeight: 600 },
  '& p': { padding: '4px 0 8px' },
}))

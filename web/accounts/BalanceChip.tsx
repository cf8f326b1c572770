import { inCredits } from '../../contract/quantities.ts'
import { Chip } from '../parts/Chip.tsx'
import { balanceTone } from '../tables/balance.ts'

/** Shows a balance, coloured by how much is left, and whether it is low. */
export function BalanceChip({ credits, low }: { credits: number; low?: boolean | undefined }) {
  return <Chip tone={balanceTone(credits)}>{low ? `${inCredits(credits)}, low` : inCredits(credits)}</Chip>
}

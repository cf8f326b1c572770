import { BalanceChip } from '../accounts/BalanceChip.tsx'
import { Chip } from '../parts/Chip.tsx'
import { useBalance } from '../queries.ts'

/** Shows the caller's balance as a chip, coloured by how much is left. */
export function CreditsChip() {
  const { credits, low } = useBalance()
  if (credits === null) return <Chip tone="plain">Unlimited</Chip>
  if (credits === undefined) return null
  return <BalanceChip credits={credits} low={low} />
}

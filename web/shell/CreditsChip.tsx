import { MINUTE_MS } from '../../contract/time.ts'
import { BalanceChip } from '../accounts/BalanceChip.tsx'
import { useBalance } from '../calls/useBalance.ts'
import { Chip } from '../parts/Chip.tsx'

/** Shows the caller's balance as a chip, coloured by how much is left. */
export function CreditsChip() {
  // Its parent may have added some while the page stays open.
  const { credits, low } = useBalance({ every: MINUTE_MS })
  if (credits === null) return <Chip tone="plain">Unlimited</Chip>
  if (credits === undefined) return null
  return <BalanceChip credits={credits} low={low} />
}

import { inCredits } from '../../contract/words.ts'
import { Chip } from '../parts/Chip.tsx'
import { useBalance } from '../queries.ts'
import { balanceTone } from '../tables/balance.ts'

/** Shows the caller's balance as a chip, coloured by how much is left. */
export function CreditsChip() {
  const { credits, low } = useBalance()
  if (credits === null) return <Chip tone="plain">Unlimited</Chip>
  if (credits === undefined) return null
  return <Chip tone={balanceTone(credits)}>{low ? `${inCredits(credits)}, low` : inCredits(credits)}</Chip>
}

import { balanceTone } from '../../contract/credits.ts'
import { Chip } from '../parts/Chip.tsx'
import { useCredits } from '../queries.ts'
import { balanceTones } from '../tables/columns.tsx'

/** The caller's balance in a word, in the colour of its height. */
export function CreditsChip() {
  const credits = useCredits()
  if (credits === null) return <Chip tone="plain">Unlimited</Chip>
  if (credits === undefined) return null
  const amount = credits.toLocaleString('en-US')
  return (
    <Chip tone={balanceTones[balanceTone(credits)]}>{credits === 1 ? '1 credit' : `${amount} credits`}</Chip>
  )
}

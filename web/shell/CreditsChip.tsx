import { credits as inWords } from '../../contract/words.ts'
import { balanceTone } from '../accounts/balance.ts'
import { Chip } from '../parts/Chip.tsx'
import { useCredits } from '../queries.ts'

/** The caller's balance in a word, in the colour of its height. */
export function CreditsChip() {
  const credits = useCredits()
  if (credits === null) return <Chip tone="plain">Unlimited</Chip>
  if (credits === undefined) return null
  return <Chip tone={balanceTone(credits)}>{inWords(credits)}</Chip>
}

import { Coins } from 'lucide-react'
import { balanceTone } from '../../contract/credits.ts'
import { Tile } from '../parts/Tile.tsx'
import { useCredits } from '../queries.ts'
import { balanceTones } from '../tables/columns.tsx'

/** The caller's balance, in the colour of its height. */
export function BalanceTile() {
  const credits = useCredits()
  return (
    <Tile
      label="Credits Remaining"
      value={credits?.toLocaleString('en-US') ?? '–'}
      tone={credits == null ? undefined : balanceTones[balanceTone(credits)]}
      icon={<Coins aria-hidden size={18} />}
      loading={credits === undefined}
    />
  )
}

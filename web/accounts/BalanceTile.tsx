import { Coins } from 'lucide-react'
import { Tile } from '../parts/Tile.tsx'
import { useBalance } from '../queries.ts'
import { balanceTone } from './balance.ts'

/** The caller's balance, in the colour of its height. */
export function BalanceTile() {
  const { credits, loading } = useBalance()
  return (
    <Tile
      label="Credits Remaining"
      value={credits?.toLocaleString('en-US') ?? '–'}
      tone={credits == null ? undefined : balanceTone(credits)}
      icon={<Coins aria-hidden size={18} />}
      loading={loading}
    />
  )
}

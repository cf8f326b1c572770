import { Coins } from 'lucide-react'
import { useBalance } from '../calls/useBalance.ts'
import { Tile } from '../parts/Tile.tsx'
import { to } from '../screens.ts'
import { balanceTone } from '../tables/balance.ts'

/** Shows the caller's balance, coloured by how much is left, and whether it is low. */
export function BalanceTile() {
  const { credits, low, loading } = useBalance()
  return (
    <Tile
      label="Credits Remaining"
      value={credits}
      beside={low ? 'low' : undefined}
      tone={credits == null ? undefined : balanceTone(credits)}
      to={to.transactions()}
      icon={<Coins aria-hidden size={18} />}
      loading={loading}
    />
  )
}

import { styled } from '@mui/material/styles'
import { Way } from '../parts/Way.tsx'
import { to } from '../screens.ts'

/** Says that a table has the newest 1,000 transactions only, and leads to all of them. */
export function OfNewest({ account }: { account?: string }) {
  return (
    <Quiet>
      of the newest 1,000: <Way to={to.transactions(account ? { account } : {})}>all</Way>
    </Quiet>
  )
}

const Quiet = styled('span')(({ theme }) => ({ color: theme.palette.text.secondary }))

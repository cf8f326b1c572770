import { styled } from '@mui/material/styles'
import { LEVELS } from '../../contract/levels.ts'
import { countedOf } from '../../contract/quantities.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { At } from '../moments.tsx'
import { Card } from '../parts/Card.tsx'
import { Fact, FactList } from '../parts/FactList.tsx'
import { number } from '../parts/number.ts'
import { Awaited } from '../parts/Stack.tsx'
import { TouchLink } from '../parts/TouchLink.tsx'
import { to } from '../screens.ts'
import { useSession } from '../session.tsx'
import { BalanceChip } from './BalanceChip.tsx'

/** What those above see of an account, and the ways to its transactions and, for its parent, to its credits. */
export function AccountFacts({ account }: { account: AccountBeneath | undefined }) {
  const { role } = useSession()
  if (!account) return WAITING
  const { name, credits, low, beneath, last_login, created, closed } = account
  const accounts = countedOf({ reseller: beneath.resellers, dealer: beneath.dealers })
  return (
    <Card title="Account">
      <FactList>
        <Fact label="Credits">
          <BalanceChip credits={credits} low={low} />
        </Fact>
        {account.role !== 'dealer' && <Fact label="Beneath">{accounts.join(', ') || 'No accounts'}</Fact>}
        <Fact label="Clients">
          {number(beneath.clients)}, {number(beneath.served)} of them served
        </Fact>
        {/* Sign-ins are deleted after KEEP_DAYS: who has none may still have signed in before. */}
        <Fact label="Last login">{last_login ? <At iso={last_login} /> : 'None on record'}</Fact>
        <Fact label="Created">
          <At iso={created} />
        </Fact>
        {closed && (
          <Fact label="Closed">
            <At iso={closed} />
          </Fact>
        )}
      </FactList>
      <Ways>
        <TouchLink to={to.transactions({ account: name })}>Transactions</TouchLink>
        {LEVELS[account.role].owner === role && !closed && (
          <TouchLink to={to.level[account.role].update(name)}>Credits and password</TouchLink>
        )}
      </Ways>
    </Card>
  )
}

const WAITING = (
  <Card title="Account">
    <Awaited height={40} />
  </Card>
)

const Ways = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 24, marginTop: 16 })

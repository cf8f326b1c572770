import { Navigate, useParams } from 'react-router'
import { calls } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { Access } from '../accounts/Access.tsx'
import { AccountHistory } from '../accounts/AccountHistory.tsx'
import { ChildLowBalance } from '../accounts/ChildLowBalance.tsx'
import { MoveOrClose } from '../accounts/MoveOrClose.tsx'
import { PasswordCard } from '../accounts/PasswordCard.tsx'
import { SuperresellerStatistics } from '../accounts/SuperresellerStatistics.tsx'
import { UpdateCredits } from '../accounts/UpdateCredits.tsx'
import { useCall } from '../calls/useCall.ts'
import { levels } from '../levels.ts'
import { MaybeThere } from '../MaybeThere.tsx'
import { PageHead } from '../PageHead.tsx'
import { Pair, Stack } from '../parts/Stack.tsx'
import { to } from '../screens.ts'

/** Shows one account: its credits, password and transactions, and its statistics where the level has them. */
export function UpdateAccount({ level: levelName }: { level: LevelName }) {
  const level = levels[levelName]
  const { name = '' } = useParams()
  const account = useCall(calls.level[levelName].detail, { name })
  // One account has one address, by which its drafts and what was sent for it are known.
  if (account.data && account.data.name !== name)
    return <Navigate to={to.level[levelName].update(account.data.name)} replace />
  return (
    <>
      <PageHead title={`Update ${level.title}: ${name}`} tab={name} />
      <MaybeThere
        key={name}
        loaded={account}
        none={`There is no ${level.inSentence} of this name`}
        others={{ path: to.level[levelName].list(), label: `Show all ${level.plural.toLowerCase()}` }}
      >
        <Stack>
          <Pair>
            <UpdateCredits level={level} name={name} account={account.data} />
            <PasswordCard name={name} call={calls.level[levelName].changePassword} />
          </Pair>
          <AccountHistory level={levelName} name={name} />
          {level.hasStatistics && <SuperresellerStatistics name={name} />}
          <Pair>
            <Access name={name} />
            <ChildLowBalance name={name} />
            <MoveOrClose name={name} />
          </Pair>
        </Stack>
      </MaybeThere>
    </>
  )
}

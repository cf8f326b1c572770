import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { SearchX } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { calls } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { AccountHistory } from '../accounts/AccountHistory.tsx'
import { ChangePassword } from '../accounts/ChangePassword.tsx'
import { Growth } from '../accounts/Growth.tsx'
import { UpdateCredits } from '../accounts/UpdateCredits.tsx'
import { levels } from '../levels.ts'
import { Card } from '../parts/Card.tsx'
import { EmptyState, ErrorState } from '../parts/ErrorState.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Stack } from '../parts/Stack.tsx'
import { useCall } from '../queries.ts'
import { to } from '../screens.ts'

/** One account of a level: its credits, its password, its history, and how it grew where that is kept. */
export function UpdateAccount({ level: levelName }: { level: LevelName }) {
  const level = levels[levelName]
  const { name = '' } = useParams()
  const { data, error, refetch } = useCall(calls.level[levelName].detail, { name })
  return (
    <>
      <title>{`${name} · Boxtree`}</title>
      <PageTitle>
        Update {level.title}: {name}
      </PageTitle>
      {error && !data ? (
        <Card>
          {error.code === 'not_found' ? (
            <EmptyState
              icon={<SearchX aria-hidden size={32} strokeWidth={1.25} />}
              text={`There is no ${level.inSentence} of this name`}
              action={
                <Button variant="outlined" component={Link} to={to.level[levelName].list()}>
                  Show all {level.plural.toLowerCase()}
                </Button>
              }
            />
          ) : (
            <ErrorState message={error.message} onRetry={refetch} />
          )}
        </Card>
      ) : (
        <Stack>
          <Pair>
            <UpdateCredits level={level} name={name} account={data} />
            <ChangePassword level={levelName} name={name} />
          </Pair>
          <AccountHistory level={levelName} name={name} />
          {level.hasStatistics && <Growth name={name} />}
        </Stack>
      )}
    </>
  )
}

const Pair = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 320px), 1fr))',
  gap: 24,
})

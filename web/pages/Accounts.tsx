import { styled } from '@mui/material/styles'
import { useMemo } from 'react'
import { calls } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import type { TreeRow } from '../../contract/tree.ts'
import { AddAccountButton } from '../accounts/AddAccountButton.tsx'
import { useCall } from '../calls/useCall.ts'
import { now } from '../clock.ts'
import { levels } from '../levels.ts'
import { At } from '../moments.tsx'
import { PageHead } from '../PageHead.tsx'
import { number } from '../parts/number.ts'
import { Skeleton } from '../parts/Skeleton.tsx'
import { TableCard } from '../TableCard.tsx'
import { type Account, accounts, type Listed } from '../tables/accounts.tsx'

/** The accounts of one level, as the account above them sees them. */
export function Accounts({ level: name }: { level: LevelName }) {
  const level = levels[name]
  const { data, isFetching, error, refetch } = useCall(calls.level[name].list, {})
  const tree = useCall(calls.tree.list, {})
  const rows = useMemo(() => joined(data?.data, tree.data?.data), [data, tree.data])
  const total = data && ('totalClients' in data ? data.totalClients : data.count)
  const add = <AddAccountButton level={level} />
  return (
    <>
      <PageHead title={level.plural} action={add} />
      <Facts>
        <div>
          <dt>{level.totalLabel}</dt>
          <dd>{total !== undefined ? number(total) : error ? '–' : <Skeleton width="4ch" />}</dd>
        </div>
        <div>
          <dt>Date</dt>
          {error && !data ? (
            <dd>–</dd>
          ) : (
            <dd style={{ visibility: data ? undefined : 'hidden' }}>
              <At iso={data?.onDate ?? now().toISOString()} />
            </dd>
          )}
        </div>
      </Facts>
      <TableCard<Account>
        label={level.plural}
        noHeading
        table={accounts[name]}
        rows={rows}
        loaded={{
          isFetching: isFetching || tree.isFetching,
          error: error ?? tree.error,
          refetch: () => Promise.all([refetch(), tree.refetch()]),
        }}
        emptyAction={add}
      />
    </>
  )
}

/** Adds to each account of the list what the tree says of it. Both are loaded whole, one beside the other. */
function joined(
  accounts: readonly Listed[] | undefined,
  tree: readonly TreeRow[] | undefined,
): readonly Account[] | undefined {
  if (!accounts || !tree) return undefined
  const byName = new Map(tree.map((row) => [row.name, row]))
  return accounts.flatMap((account) => {
    const row = byName.get(account.name)
    // An account that came between the two calls is there after the next.
    return row ? [{ ...row, ...account }] : []
  })
}

const Facts = styled('dl')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '4px 24px',
  marginBottom: 16,
  fontVariantNumeric: 'tabular-nums',
  '& > div': { display: 'flex', flexWrap: 'wrap', columnGap: 8 },
  '& dt': { color: theme.palette.text.secondary },
  // Reserves the width of the number, so that nothing moves when it loads.
  '& dd': { fontWeight: 600, minWidth: '5ch' },
}))

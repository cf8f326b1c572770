import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import { Navigate, useParams, useSearchParams } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { Access } from '../accounts/Access.tsx'
import { AccountFacts } from '../accounts/AccountFacts.tsx'
import { AddAccountButton } from '../accounts/AddAccountButton.tsx'
import { ChildLowBalance } from '../accounts/ChildLowBalance.tsx'
import { MoveOrClose } from '../accounts/MoveOrClose.tsx'
import { PasswordCard } from '../accounts/PasswordCard.tsx'
import { useCall } from '../calls/useCall.ts'
import { type Level, levelBeneath, levels, manages } from '../levels.ts'
import { MaybeThere } from '../MaybeThere.tsx'
import { PageHead } from '../PageHead.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { Toggle } from '../parts/form/Toggle.tsx'
import { Pair, Stack } from '../parts/Stack.tsx'
import { TouchLink } from '../parts/TouchLink.tsx'
import { useNewestParams } from '../parts/useNewestParams.ts'
import { to } from '../screens.ts'
import { useSession } from '../session.tsx'
import { TableCard } from '../TableCard.tsx'
import { treeRows } from '../tables/tree.tsx'

/** The accounts beneath the caller, level by level. */
export function Tree() {
  const { name } = useParams()
  const { name: own } = useSession()
  if (name?.toLowerCase() === own.toLowerCase()) return <Navigate to={to.tree()} replace />
  // Another account is another page, with its own forms and its own state of the table.
  return name === undefined ? <Top /> : <Branch key={name} name={name} />
}

function Top() {
  const { role } = useSession()
  const beneath = levelBeneath(role)
  return (
    <>
      <PageHead title="Tree" />
      {beneath && <Beneath level={beneath} />}
    </>
  )
}

/** One account, however deep, and the accounts one level beneath it. */
function Branch({ name }: { name: string }) {
  const { role } = useSession()
  const account = useCall(calls.tree.account, { name })
  const { data } = account
  // One account has one address, by which its drafts and what was sent for it are known.
  if (data && data.name !== name) return <Navigate to={to.branch(data.name)} replace />
  const mayManage = data !== undefined && manages(role, data)
  const beneath = data && levelBeneath(data.role)
  return (
    <>
      <Path aria-label="Path">
        <TouchLink to={to.tree()}>Tree</TouchLink>
        {data?.path.map((above) => (
          <TouchLink key={above} to={to.branch(above)}>
            <Ellipsis text={above} />
          </TouchLink>
        ))}
      </Path>
      <PageHead title={data ? `${levels[data.role].title}: ${data.name}` : name} tab={name} />
      <MaybeThere
        loaded={account}
        none="There is no account of this name beneath you"
        others={{ path: to.tree(), label: 'Show the tree' }}
      >
        <Stack>
          <AccountFacts account={data} />
          {!data?.closed && (
            <Pair>
              <Access name={name} />
              {mayManage && <ChildLowBalance name={name} />}
              {role === 'admin' && <PasswordCard name={name} call={calls.tree.password} />}
              <MoveOrClose name={name} />
            </Pair>
          )}
          {beneath && <Beneath level={beneath} of={name} />}
        </Stack>
      </MaybeThere>
    </>
  )
}

function Beneath({ level, of }: { level: Level; of?: string }) {
  const [address, setAddress] = useSearchParams()
  const newest = useNewestParams()
  const kept = address.get('show') === 'closed'
  // The switch turns at once, and the address follows; by a link the address comes first.
  const [closed, setClosed] = useState(kept)
  useEffect(() => setClosed(kept), [kept])
  const show = closed ? 'closed' : 'open'
  const loaded = useCall(calls.tree.list, { ...(of !== undefined && { of }), show }, { keep: true })
  const showClosed = (closed: boolean) => {
    setClosed(closed)
    const query = newest()
    query.delete('show')
    if (closed) query.set('show', 'closed')
    setAddress(query, { replace: true })
  }
  return (
    <TableCard
      label={level.plural}
      table={treeRows[level.role]}
      rows={loaded.data?.data}
      loaded={loaded}
      tools={<Toggle label="Closed ones" checked={closed} onChange={showClosed} />}
      // To another account only its owner adds.
      emptyAction={of === undefined && !closed && <AddAccountButton level={level} />}
    />
  )
}

/** In one line, so that the title stays in its place when the names come. */
const Path = styled('nav')(({ theme }) => ({
  display: 'flex',
  gap: 8,
  alignItems: 'center',
  '& a': { justifyContent: 'start' },
  '& a:first-of-type': { flex: 'none' },
  '& a:not(:last-of-type)::after': { content: '"/"', marginLeft: 8, color: theme.palette.text.secondary },
}))

import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { MOST_CHOSEN } from '../../contract/clients.ts'
import { counted } from '../../contract/quantities.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { ApiError } from '../calls/api.ts'
import { loadAgain } from '../calls/cache.ts'
import { clientsMoved } from '../calls/notices.ts'
import { forgetGivenUp, submitOnce } from '../calls/submits.ts'
import { useBatches } from '../calls/useBatches.tsx'
import { useCall } from '../calls/useCall.ts'
import { OnDay } from '../moments.tsx'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { Toggle } from '../parts/form/Toggle.tsx'
import { useEndOfError } from '../parts/form/useEndOfError.ts'
import { Loaded } from '../parts/Loaded.tsx'
import { NOT_TWICE } from '../parts/notTwice.ts'
import { number } from '../parts/number.ts'
import { Skeleton } from '../parts/Skeleton.tsx'
import { SearchBox } from '../parts/table/SearchBox.tsx'
import { useTyped } from '../parts/table/useTyped.ts'
import { useSession } from '../session.tsx'
import { holdsClients } from './held.ts'
import { MoveTo, warningOf } from './MoveTo.tsx'

interface MoveClientsProps {
  open: boolean
  /** The dealer; undefined while it is loading. The dialog opens only after that. */
  account: AccountBeneath | undefined
  /** When that was loaded, in milliseconds since 1970. */
  loadedAt: number
  onClose: () => void
}

/** Moves all clients of a dealer to another one, or chosen ones. */
export function MoveClients({ open, account, loadedAt, onClose }: MoveClientsProps) {
  const cache = useQueryClient()
  const session = useSession()
  const [chosen, setChosen] = useState<readonly string[]>([])
  // How many clients were left before the call that got no answer. The account, if loaded again, may have fewer by now.
  const [unanswered, setUnanswered] = useState<number | null>(null)
  useEffect(() => {
    // A call may have been given up with the page or the session. The clients that are left by now are others.
    if (open && unanswered === null) forgetGivenUp(session.name, calls.tree.moveClients, loadedAt)
  }, [open, unanswered, session.name, loadedAt])
  // Those of the chosen ones that somebody else has deleted or moved.
  const [gone, setGone] = useState<readonly string[]>([])
  const close = () => {
    if (unanswered !== null) {
      // All that are left are other clients then, and to move these is another change. Nobody is moved twice.
      forgetGivenUp(session.name, calls.tree.moveClients, Date.now())
      loadAgain(cache)
    }
    setUnanswered(null)
    setChosen([])
    setGone([])
    onClose()
  }
  const [known, setKnown] = useState(false)
  const leaveOut = (missing: readonly string[]) => {
    setGone(missing)
    setChosen((names) => names.filter((name) => !missing.includes(name)))
  }
  const { batches, move } = useMove(account?.name ?? '', close, leaveOut)
  if (!account) return null
  const { name, beneath } = account
  const all = unanswered ?? beneath.clients
  const many = (which: string) => (which === 'all' ? all : chosen.length)
  const start = async (to: string, which: string) => {
    const named = which === 'chosen' ? chosen : undefined
    setGone([])
    const before = await move({ to, all: many(which), clients: named, again: unanswered !== null })
    // Of named clients all or none were moved.
    setUnanswered(before === null ? null : all - before)
  }
  return (
    <FormDialog
      open={open}
      title={`Move clients of ${name}`}
      onClose={close}
      {...batches.form}
      blocked={({ to }) => to !== '' && !known}
      schema={Asked}
      values={ALL_NOWHERE}
      label={({ to, which }) => labelOf(many(which), to)}
      onSubmit={({ to, which }, form) => {
        if (many(which) > 0) return start(to, which)
        form.setError('which', { message: 'Please choose at least one client' })
      }}
    >
      <p>They take along the months that were used on them, and their history. No balance changes.</p>
      <Target from={account} onKnown={setKnown} />
      <SelectInput
        name="which"
        label="Clients"
        options={[
          { value: 'all', label: `All ${number(all)}` },
          { value: 'chosen', label: 'Chosen ones' },
        ]}
      />
      <Choice of={name} chosen={chosen} onChoose={setChosen} />
      {gone.length > 0 && (
        <p role="status">
          {counted(gone.length, 'client')} {gone.length === 1 ? 'is' : 'are'} left out, which {name} no longer
          has: <span className="identifier">{gone.join(', ')}</span>
        </p>
      )}
      {batches.progress}
      {unanswered !== null && <p role="status">{NOT_TWICE}</p>}
    </FormDialog>
  )
}

interface Moved {
  to: string
  all: number
  /** The chosen ones; all of the dealer where it is undefined. */
  clients: readonly string[] | undefined
  /** Whether its first batch is one that got no answer. */
  again: boolean
}

/**
 * Moves clients in batches. Where nobody knows whether a batch was moved, it returns how many were before it; else null.
 * @param onMissing receives those of the chosen ones that the dealer no longer has
 */
function useMove(from: string, onDone: () => void, onMissing: (names: readonly string[]) => void) {
  const session = useSession()
  const batches = useBatches(calls.tree.moveClients, 'moved', onDone)
  const move = ({ to, all, clients, again }: Moved) =>
    batches.run({
      all,
      async next(done) {
        // Named clients are one call; of all, each call moves the first that are still there.
        const input = { from, to, ...(clients && { clients: [...clients] }) }
        const options = { again: again && done === 0 }
        try {
          const { output } = await submitOnce(calls.tree.moveClients, input, session.name, options)
          return { did: output.moved, left: clients ? 0 : output.left }
        } catch (error) {
          if (error instanceof ApiError && error.missing) onMissing(error.missing)
          throw error
        }
      },
      success: (moved) => clientsMoved({ to }, { moved }),
    })
  return { batches, move }
}

/** The choice of the dealer that gets the clients. */
function Target({ from, onKnown }: { from: AccountBeneath; onKnown: (known: boolean) => void }) {
  const { data: users, error } = useCall(calls.session.users, {})
  const dealers = users?.filter(({ role, name }) => role === 'dealer' && name !== from.name)
  return (
    <MoveTo
      kind="dealer"
      names={dealers?.map(({ name }) => name)}
      fault={error && !users ? `Error: ${error.message}` : undefined}
      warning={(to) => {
        const isStopped = to.service_stopped && !from.service_stopped
        return warningOf(to, isStopped ? ['the clients lose their service'] : [], holdsClients(to))
      }}
      onKnown={onKnown}
    />
  )
}

function labelOf(count: number, to: string): string {
  if (count === 0) return 'Move clients'
  return `Move ${counted(count, 'client')}${to && ` to ${to}`}`
}

const ALL_NOWHERE = { to: '', which: 'all' }

const Asked = z.object({
  to: z.string().check(z.minLength(1, 'Please choose a dealer')),
  which: z.enum(['all', 'chosen']),
})

interface ChoiceProps {
  of: string
  chosen: readonly string[]
  onChoose: (names: readonly string[]) => void
}

/** Finds the clients of the dealer, and lets the person tick some of them. */
function Choice({ of, chosen, onChoose }: ChoiceProps) {
  const isWanted = useWatch({ name: 'which' }) === 'chosen'
  const [search, setSearch] = useState('')
  const [typed, setTyped] = useTyped(search, setSearch)
  const place = useRef<HTMLDivElement>(null)
  useEndOfError('which', chosen.length > 0)
  const found = useCall(calls.tree.clients, { name: of, search }, { enabled: isWanted, keep: true })
  if (!isWanted) return null
  const { data } = found
  const tick = (name: string, isChosen: boolean) =>
    onChoose(isChosen ? [...chosen, name].slice(0, MOST_CHOSEN) : chosen.filter((one) => one !== name))
  // Those that this search does not find are shown too, so that they can be let go.
  const hidden = data ? chosen.filter((name) => !data.data.some((one) => one.name === name)) : []
  return (
    <div ref={place}>
      <SearchBox label="Search by name or MAC" value={typed} onChange={setTyped} />
      <Loaded of={found}>{!data && <Skeleton height={96} />}</Loaded>
      <Found aria-label="Clients found" aria-busy={found.isFetching}>
        {data?.data.map(({ name, mac, expiry }) => (
          <li key={name}>
            <Toggle
              kind="box"
              label={<span className="identifier">{name}</span>}
              checked={chosen.includes(name)}
              onChange={(isChosen) => tick(name, isChosen)}
            />
            <span>
              {mac ?? 'Ministra'} · <OnDay inRows iso={expiry} />
            </span>
          </li>
        ))}
      </Found>
      <p aria-live="polite">
        {data?.count === 0 && 'No clients found'}
        {data && data.count > data.data.length
          ? `The first ${data.data.length} of ${number(data.count)} are shown.`
          : ''}
      </p>
      {hidden.length > 0 && (
        <Hidden
          names={hidden}
          onLeaveOut={(name) => tick(name, false)}
          onLast={() => place.current?.querySelector<HTMLElement>('[type=search]')?.focus()}
        />
      )}
    </div>
  )
}

interface HiddenProps {
  names: readonly string[]
  onLeaveOut: (name: string) => void
  /** Is to move the focus before the last of them goes. */
  onLast: () => void
}

/** Names the chosen clients that are not among those shown, so that each can be left out all the same. */
function Hidden({ names, onLeaveOut, onLast }: HiddenProps) {
  const leaveOut = (name: string, item: Element | null) => {
    // The pressed button goes, and would take the focus with it.
    const next = item?.nextElementSibling ?? item?.previousElementSibling
    if (next) next.querySelector('button')?.focus()
    else onLast()
    onLeaveOut(name)
  }
  return (
    <>
      <p>Chosen, but not shown above. Press one to leave it out.</p>
      <Names aria-label="Chosen, but not shown">
        {names.map((name) => (
          <li key={name}>
            <Button
              size="small"
              aria-label={`Leave out ${name}`}
              onClick={({ currentTarget }) => leaveOut(name, currentTarget.parentElement)}
            >
              <span className="identifier">{name}</span>
            </Button>
          </li>
        ))}
      </Names>
    </>
  )
}

const Names = styled('ul')({
  maxHeight: 120,
  overflowY: 'auto',
  display: 'flex',
  flexWrap: 'wrap',
  gap: '0 8px',
})

const Found = styled('ul')(({ theme }) => ({
  marginTop: 8,
  maxHeight: 280,
  overflowY: 'auto',
  '& li': {
    display: 'flex',
    flexWrap: 'wrap',
    justifyContent: 'space-between',
    alignItems: 'center',
    gap: '0 16px',
    padding: '4px 0',
    borderBottom: `1px solid ${theme.palette.divider}`,
  },
  '& > li > span': { fontVariantNumeric: 'tabular-nums', color: theme.palette.text.secondary },
}))

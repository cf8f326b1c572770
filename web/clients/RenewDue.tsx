import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { MOST_CHOSEN } from '../../contract/clients.ts'
import type { DueWithin } from '../../contract/due.ts'
import { MOST_PER_PAGE } from '../../contract/page.ts'
import { counted, inCredits } from '../../contract/quantities.ts'
import type { DueClient } from '../../contract/shapes.ts'
import { ApiError, send } from '../calls/api.ts'
import { loadAgain } from '../calls/cache.ts'
import { clientsRenewed } from '../calls/notices.ts'
import { submitOnce } from '../calls/submits.ts'
import { useBalance } from '../calls/useBalance.ts'
import { useBatches } from '../calls/useBatches.tsx'
import { useSureBalance } from '../calls/useSureBalance.ts'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { ErrorState } from '../parts/ErrorState.tsx'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { NOT_TWICE } from '../parts/notTwice.ts'
import { number } from '../parts/number.ts'
import { mark } from '../parts/table/marks.ts'
import { useSession } from '../session.tsx'
import { affordable, costOf, type HowLong, monthsOf } from './dueRenewal.ts'
import { Gone, missingOf } from './Gone.tsx'
import { Calculation, Sums } from './Sums.tsx'

/** Whom to renew: all that are due within some days, or chosen ones. */
export type ToRenew = { within: DueWithin } | { chosen: readonly DueClient[] }

interface RenewDueProps {
  open: boolean
  /** Null while nobody has asked. */
  asked: ToRenew | null
  onClose: () => void
  /** Is called with the logins of those who were renewed, also where others could not be. */
  onRenewed?: (names: readonly string[]) => void
  /** Receives those of the chosen ones that somebody else has deleted, moved or renewed. */
  onGone?: (names: readonly string[]) => void
}

interface Renewal {
  clients: readonly DueClient[]
  how: HowLong
  /** The balance before it. */
  balance: number | null | undefined
}

/** Renews clients that are due, a month each or as last time: those that expire first, as far as the credits go. */
export function RenewDue({ open, asked, onClose, onRenewed, onGone }: RenewDueProps) {
  const shown = useLastValue(asked)
  const { unanswered, renewed, renew, batches, close } = useRenewal(open, onClose, onRenewed)
  const { loading } = batches.form.sending
  const due = useClientsToRenew(shown, open && !unanswered && !loading)
  // While they are loaded again, it is not known who of them is still due.
  const still = due.isFetching ? undefined : due.data?.filter(({ name }) => !renewed.has(name))
  const clients = unanswered?.clients ?? still
  const chosen = shown && 'chosen' in shown ? shown.chosen.map(({ name }) => name) : []
  const own = useBalance()
  const sure = useSureBalance()
  const balance = unanswered ? unanswered.balance : sure
  const lacking = clients ? own : due
  const fault = clients && balance !== undefined ? null : lacking.error
  const count = clients?.length
  return (
    <FormDialog
      open={open}
      title={count === undefined ? 'Renew all' : `Renew ${counted(count, 'client')}`}
      onClose={close}
      {...batches.form}
      schema={AsTyped}
      values={A_MONTH}
      label={({ how }) => labelOf(clients, how as HowLong, balance)}
      onSubmit={({ how }) =>
        renew(unanswered ?? { clients: affordable(clients ?? [], how, balance), how, balance })
      }
      autoFocus
      blocked={({ how }) =>
        balance == null || affordable(clients ?? [], how as HowLong, balance).length === 0
      }
    >
      <SelectInput
        name="how"
        label="Months"
        options={HOW_LONG}
        disabled={unanswered !== null}
        help={unanswered ? NOT_TWICE : undefined}
      />
      {fault ? (
        <ErrorState message={fault.message} onRetry={lacking.refetch} />
      ) : (
        <Price clients={clients} balance={balance} />
      )}
      <Gone
        names={unanswered ? [] : missingOf(chosen, clients)}
        done="deleted, moved or renewed"
        onGone={onGone}
      />
      {batches.progress}
    </FormDialog>
  )
}

const NOBODY: ReadonlySet<string> = new Set()

/**
 * Renews clients in batches. `unanswered` are those from that batch on of which nobody knows whether it was carried
 * out: they are sent again as they were. `renewed` are the logins of those whom it has renewed since it was opened: in
 * February they are still due within 30 days.
 */
function useRenewal(open: boolean, onClose: () => void, onRenewed: RenewDueProps['onRenewed']) {
  const cache = useQueryClient()
  const { name } = useSession()
  // Loaded again, a client that was renewed may be due again, and would be renewed twice.
  const [unanswered, setUnanswered] = useState<Renewal | null>(null)
  const [renewed, setRenewed] = useState(NOBODY)
  if (!open && renewed !== NOBODY) setRenewed(NOBODY)
  const close = () => {
    if (unanswered) loadAgain(cache)
    setUnanswered(null)
    onClose()
  }
  const batches = useBatches(calls.clients.multirenew, 'renewed', close)
  const renew = async (renewal: Renewal) => {
    const { clients, how } = renewal
    const now: string[] = []
    const before = await batches.run({
      all: clients.length,
      async next(done) {
        const batch = clients.slice(done, done + MOST_CHOSEN)
        const again = unanswered !== null && done === 0
        await submitOnce(calls.clients.multirenew, inputOf(batch, how), name, { again })
        const names = batch.map(({ name }) => name)
        mark(names)
        now.push(...names)
        return { did: batch.length, left: clients.length - done - batch.length }
      },
      success: () => clientsRenewed(inputOf(clients, how)),
    })
    setUnanswered(before === null ? null : restOf(renewal, before))
    setRenewed(new Set([...renewed, ...now]))
    onRenewed?.(now)
  }
  return { unanswered, renewed, renew, batches, close }
}

/** What is left of a renewal once so many clients are renewed. */
function restOf({ clients, how, balance }: Renewal, done: number): Renewal {
  const left = balance == null ? balance : balance - costOf(clients.slice(0, done), how)
  return { clients: clients.slice(done), how, balance: left }
}

const AsTyped = z.object({ how: z.enum(['month', 'last']) })
const A_MONTH = { how: 'month' as HowLong }
const HOW_LONG = [
  { value: 'month', label: '1 month each' },
  { value: 'last', label: 'As last time' },
]

function labelOf(
  clients: readonly DueClient[] | undefined,
  how: HowLong,
  balance: number | null | undefined,
) {
  if (!clients) return 'Renew'
  const some = affordable(clients, how, balance)
  if (some.length === 0) return 'Renew'
  const cost = inCredits(costOf(some, how))
  if (some.length === clients.length) return `Renew ${counted(some.length, 'client')} for ${cost}`
  const first = some.length === 1 ? 'client' : counted(some.length, 'client')
  return `Renew the first ${first} for ${cost}`
}

interface PriceProps {
  clients: readonly DueClient[] | undefined
  balance: number | null | undefined
}

/** What the renewal costs, and what happens where the credits do not suffice. */
function Price({ clients, balance }: PriceProps) {
  const how = useWatch({ name: 'how' }) as HowLong
  const cost = clients && costOf(clients, how)
  const isShort = cost !== undefined && balance != null && cost > balance
  // Asks for the balance again while it is too small. All parts of the page that show the balance get the answer too.
  useBalance({ whileShort: isShort })
  return (
    <Calculation aria-live="polite" aria-busy={!clients}>
      <Sums cost={cost} balance={balance} />
      {clients && isShort && <p>{affordableInWords(affordable(clients, how, balance).length)}</p>}
    </Calculation>
  )
}

/** Says how many the credits suffice for, of those that expire first. */
function affordableInWords(count: number): string {
  if (count === 0) return 'Not even the one that expires first can be renewed.'
  if (count === 1) return 'The one that expires first can be renewed.'
  return `The ${number(count)} that expire first can be renewed.`
}

function inputOf(clients: readonly DueClient[], how: HowLong) {
  return {
    clients: clients.map(({ name }) => name),
    months: how === 'month' ? 1 : clients.map((client) => monthsOf(client, how)),
    expiries: clients.map(({ expiry }) => expiry),
  }
}

/** Loads all clients that are to be renewed, those that expire first first. */
function useClientsToRenew(asked: ToRenew | null, isEnabled: boolean) {
  return useQuery<readonly DueClient[], ApiError>({
    // Named as no call is, because what Due shows is kept for a time without a connection, and this is not.
    queryKey: ['clients to renew', asked],
    queryFn: ({ signal }) =>
      asked && 'within' in asked ? allDue(asked.within, signal) : stillDue(asked?.chosen ?? [], signal),
    enabled: isEnabled && asked !== null,
    staleTime: 0,
    gcTime: 0,
  })
}

/** Returns those of the chosen clients whose expiry is what it was when they were chosen. */
async function stillDue(chosen: readonly DueClient[], signal: AbortSignal): Promise<DueClient[]> {
  const expiries = new Map<string, string>()
  for (let at = 0; at < chosen.length; at += MOST_CHOSEN) {
    const clients = chosen.slice(at, at + MOST_CHOSEN).map(({ name }) => name)
    for (const { name, expiry } of await stillThere(clients, signal)) expiries.set(name, expiry)
  }
  return chosen.filter(({ name, expiry }) => expiries.get(name) === expiry)
}

async function stillThere(clients: string[], signal: AbortSignal) {
  try {
    return (await send(calls.clients.multiquote, { clients }, { signal })).data
  } catch (error) {
    // None of them is there.
    if (error instanceof ApiError && error.code === 'not_found') return []
    throw error
  }
}

async function allDue(within: DueWithin, signal: AbortSignal): Promise<DueClient[]> {
  // A client that is changed meanwhile may be on two pages.
  const all = new Map<string, DueClient>()
  for (let page = 1; ; page += 1) {
    const { data, total_pages } = await send(
      calls.clients.dueClients,
      { within, page, per_page: MOST_PER_PAGE },
      { signal },
    )
    for (const client of data) all.set(client.name, client)
    if (page >= total_pages) return [...all.values()]
  }
}

import type { calls } from '../../../contract/calls.ts'
import { hash, randomToken } from '../../access/seal.ts'
import { goesOn } from '../../access/session.ts'
import type { Account, Context, Handler } from '../../context.ts'
import { type Day, dayOf } from '../../ledger/calendar.ts'
import { measure } from '../../metrics.ts'
import { change } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { withTimeout } from '../../postgres/timeout.ts'
import { notFound } from '../../refusal.ts'
import { findAccount } from '../../tree/account.ts'
import { clientsThere, namesMissing } from '../../tree/client.ts'
import { whoseTransactions } from '../../tree/whose.ts'
import { Turns } from '../../turns.ts'
import type { Format, Wanted } from './file-order.ts'
import { streamFile } from './file-stream.ts'
import type { ChosenClients } from './listing.ts'
import { giveUpSlowest } from './pace.ts'

export const exportClients: Handler<typeof calls.clients.export> = ticketOfClients
export const exportAllClients: Handler<typeof calls.admin.exportClients> = ticketOfClients

export const exportTransactions: Handler<typeof calls.desk.admin.exportTransactions> = async (
  context,
  selection,
) => {
  // A stranger's account or client is refused here already, before there is a file.
  await whoseTransactions(context, selection)
  return issueTicket(context, { kind: 'transactions', selection })
}

/**
 * Streams the file of a ticket. A browser downloads a file without our headers, so the ticket takes the place of the
 * session token. The first request uses the ticket up, so that a link found later fetches nothing.
 */
export const download: Handler<typeof calls.files.download> = async (
  { sql, now, clock, business, gone },
  { ticket },
) => {
  const done = await takeTurn(await withTimeout(sql, () => ownerOf(sql, ticket, now)), gone)
  try {
    const begun = clock()
    const { account, session, wanted } = await change(sql, () => redeem(sql, ticket, begun))
    const { database, zone } = business
    const format = wanted.kind === 'clients' ? wanted.selection.format : 'csv'
    const order = { database, account, now: begun, business: { zone }, wanted }
    return {
      name: fileName(wanted, format, dayOf(begun, zone)),
      type: format === 'pdf' ? 'application/pdf' : 'text/csv; charset=utf-8',
      body: await streamFile(order, { maySend: () => isThere(sql, session, clock()), done }),
    }
  } catch (error) {
    done()
    throw error
  }
}

const TICKET_LIFE_MS = 60_000

/** Limits the files under way for each account: each one holds a process and a connection. */
const underWay = new Turns<number>({
  atOnce: 4,
  each: 2,
  maxWait: {
    ms: TICKET_LIFE_MS,
    message: 'Several exports are on their way. Please ask for this file again in a moment.',
  },
})

measure('boxtree_exports_in_progress', 'Exported files that are being made and sent.', () => underWay.running)
measure('boxtree_exports_waiting', 'Exported files that wait for their turn.', () => underWay.waiting)

/** How often one of those who wait takes the place of a slow reader, in milliseconds. */
const MAKE_ROOM_EVERY_MS = 5_000

/** The accounts of the requests that wait for a turn. */
const waiting: number[] = []
let makingRoom: NodeJS.Timeout | undefined

async function takeTurn(account: number, gone: AbortSignal | null): Promise<() => void> {
  waiting.push(account)
  makingRoom ??= setInterval(makeRoom, MAKE_ROOM_EVERY_MS)
  try {
    return await underWay.take(account, gone)
  } finally {
    waiting.splice(waiting.indexOf(account), 1)
    if (waiting.length === 0) {
      clearInterval(makingRoom)
      makingRoom = undefined
    }
  }
}

/** Gives up one slow reader for all who wait, if any of them has no file under way. */
function makeRoom(): void {
  if (waiting.some((account) => !underWay.has(account))) giveUpSlowest()
}

function fileName({ kind, selection }: Wanted, format: Format, today: Day): string {
  if (kind === 'clients') return `boxtree-clients-${today}.${format}`
  const { from, to } = selection
  return `boxtree-transactions-${from === to ? from : `${from}-to-${to}`}.csv`
}

async function ticketOfClients(context: Context, selection: ChosenClients & { format: Format }) {
  // A stranger's client is no client of the caller's, so it is missing.
  const { clients } = selection
  if (!clients) return { ...(await issueTicket(context, { kind: 'clients', selection })), missing: [] }
  const there = await clientsThere(context, clients)
  const found = { ...selection, clients: there.map(({ name }) => name) }
  const ticket = await issueTicket(context, { kind: 'clients', selection: found })
  return { ...ticket, missing: namesMissing(clients, there) }
}

async function issueTicket({ sql, session, now }: Context, { kind, selection }: Wanted) {
  const ticket = randomToken()
  await sql`
    insert into export_ticket (ticket_hash, session, kind, selection, expiry)
    values (${hash(ticket)}, ${session}, ${kind}, ${sql.json(selection)}, ${new Date(now.getTime() + TICKET_LIFE_MS)})`
  return { status: 'OK' as const, ticket }
}

async function ownerOf(sql: Sql, ticket: string, now: Date): Promise<number> {
  const [found] = await sql<{ account: number }[]>`
    select s.account from export_ticket t join session s on s.token_hash = t.session
    where t.ticket_hash = ${hash(ticket)} and t.expiry > ${now} and ${goesOn(sql, now)}`
  if (!found) throw notFound()
  return found.account
}

async function redeem(
  sql: Sql,
  ticket: string,
  now: Date,
): Promise<{ account: Account; session: Buffer; wanted: Wanted }> {
  const [redeemed] = await sql<(Wanted & { owner: number; session: Buffer })[]>`
    select owner, session, kind, selection from redeem_ticket(${hash(ticket)}, ${now})`
  if (!redeemed) throw notFound()
  const { owner, session, ...wanted } = redeemed
  const account = await findAccount(sql, sql`a.id = ${owner}`)
  if (!account) throw notFound()
  return { account, session, wanted }
}

/** Whether a session still goes on: a logout or a changed password removes it, and its hour ends it. */
async function isThere(sql: Sql, session: Buffer, now: Date): Promise<boolean> {
  const found = await sql`select from session s where token_hash = ${session} and ${goesOn(sql, now)}`
  return found.length > 0
}

import type { calls } from '../../../contract/calls.ts'
import { hash, randomToken } from '../../access/seal.ts'
import type { Account, Context, Handler } from '../../context.ts'
import { type Day, dayOf } from '../../ledger/calendar.ts'
import { ask } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { notFound, refuseField } from '../../refusal.ts'
import { findAccount } from '../../tree/account.ts'
import { Turns } from '../../turns.ts'
import { csv } from './csv.ts'
import { type Days, listClients, listTransactions, type Selection } from './listing.ts'
import { MOST_IN_PDF, pdf } from './pdf.ts'
import { streamSnapshot } from './snapshot.ts'

export const exportClients: Handler<typeof calls.clients.export> = clientsTicket
export const exportAllClients: Handler<typeof calls.admin.exportClients> = clientsTicket

export const exportTransactions: Handler<typeof calls.desk.admin.exportTransactions> = (context, days) =>
  issueTicket(context, 'transactions', days)

/**
 * Streams the file that a ticket stands for. The ticket is the authority, and gone once it was shown: a browser
 * fetches a file without our headers, and a link that is found later must lead nowhere.
 */
export const download: Handler<typeof calls.files.download> = async ({ sql, now, business }, { ticket }) => {
  const release = await underWay.take(await ask(sql, () => ownerOf(sql, ticket, now)))
  try {
    const { account, ...wanted } = await ask(sql, () => redeem(sql, ticket, now))
    const asked = { sql, account, now, business }
    const listing =
      wanted.kind === 'clients'
        ? await listClients(asked, wanted.selection)
        : listTransactions(asked, wanted.selection)
    const format = wanted.kind === 'clients' ? wanted.selection.format : 'csv'
    return {
      name: fileName(wanted, format, dayOf(now, business.zone)),
      type: format === 'pdf' ? 'application/pdf' : 'text/csv; charset=utf-8',
      body: await streamSnapshot(sql, (sql) => (format === 'pdf' ? pdf : csv)(sql, listing), release),
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Says of which days it is, or of which day the clients are. */
function fileName({ kind, selection }: Wanted, format: Format, today: Day): string {
  if (kind === 'clients') return `boxtree-clients-${today}.${format}`
  const { from, to } = selection
  return `boxtree-transactions-${from === to ? from : `${from}-to-${to}`}.csv`
}

/** Files under way, by account: each holds a connection for as long as it lasts. */
const underWay = new Turns<number>({
  atOnce: 4,
  each: 2,
  patience: { ms: 10_000, sorry: 'Several exports are on their way. Please try again in a moment.' },
})

/** How long a ticket waits to be used, in milliseconds. */
const LIFE = 60_000

type Format = 'csv' | 'pdf'
type Wanted =
  | { kind: 'clients'; selection: Selection & { format: Format } }
  | { kind: 'transactions'; selection: Days }

async function clientsTicket(context: Context, selection: Selection & { format: Format }) {
  if (selection.format === 'pdf') await refuseLongPdf(context, selection)
  return issueTicket(context, 'clients', selection)
}

async function refuseLongPdf(context: Context, selection: Selection): Promise<void> {
  // By name, which an index has in order, whatever the order of the file will be.
  const { rows } = await listClients(context, { ...selection, sort: 'name', order: 'asc' })
  const [found] = await context.sql<{ many: boolean }[]>`
    select count(*) > ${MOST_IN_PDF}::int as many from (${rows(context.sql)} limit ${MOST_IN_PDF + 1}) as rows`
  if (!found?.many) return
  const most = MOST_IN_PDF.toLocaleString('en-US')
  throw refuseField(
    'invalid_input',
    'format',
    `A PDF takes at most ${most} clients, and this list has more. Please export it as CSV.`,
  )
}

async function issueTicket(
  { sql, session, now }: Context,
  kind: Wanted['kind'],
  selection: Wanted['selection'],
) {
  const ticket = randomToken()
  await sql`
    insert into export_ticket (ticket_hash, session, kind, selection, expiry)
    values (${hash(ticket)}, ${session}, ${kind}, ${sql.json(selection)}, ${new Date(now.getTime() + LIFE)})`
  return { status: 'OK' as const, ticket }
}

/** Whose a ticket is: it is shown again, and used up, once the account's turn has come. */
async function ownerOf(sql: Sql, ticket: string, now: Date): Promise<number> {
  const [found] = await sql<{ account: number }[]>`
    select s.account from export_ticket t join session s on s.token_hash = t.session
    where ${isGood(sql, ticket, now)}`
  if (!found) throw notFound()
  return found.account
}

async function redeem(sql: Sql, ticket: string, now: Date): Promise<Wanted & { account: Account }> {
  const [redeemed] = await sql<(Wanted & { owner: number })[]>`
    delete from export_ticket t using session s where s.token_hash = t.session and ${isGood(sql, ticket, now)}
    returning s.account as owner, t.kind, t.selection`
  if (!redeemed) throw notFound()
  const account = await findAccount(sql, sql`a.id = ${redeemed.owner}`)
  if (!account) throw notFound()
  return { ...redeemed, account }
}

/** Whether a ticket `t` of the session `s` is this one, and still good: it ends with its session. */
function isGood(sql: Sql, ticket: string, now: Date) {
  return sql`t.ticket_hash = ${hash(ticket)} and t.expiry > ${now} and s.expiry > ${now}`
}

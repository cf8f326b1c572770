import { calls } from '../contract/calls.ts'
import { ANY_CLIENT_SORTS } from '../contract/shapes.ts'
import { type Connect, openPool, type Sql } from '../server/postgres/pool.ts'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { openDatabaseOf } from './database.ts'
import { type Figure, ofRounds, type Round, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions } from './people.ts'
import { openSilentApp } from './silent-app.ts'
import { timed } from './timed.ts'

const ROUNDS = 5
const FILTERS = ['all', 'expired'] as const

/** Whose clients are searched, and by how much a search must be quicker than a panel's. */
type Scope = { whose: string; path: string; token: string; dealer: number | null; least: number }

/**
 * Measures searches beside what an ordinary panel does, `count(*)` with ILIKE over the columns, and beside the bare
 * bitmap scan of the same term: all three inside the database. Then pages in the middle beside first pages.
 */
export async function* searchFigures({ million }: Folders): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir: million })
  const { database, sql, close } = await openDatabaseOf(million, 'superuser')
  const connection = await Connection.open(console.url)
  try {
    // The empty pages that the renewals of another part have left make first pages slower, and others seem quicker.
    await sql`vacuum count_change`
    const { admin, dealer } = await openSessions(sql)
    const scopes: Scope[] = [
      { whose: 'all clients', path: calls.admin.clients.path, token: admin.token, dealer: null, least: 20 },
      {
        whose: "a dealer's",
        path: calls.clients.list.path,
        token: dealer.token,
        dealer: dealer.id,
        least: 5,
      },
    ]
    for (const scope of scopes) {
      for (const { term, share } of await termsOf(sql, scope)) {
        const path = `${scope.path}?search=${encodeURIComponent(term)}`
        const statements = await statementsOf(million, database.server, { path, token: scope.token })
        yield* searched(sql, { ...scope, path, term, share, statements }, () =>
          connection.get(path, scope.token),
        )
      }
    }
    yield* middlePages((path) => connection.get(path, admin.token))
  } finally {
    connection.close()
    await close()
    await console.stop()
  }
}

/** Returns the condition that the index of a term's length finds by itself: of letters, or of pairs of letters. */
function matches(term: string): string {
  if (term.length > 2) return 'text like lower($1)'
  return "letter_pairs(text) @> letter_pairs(lower(trim('%' from $1)))"
}

type Searched = Scope & { term: string; share: number; statements: Statement[] }

async function* searched(sql: Sql, one: Searched, get: () => Promise<string>): AsyncGenerator<Figure> {
  const { whose, term, share, statements, dealer, least } = one
  const own = dealer === null ? '' : ` and dealer = ${dealer}`
  const panel = `select count(*) from client where deleted is null${own}
    and (name ilike $1 or description ilike $1 or mac ilike $1 or phone ilike $1)`
  const bare = `select count(*) from directory where ${matches(term)}${own}`
  const rounds = { panel: [] as Round[], bare: [] as Round[], corridor: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await timeInside(sql, statements)
    const panels = await timeInside(sql, [asked(panel, term)])
    const bares = await timeInside(sql, [...BITMAP_ONLY, asked(bare, term)])
    rounds.panel.push({ ours: panels, theirs: ours })
    rounds.bare.push({ ours, theirs: bares })
    // What ran before took the processor's caches from the server, which people who work with it have warm.
    await get()
    rounds.corridor.push((await timed(get)) - (await timeInside(sql, statements)))
  }
  const what = `Searching ${whose} for '${term}', which ${(100 * share).toFixed(share < 0.001 ? 4 : 0)} % match`
  yield ratioOf(rounds.panel, {
    what: `${what}: times as quick as ILIKE`,
    limit: least,
    atLeast: true,
    absolute: 'ms',
  })
  yield ratioOf(rounds.bare, { what: `${what}: beside the bare scan`, limit: 2.5, absolute: 'ms' })
  yield { what: `${what}: the corridor`, ...ofRounds(rounds.corridor), limit: 5, unit: 'ms' }
}

/**
 * Terms that few, about a tenth, about a half and nearly all of the clients match, chosen from a sample: of the last
 * three one of two letters, which another index finds, and one of more.
 */
async function termsOf(sql: Sql, { dealer }: Scope): Promise<{ term: string; share: number }[]> {
  const rows = await sql<{ text: string; name: string }[]>`
    select text, name from directory tablesample system (2) where ${dealer === null ? sql`true` : sql`dealer = ${dealer}`}`
  const shareOf = (term: string) => rows.filter(({ text }) => text.includes(term)).length / rows.length
  const found = (pattern: RegExp) =>
    [...new Set(rows.slice(0, 200).flatMap(({ text }) => text.match(pattern) ?? []))].map(withShare)
  const withShare = (term: string) => ({ term, share: shareOf(term) })
  const kinds = [
    found(/[a-z0-9]{2}/g),
    [...found(/[a-z0-9]{3}/g), ...found(/[a-z]{4,}/g), withShare('00:1a:79')],
  ]
  const nearest = (share: number) =>
    kinds.map((known) =>
      known.reduce((best, one) => (Math.abs(one.share - share) < Math.abs(best.share - share) ? one : best)),
    )
  const few = rows[0]?.name ?? ''
  return [{ term: few, share: 1 / rows.length / 50 }, ...[0.1, 0.5, 1].flatMap(nearest)]
}

type Statement = { text: string; parameters: unknown[]; types: number[] }

const TEXT = 25
const asked = (text: string, term: string): Statement => ({ text, parameters: [`%${term}%`], types: [TEXT] })
const BITMAP_ONLY: Statement[] = ['seqscan', 'indexscan', 'indexonlyscan'].map((way) => ({
  text: `set local enable_${way} = off`,
  parameters: [],
  types: [],
}))

/** Captures the statements of a call between its BEGIN and its COMMIT, with their parameters. */
async function statementsOf(
  dataDir: string,
  to: Connect,
  { path, token }: { path: string; token: string },
): Promise<Statement[]> {
  const statements: Statement[] = []
  const sql = openPool(to, { max: 1 })
  const app = await openSilentApp(dataDir, to, sql)
  try {
    sql.options.debug = (_connection, text, parameters, types) => {
      statements.push({ text: text.trim(), parameters: [...parameters], types: [...(types as number[])] })
    }
    const answer = await app.inject({ method: 'GET', url: `/v1${path}`, headers: { 'access-token': token } })
    if (answer.statusCode !== 200) throw new Error(answer.body)
  } finally {
    await app.close()
    await sql.end()
  }
  const first = statements.findIndex(({ text }) => text.startsWith('begin'))
  return statements.slice(first + 1).filter(({ text }) => !/^(commit|select 1)/.test(text))
}

type Explained = { 'QUERY PLAN': { 'Planning Time': number; 'Execution Time': number }[] }

/** Runs statements in a transaction and rolls back. Returns the milliseconds that the database planned and executed. */
async function timeInside(sql: Sql, statements: readonly Statement[]): Promise<number> {
  let spent = 0
  await sql.unsafe('begin')
  try {
    for (const { text, parameters, types } of statements) {
      const typed = parameters.map((value, at) => sql.typed(value as never, types[at] ?? 0))
      if (/^(set|explain)/.test(text)) {
        const ms = await timed(() => sql.unsafe(text, typed as never))
        if (!BITMAP_ONLY.some((one) => one.text === text)) spent += ms
        continue
      }
      const [row] = await sql.unsafe<Explained[]>(
        `explain (analyze, timing off, format json) ${text}`,
        typed as never,
      )
      const plan = row?.['QUERY PLAN'][0]
      spent += (plan?.['Planning Time'] ?? Number.NaN) + (plan?.['Execution Time'] ?? Number.NaN)
    }
  } finally {
    await sql.unsafe('rollback')
  }
  return spent
}

/** Measures a page in the middle beside the first one, in every order; the worst come first. */
async function* middlePages(get: (path: string) => Promise<string>): AsyncGenerator<Figure> {
  const figures: Figure[] = []
  for (const sort of ANY_CLIENT_SORTS) {
    for (const filter of FILTERS) {
      const path = `${calls.admin.clients.path}?${new URLSearchParams({ sort, order: 'asc', filter })}`
      const { total_pages } = JSON.parse(await get(path)) as { total_pages: number }
      const middle = `${path}&page=${Math.round(total_pages / 2)}`
      await get(middle)
      const rounds: Round[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        rounds.push({ ours: await timed(() => get(middle)), theirs: await timed(() => get(path)) })
      }
      figures.push(
        ratioOf(rounds, {
          what: `The middle page of ${filter} clients by ${sort}, beside the first`,
          limit: 10,
          absolute: 'ms',
        }),
      )
    }
  }
  yield* figures.sort((a, b) => b.value - a.value)
}

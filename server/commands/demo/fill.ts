import { PACKAGES } from '../../../contract/packages.ts'
import { HOUR_MS } from '../../../contract/time.ts'
import { createFirstAdmin } from '../../access/admin.ts'
import { openCaptcha } from '../../access/captcha.ts'
import { createSeal } from '../../access/seal.ts'
import { findOrMakeSecretKey } from '../../access/secret-key.ts'
import { type Config, readConfig, StartFault } from '../../config.ts'
import type { Business, Self } from '../../context.ts'
import { openReport } from '../../jobs/report.ts'
import { addDays, dayOf, startOf } from '../../ledger/calendar.ts'
import { MACHINE_CLOCK } from '../../postgres/clock.ts'
import { openDatabase } from '../../postgres/database.ts'
import { migrate } from '../../postgres/migrate.ts'
import { type Connect, type Sql, withPool } from '../../postgres/pool.ts'
import { withDatabase } from '../command.ts'
import { countYesterday, type DemoBox, demoBoxes } from './boxes.ts'
import { isHeldBy, PLAYLIST } from './channels.ts'
import { Dealer } from './dealer.ts'
import { chance, pick, seed } from './dice.ts'
import { markAsDemonstration } from './own-data.ts'
import { Stage } from './stage.ts'

const PASSWORD = 'boxtree-demo'
const CLIENTS = 2_000
const DAYS = 365

const TREE: Record<string, Record<string, string[]>> = {
  'atlantic-media': {
    'lisboa-norte': ['rui-tavares', 'casa-digital', 'tv-express'],
    'porto-streams': ['douro-tv', 'ana-ferreira'],
    algarve: ['sunset-boxes', 'faro-media'],
  },
  northstar: {
    toronto: ['maple-view', 'queen-street', 'sat-and-more'],
    montreal: ['vieux-port', 'le-plateau'],
  },
}

/**
 * Fills an empty database with a year of a believable business, day by day, by the handlers and the ledger of the
 * console. Returns who can sign in, and the boxes that shall live.
 */
export async function fill(
  env: Record<string, string | undefined>,
  say: (line: string) => void,
): Promise<{ logins: string; boxes: DemoBox[] }> {
  const config = readConfig(env)
  // First, because whoever finds anything else takes it for a business's own.
  markAsDemonstration(config.dataDir)
  const key = findOrMakeSecretKey(config)
  return withDatabase(await openDatabase(config, say), async (database) => {
    await migrate({ ...database, say })
    return withPool(database.server, { max: 2 }, async (sql) => {
      const seal = createSeal(key)
      const business: Business = {
        database: database.server,
        zone: config.timeZone,
        trialsPerDay: config.trialsPerDay,
        playlist: config.playlist,
        seal,
        captcha: openCaptcha({ provider: 'none' }, key),
        dataDir: config.dataDir,
        self: itself(config),
      }
      await refuseHalfFilled(sql, config.dataDir)
      const isNew = await createFirstAdmin(sql, config.adminLogin, PASSWORD)
      if (isNew) {
        await atPlayedTimes(database.owner, () => play(sql, business, config.adminLogin, say))
        await countYesterday(sql, new Date())
      }
      const logins = `Sign in as ${config.adminLogin}, northstar, toronto or maple-view with the password ${PASSWORD}`
      return { logins, boxes: await demoBoxes(sql) }
    })
  })
}

/** @throws StartFault where the clock is still that of the played year: the rest of it was never played */
async function refuseHalfFilled(sql: Sql, folder: string): Promise<void> {
  const [played] = await sql`select from setup where key = 'clock' and value = 'played'`
  if (!played) return
  throw new StartFault(
    `The demonstration in ${folder} was interrupted while it was filled. Remove that folder, and run it again.`,
  )
}

/** Lets sessions set the clock while `work` runs, so that the rows are dated within the played year. */
async function atPlayedTimes(owner: Connect, work: () => Promise<void>): Promise<void> {
  await withPool(owner, { max: 1 }, async (sql) => {
    await sql`insert into setup (key, value) values ('clock', 'played')`
    await work()
    await sql`delete from setup where key = 'clock'`
  })
}

function itself(config: Config): Self {
  const leaving = new AbortController().signal
  const report = openReport({ config, clock: MACHINE_CLOCK, freeSpace: null, leaving })
  return { report, canWrite: async () => true, clockBehind: () => null, seesSilentProxy: () => false }
}

async function play(sql: Sql, business: Business, admin: string, say: (line: string) => void): Promise<void> {
  seed(2026)
  const today = dayOf(new Date(), business.zone)
  const first = addDays(today, -DAYS)
  const stage = new Stage(sql, business)
  stage.now = new Date(new Date(startOf(first, business.zone)).getTime() + 9 * HOUR_MS)
  const dealers = await raise(stage, admin)
  for (let day = 0; day <= DAYS; day += 1) {
    await stage.during(startOf(addDays(first, day), business.zone), async () => {
      for (const dealer of dealers) await supply(stage, dealer)
      // The business grows: more clients come later in the year than at its start.
      const due = Math.round(CLIENTS * (day / DAYS) ** 1.3)
      while (Dealer.standing < due) await pick(dealers).takeOn(stage)
      for (const dealer of dealers) await dealer.work(stage)
    })
    if (day % 73 === 0) say(`Playing a year of business: ${Math.round((day / DAYS) * 100)} %`)
  }
  // A dealer has quit, and another one has changed its reseller.
  await stage.act('porto-streams', 'tree.moveClients', { from: 'ana-ferreira', to: 'douro-tv' })
  await stage.act('porto-streams', 'tree.close', { name: 'ana-ferreira' })
  await stage.act('atlantic-media', 'tree.move', { name: 'faro-media', to: 'lisboa-norte' })
  await writeToSome(stage, 'maple-view')
  await stage.act(admin, 'channels.giveFile', { name: 'demonstration.m3u', file: PLAYLIST })
  await fillPackages(stage, admin)
  await stage.act(admin, 'admin.setMessage', {
    message: 'Welcome to the demonstration of Boxtree. Everything here is invented: try whatever you like.',
  })
}

/** Gives each group to the packages that hold it, so that every client's box has something to watch. */
async function fillPackages(stage: Stage, admin: string): Promise<void> {
  const groups = await stage.sql<{ id: number; name: string }[]>`select id, name from channel_group`
  const take = { packages: [], groups: [] }
  for (const { id, name } of groups) {
    const packages = PACKAGES.filter(({ label }) => isHeldBy(label, name)).map(({ value }) => value)
    await stage.act(admin, 'channels.assign', { give: { packages, groups: [id] }, take })
  }
}

/** Lets a dealer write to its newest clients, whose boxes show it once they poll. */
async function writeToSome(stage: Stage, dealer: string): Promise<void> {
  const newest = await stage.sql<{ name: string }[]>`
    select c.name from client c join account a on a.id = c.dealer join service s on s.client = c.id
    where a.name = ${dealer} and s.expiry > ${stage.now} order by c.id desc limit 12`
  const clients = newest.map(({ name }) => name)
  await stage.act(dealer, 'clients.tell', { clients, event: 'message', message: 'We are closed on Monday.' })
}

async function raise(stage: Stage, admin: string): Promise<Dealer[]> {
  const dealers: Dealer[] = []
  for (const [superreseller, resellers] of Object.entries(TREE)) {
    await stage.act(admin, 'level.superreseller.create', { login: superreseller, password: PASSWORD })
    await stage.pass(admin, 'superreseller', superreseller, 3_000, 'Opening credits')
    for (const [reseller, names] of Object.entries(resellers)) {
      await stage.act(superreseller, 'level.reseller.create', { login: reseller, password: PASSWORD })
      await stage.pass(superreseller, 'reseller', reseller, 500, 'Opening credits')
      for (const name of names) {
        await stage.act(reseller, 'level.dealer.create', { login: name, password: PASSWORD })
        dealers.push(new Dealer(name, { admin, superreseller, reseller }))
      }
    }
  }
  return dealers
}

/** Gives a dealer that runs low more credits, which its owners first get from theirs as needed. */
async function supply(stage: Stage, { name, above, thrifty }: Dealer): Promise<void> {
  const { admin, superreseller, reseller } = above
  const [low, refill] = thrifty ? [3, 20] : [40, 100]
  if ((await stage.balance(name)) >= low && !chance(0.005)) return
  if ((await stage.balance(superreseller)) < 600)
    await stage.pass(admin, 'superreseller', superreseller, 2_000, 'Monthly order')
  if ((await stage.balance(reseller)) < 200)
    await stage.pass(superreseller, 'reseller', reseller, 400, 'Restock')
  await stage.pass(
    reseller,
    'dealer',
    name,
    refill,
    pick(['Paid by transfer', 'Paid in cash', 'Invoice', '']),
  )
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BareWriter } from './bare-writer.ts'
import { Cluster } from './cluster.ts'
import { Accounts, Load } from './load.ts'
import { CADDY, whatIsMissing } from './programs.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

// Runs the cluster of deploy/ha/ on this machine and breaks a part of it after the other, while accounts write without
// a pause. Prints for each how long nothing could be written, beside a client that does nothing but insert a row and
// tries every machine of the database, and which requests failed. Exits with 1 where a write was lost or stands there
// twice, where the ledger is not sound, and where a restart made a request fail. `npm run ha -- switchover roll` runs
// these two.

const say = (line: string) => process.stdout.write(`${line}\n`)

/** How long the load works before and after something happens, in milliseconds. Patroni looks every five seconds. */
const BEFORE_MS = 5_000
const AFTER_MS = 6_000
/** After so many writes the cluster counts as back in order. */
const BACK = 200

/** The columns of the table that is printed, in characters. */
const WIDTHS = [50, 8, 14, 16, 16, 14, 6, 8]

// What was started would keep this process alive; its end ends them.
process.exit(await main(process.argv.slice(2)))

async function main(names: readonly string[]): Promise<number> {
  const missing = whatIsMissing() ?? unknownOf(names)
  if (missing !== null) {
    say(missing)
    return 1
  }
  if (!existsSync(CADDY)) say('Caddy is not tried: install the package caddy.')
  const cluster = new Cluster()
  process.on('exit', () => cluster.destroy())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
  process.on('disconnect', () => process.exit(130))
  try {
    await cluster.start(say)
    const accounts = await Accounts.open(cluster.urls)
    const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name))
    const isSound = await runAll(chosen, cluster, accounts)
    const isProved = await prove(cluster)
    return isSound && isProved ? 0 : 1
  } catch (error) {
    say(cluster.logs())
    throw error
  }
}

function unknownOf(names: readonly string[]): string | null {
  const unknown = names.filter((one) => !SCENARIOS.some(({ name }) => name === one))
  if (unknown.length === 0) return null
  return `There is no ${unknown.join(' and no ')}; there are ${SCENARIOS.map(({ name }) => name).join(', ')}.`
}

/** Returns whether every scenario went as it must. */
async function runAll(chosen: readonly Scenario[], cluster: Cluster, accounts: Accounts): Promise<boolean> {
  say(
    rowOf([
      '',
      'writes/s',
      'no writes for',
      'a bare client',
      'writes failed',
      'reads failed',
      'lost',
      'doubled',
    ]),
  )
  let isSound = true
  for (const scenario of chosen) {
    const { load, bareGap, rate, lost, doubled } = await run(scenario, cluster, accounts)
    const { writes, reads, longestGap } = load
    say(
      rowOf([
        scenario.title,
        rate.toFixed(0),
        `${(longestGap / 1000).toFixed(1)} s`,
        `${(bareGap / 1000).toFixed(1)} s`,
        `${writes.failed} of ${writes.sent}`,
        `${reads.failed} of ${reads.sent}`,
        String(lost),
        String(doubled),
      ]),
    )
    const failed = writes.failed + reads.failed
    if (lost + doubled > 0 || (scenario.isPlanned && failed > 0)) isSound = false
  }
  return isSound
}

/** Runs one scenario on a whole cluster. All writes since the start of the run are looked for in the ledger. */
async function run({ title, act, replacesPrimary }: Scenario, cluster: Cluster, accounts: Accounts) {
  await cluster.untilWhole()
  const { name } = await cluster.withRole('leader')
  const bare = await BareWriter.open(cluster.nodes.map(({ superuser }) => superuser))
  const load = new Load(accounts)
  await pause(BEFORE_MS)
  const { rate } = load
  await act(cluster, load)
  await load.untilAcknowledged(BACK)
  await pause(AFTER_MS)
  await load.stop()
  const bareGap = load.longestGapOf((await bare.stop()).toSorted((a, b) => a - b))
  if (replacesPrimary && (await cluster.withRole('leader')).name === name)
    throw new Error(`Of '${title}' nothing was tried: the primary is still ${name}`)
  return { load, bareGap, rate, ...(await accounts.compare(cluster.database)) }
}

/** Has `npm run verify` prove the ledger. Returns whether it did. */
async function prove(cluster: Cluster): Promise<boolean> {
  const program = join(cluster.versionOfTables, 'server/commands/verify.ts')
  const env = { PATH: process.env.PATH, ...cluster.servers[0].env }
  const verify = spawn(process.execPath, [program], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(verify, 'exit')
  return code === 0
}

function rowOf(cells: readonly string[]): string {
  const padded = cells.map((cell, at) => {
    const width = WIDTHS[at] ?? 0
    return at === 0 ? cell.padEnd(width) : cell.padStart(width)
  })
  return padded.join(' ')
}

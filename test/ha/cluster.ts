import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { withPool } from '../../server/postgres/pool.ts'
import { isListening } from '../support/port.ts'
import { DatabaseNode, type Member } from './node.ts'
import { CADDY, killPrograms, startProgram, write } from './programs.ts'
import { caddyOf, haproxyOf, type Machine, machineOf, type Place, rolesOf, type Urls } from './samples.ts'
import { Server } from './server.ts'

/** The longest that anything here may take to be as it should, in milliseconds. */
const LONGEST_MS = 120_000

/** How many bytes behind the primary a standby may be, in a cluster that is whole. */
const MOST_LAG = 1_000_000

/**
 * The machines of `deploy/ha/` on this one: three of the database and two servers, each at an address of its own,
 * behind HAProxy and, where it is installed, Caddy.
 */
export class Cluster {
  readonly nodes: DatabaseNode[]
  readonly servers: [Server, Server]
  readonly urls: Urls
  readonly folder: string
  /** The root of the version that has changed the tables last: no other proves their ledger. */
  versionOfTables = join(import.meta.dirname, '../..')
  readonly #place: Place
  readonly #front: Machine

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'boxtree-ha-'))
    chmodSync(this.folder, 0o711)
    // Two runs at once have different networks, so every program has the port that it has in the sample.
    const number = () => 1 + Math.floor(254 * Math.random())
    this.#place = { folder: this.folder, network: `127.${number()}.${number()}.` }
    const machine = (name: string, at: number) => machineOf(name, at, this.#place)
    this.nodes = ['db1', 'db2', 'db3'].map((name, at) => new DatabaseNode(machine(name, at + 1), this.#place))
    this.#front = machine('web1', 4)
    this.servers = [new Server(this.#front, this.#place), new Server(machine('web2', 5), this.#place)]
    const { address } = this.#front
    const urls = (console: number, boxes: number) => ({
      console: `http://${address}:${console}`,
      boxes: `http://${address}:${boxes}`,
    })
    this.urls = existsSync(CADDY) ? urls(8090, 8091) : urls(8000, 8001)
  }

  /** Starts everything, and returns once it is whole. */
  async start(say: (line: string) => void): Promise<void> {
    say('Starting etcd, and PostgreSQL under Patroni')
    for (const node of this.nodes) node.startEtcd()
    for (const node of this.nodes) await listening(node.machine.address, 2379)
    for (const node of this.nodes) node.startPatroni()
    await this.untilWhole()
    await this.#makeRoles()
    say('Starting two servers, and HAProxy before them')
    for (const server of this.servers) await server.start()
    await this.#startFront()
  }

  async #makeRoles(): Promise<void> {
    const leader = await this.withRole('leader')
    const statements = rolesOf(this.#place).replace(/^--.*\n/gm, '')
    await withPool(leader.superuser, { max: 1 }, async (sql) => {
      for (const statement of statements.split(/;\n/)) if (statement.trim()) await sql.unsafe(statement)
    })
  }

  async #startFront(): Promise<void> {
    const { address, folder } = this.#front
    const haproxy = join(folder, 'haproxy.cfg')
    write(haproxy, haproxyOf(this.#front, this.#place))
    startProgram('haproxy', ['-f', haproxy], { log: join(folder, 'haproxy.log'), asRoot: true })
    await listening(address, 8000)
    if (!existsSync(CADDY)) return
    const caddy = join(folder, 'Caddyfile')
    write(caddy, caddyOf(this.#front, this.#place, this.urls))
    startProgram(CADDY, ['run', '--config', caddy, '--adapter', 'caddyfile'], {
      env: { HOME: folder },
      log: join(folder, 'caddy.log'),
    })
    await listening(address, 8090)
  }

  /** The connection string of the servers. */
  get database(): string {
    return this.servers[0].env.DATABASE_URL as string
  }

  /** Returns the last step of the schema that was applied. */
  step(): Promise<number> {
    return withPool(this.database, { max: 1 }, async (sql) => {
      const [row] = await sql<{ value: string }[]>`select value from setup where key = 'step'`
      return Number(row?.value)
    })
  }

  /** Returns the machine whose PostgreSQL is the primary ('leader') or the standby that commits wait for. */
  async withRole(role: 'leader' | 'sync_standby'): Promise<DatabaseNode> {
    const found = (await this.#members()).find((member) => member.role === role)
    const node = this.nodes.find(({ name }) => name === found?.name)
    if (!node) throw new Error(`There is no ${role}`)
    return node
  }

  /** Waits until there is a primary with a synchronous standby, and a third machine that follows. */
  async untilWhole(): Promise<void> {
    await until('the cluster is whole', async () => {
      const members = await this.#members()
      const having = (role: string) => members.filter((member) => member.role === role).length
      const timelines = new Set(members.map(({ timeline }) => timeline))
      const areUp = members.every(({ state, lag = 0 }) => isUp(state) && Number(lag) < MOST_LAG)
      return (
        areUp &&
        having('leader') === 1 &&
        having('sync_standby') === 1 &&
        having('replica') === 1 &&
        timelines.size === 1
      )
    })
  }

  async #members(): Promise<Member[]> {
    const told = await Promise.all(this.nodes.map((node) => node.members()))
    return told.find((members) => members !== null) ?? []
  }

  /** Returns the ends of all logs, for a run that fails. */
  logs(): string {
    const files = readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
    const logs = files.filter((name) => /^\w+\/\w+\.log$/.test(name)).sort()
    return logs
      .map((name) => {
        const lines = readFileSync(join(this.folder, name), 'utf8').trimEnd().split('\n')
        return [`--- ${name}`, ...lines.slice(-15)].join('\n')
      })
      .join('\n')
  }

  /** Ends all of it at once, and removes its folder. */
  destroy(): void {
    for (const server of this.servers) server.killAtOnce()
    // First those that would start others again.
    killPrograms()
    for (const node of this.nodes) node.killPostgres()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

function isUp(state: string): boolean {
  return state === 'running' || state === 'streaming'
}

/** Waits until something is so. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + LONGEST_MS; !(await isSo()); await pause(250))
    if (Date.now() > deadline) throw new Error(`After ${LONGEST_MS / 1000} s it is still not so that ${what}`)
}

function listening(address: string, port: number): Promise<void> {
  return until(`something listens on ${address}:${port}`, () => isListening(address, port))
}

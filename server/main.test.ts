import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { runConsole, startConsole } from '../test/support/console.ts'
import { copyRepository } from '../test/support/copy-repository.ts'
import { freshFolder, putCluster } from '../test/support/folder.ts'
import { offers } from '../test/support/needs.ts'
import { freePort } from '../test/support/port.ts'
import { postmasterOf } from '../test/support/processes.ts'
import { openPool } from './postgres/pool.ts'
import { otherZoneBefore } from './postgres/time-zone.ts'

const hasFull = offers(existsSync('/dev/full'), 'The tests of a console whose log is full', '/dev/full')

let dataDir: string
let running: { stop(signal?: NodeJS.Signals): Promise<number | null> }[]

beforeEach(() => {
  dataDir = putCluster(freshFolder())
  running = []
})

afterEach(async () => {
  for (const console of running) await console.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('the console', () => {
  test('prints its address and the path of the first login, but no password', async () => {
    dataDir = freshFolder()
    const { url, output } = await start()
    // A disk that stands still for a second makes it say that no change can be made.
    await expect
      .poll(async () => (await fetch(`${url}/v1/health`)).json())
      .toEqual({
        status: 'OK',
        writes: true,
        untrusted_proxy: false,
        silent_proxy: false,
        clock_offset_ms: expect.closeTo(0, -4),
      })
    const file = join(dataDir, 'first-login')
    expect(output()).toContain(`First login: in ${file}`)
    expect(lstatSync(file).mode & 0o777).toBe(0o600)
    const password = /^login: admin\npassword: (\S{19})\n$/.exec(readFileSync(file, 'utf8'))?.[1]
    expect(password).toBeDefined()
    expect(output()).not.toContain(password)
  })

  test('says in the log at once that the database went, and when it is back, also if nobody calls', async () => {
    const { output } = await start()
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    const timeout = { timeout: 60_000 }
    await expect.poll(output, timeout).toContain('the database cannot be reached')
    await expect.poll(output, timeout).toContain('the database can be reached again')
  })

  test('leaves no file that another user may open', async () => {
    dataDir = freshFolder()
    await start()
    const isRoot = process.getuid?.() === 0
    // Root's folder lets the user through whom the database runs as, into the one folder that is that user's.
    expect(lstatSync(dataDir).mode & 0o777).toBe(isRoot ? 0o711 : 0o700)
    const entries = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    expect(entries).toEqual(expect.arrayContaining(['secret-key', 'first-login', 'postgres-18/base']))
    for (const entry of entries) {
      // The socket lies in the closed folder, and asks the system who calls.
      if (entry.includes('.s.PGSQL')) continue
      const { mode } = lstatSync(join(dataDir, entry), { throwIfNoEntry: false }) ?? { mode: 0 }
      expect(mode & 0o077, entry).toBe(0)
    }
  })

  test('writes lines of JSON and nothing else where there is no terminal', async () => {
    const console = await startConsole({ dataDir, env: { CAPTCHA_PROVIDER: 'none', LOG_LEVEL: 'error' } })
    running.push(console)
    await console.stop()
    const sentences = linesOf(console).map(({ msg }) => msg)
    expect(sentences).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Boxtree is ready on /), 'Stopping']),
    )
    expect(sentences.join()).not.toContain('CAPTCHA_PROVIDER')
  })

  test.runIf(hasFull)('serves on, and ends at a SIGTERM, while the disk of its log is full', async () => {
    const port = await freePort()
    const log = openSync('/dev/full', 'w')
    const console = runConsole({ dataDir, env: { PORT: String(port) }, log })
    closeSync(log)
    running.push(console)
    const live = () => fetch(`http://127.0.0.1:${port}/v1/live`).then(({ status }) => status, String)
    await expect.poll(live, { timeout: 100_000 }).toBe(200)
    expect(await console.stop()).toBe(0)
  })

  test('ends at a SIGTERM, and ignores a second one', async () => {
    const console = await start()
    const pid = postmasterOf(dataDir)
    const end = console.stop()
    expect(await Promise.all([end, console.stop()])).toEqual([0, 0])
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('ends when its terminal is closed', async () => {
    const console = await start()
    expect(await console.stop('SIGHUP')).toBe(0)
  })

  test('warns where other machines reach it without encryption', async () => {
    const open = await startConsole({ dataDir, env: { HOST: '0.0.0.0' } })
    expect(open.output()).toContain('passwords come from other machines without encryption')
    expect(await open.stop()).toBe(0)
    for (const env of [{}, { HOST: '0.0.0.0', TRUSTED_PROXIES: '127.0.0.1' }]) {
      const closed = await startConsole({ dataDir, env })
      expect(await closed.stop()).toBe(0)
      expect(closed.output()).not.toContain('without encryption')
    }
  })

  test('goes on for DRAIN_SECONDS after a SIGTERM, with its metrics, and says meanwhile that it is not ready', async () => {
    const console = await startConsole({ dataDir, env: { DRAIN_SECONDS: '15', METRICS_PORT: '0' } })
    running.push(console)
    const metrics = /http:\S+\/metrics/.exec(console.output())?.[0] ?? ''
    const ask = (path: string) => fetch(`${console.url}/v1${path}`, { headers: { connection: 'close' } })
    // A disk that stands still for a second makes it say that no change can be made.
    await expect.poll(async () => (await ask('/ready')).json()).toEqual({ status: 'OK', writes: true })
    const end = console.stop()
    await expect.poll(async () => (await ask('/ready')).status).toBe(503)
    expect((await ask('/live')).status).toBe(200)
    expect((await ask('/health')).status).toBe(200)
    expect((await ask('/openapi.json')).status).toBe(200)
    expect((await fetch(metrics, { headers: { connection: 'close' } })).status).toBe(200)
    expect(await end).toBe(0)
    await expect(ask('/live')).rejects.toThrow()
  })

  test('completes requests that are under way at a SIGTERM, and cuts off after 10 s what takes longer', async () => {
    const console = await start()
    const [ending, hanging] = [await beginLogin(console.url), await beginLogin(console.url)]
    const stopped = console.stop()
    const since = performance.now()
    const [answer, nothing] = [text(ending), text(hanging).catch(() => '')]
    await expect.poll(() => console.output()).toContain('Stopping')
    await pause(500)
    ending.write('}')
    expect(await answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(await nothing).toBe('')
    const seconds = (performance.now() - since) / 1000
    expect(seconds).toBeGreaterThan(9)
    // After 20 s it would be cut off because it takes so long to arrive.
    expect(seconds).toBeLessThan(18)
    expect(await stopped).toBe(0)
  })

  test('ends at a SIGTERM while one of its jobs never does, for which it waits 10 s', async () => {
    const before = await start()
    const sql = openAsSuperuser()
    // As what PostgreSQL cannot cancel, such as a read of a disk that is away.
    await sql.unsafe(`
      create or replace function forget_days_ahead() returns integer language plpgsql as $$
      begin
        loop
          begin
            perform pg_sleep(3600);
          exception when query_canceled then null;
          end;
        end loop;
      end $$`)
    await sql.end()
    await before.stop()
    const console = await start()
    const watching = openAsSuperuser()
    await expect
      .poll(() => watching`select from pg_stat_activity where query like 'select forget_days_ahead%'`)
      .toHaveLength(1)
    await watching.end()
    const since = performance.now()
    expect(await console.stop()).toBe(0)
    expect((performance.now() - since) / 1000).toBeGreaterThan(9)
  })

  test('stopped in the middle of its first start leaves no process, and starts again on its data folder', async () => {
    dataDir = freshFolder()
    const console = runConsole({ dataDir })
    while (!console.output().includes('Making the database')) await pause(10)
    expect(await console.stop()).toBe(0)
    expect(existsSync(join(dataDir, 'postgres-18', 'postmaster.pid'))).toBe(false)
    await start()
  })

  test('ends at a SIGTERM while it waits for a database that does not answer', async () => {
    const url = `postgres://console@127.0.0.1:${await freePort()}/shop`
    const console = runConsole({ dataDir, env: { DATABASE_URL: url, DATABASE_OWNER_URL: url } })
    running.push(console)
    await expect.poll(console.output, { timeout: 60_000 }).toContain('Waiting for the database')
    expect(await console.stop()).toBe(0)
    expect(console.output()).not.toContain('does not let Boxtree in')
  })

  test('killed in the middle of its first start starts normally the next time', async () => {
    dataDir = freshFolder()
    const console = runConsole({ dataDir })
    while (!console.output().includes('Making the database')) await pause(10)
    await console.stop('SIGKILL')
    await start()
  })

  test('killed while it runs starts again on the same database', async () => {
    const killed = await start()
    const pid = postmasterOf(dataDir)
    await killed.stop('SIGKILL')
    const { output } = await start()
    expect(output()).toContain('Database found running')
    expect(postmasterOf(dataDir)).toBe(pid)
  })

  test('warns where the days were counted in another time zone before, and where PostgreSQL has other rules for the zone than Node', async () => {
    const before = await start()
    const sql = openAsSuperuser()
    // The zone of a start is noted once the console serves.
    await expect.poll(() => otherZoneBefore(sql, 'Europe/Lisbon')).toBe('UTC')
    await sql.end()
    await before.stop()
    // Lagos is an hour ahead all year, as Lisbon is in summer alone.
    const otherRules = `Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
      construct: (target, [locale, options]) => Reflect.construct(target, [
        locale, { ...options, ...(/lisbon/i.test(options?.timeZone) && { timeZone: 'Africa/Lagos' }) }]) })`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(otherRules)}`
    const after = await startConsole({ dataDir, env: { TIME_ZONE: 'Europe/Lisbon', NODE_OPTIONS } })
    running.push(after)
    await expect.poll(after.output).toContain('TIME_ZONE is Europe/Lisbon, and was UTC at the last start')
    await expect
      .poll(after.output)
      .toMatch(/Node\.js and PostgreSQL have different rules for Europe\/Lisbon from \d{4}-\d\d-\d\d on,/)
    expect(before.output()).not.toMatch(/TIME_ZONE|different rules/)
  })

  test('is refused on a data folder that another console uses, which goes on', async () => {
    const { url } = await start()
    const second = runConsole({ dataDir })
    expect(await second.exit).toBe(1)
    expect(second.output()).toContain(`Another console is running on ${dataDir},`)
    expect((await fetch(`${url}/v1/health`)).status).toBe(200)
  })

  test('names a port that is taken, and leaves no database running', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const console = runConsole({ dataDir, env: { PORT: String(port) } })
    expect(await console.exit).toBe(1)
    expect(console.output()).toContain(`Port ${port} on 127.0.0.1 is taken`)
    expect(existsSync(join(dataDir, 'postgres-18', 'postmaster.pid'))).toBe(false)
    taken.close()
  })

  test('names a HOST on which it cannot listen, and keeps the first login for the next start', async () => {
    // A link-local address without its interface.
    const console = runConsole({ dataDir, env: { HOST: 'fe80::1' } })
    expect(await console.exit).toBe(1)
    expect(linesOf(console).at(-1)).toMatchObject({
      msg: expect.stringContaining('HOST is fe80::1, which is no address on which this machine can listen'),
    })
    expect(existsSync(join(dataDir, 'first-login'))).toBe(true)
  })

  test('is refused where its page is not built, and writes no file', async () => {
    const root = freshFolder()
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    copyRepository(root)
    rmSync(join(root, 'dist'))
    dataDir = freshFolder()
    const console = runConsole({ dataDir, root })
    running.push(console)
    expect(await Promise.race([console.exit, console.ready])).toBe(1)
    expect(console.output()).toContain(
      'The console is not built, or this user may not read it: run `rm -rf dist && node boxtree.mjs build` as its owner.',
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('names every fault of its configuration, and writes no file', async () => {
    dataDir = freshFolder()
    const console = runConsole({ dataDir, env: { PORT: 'http', TIME_ZONE: 'Mars/Olympus' } })
    expect(await console.exit).toBe(1)
    expect(console.output()).toContain('PORT must be')
    expect(console.output()).toContain('TIME_ZONE must be')
    expect(linesOf(console)).toMatchObject([{ level: 60 }])
    expect(existsSync(join(dataDir, 'secret-key'))).toBe(false)
  })

  test.each([
    ['may not write to', () => '/proc/self'],
    ['cannot look into', () => selfLink(join(dataDir, 'loop'))],
  ])('names a data folder that it %s in one sentence', async (_, folder) => {
    const at = folder()
    const console = runConsole({ dataDir: at })
    expect(await console.exit).toBe(1)
    expect(linesOf(console)).toMatchObject([
      { level: 60, msg: expect.stringMatching(`^DATA_DIR is ${at}, which you may not read and write; `) },
    ])
    expect(console.output()).not.toContain('    at ')
  })

  test('answers 503 while its database is down, and recovers by itself', async () => {
    const { url } = await start()
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    const statuses: number[] = []
    const ask = async () => {
      const { status } = await fetch(`${url}/v1/health`)
      statuses.push(status)
      return status
    }
    await ask()
    await expect.poll(ask, { timeout: 60_000, interval: 100 }).toBe(200)
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
  })
})

async function start() {
  const console = await startConsole({ dataDir })
  running.push(console)
  return console
}

/** Opens one connection to the console's own database. */
function openAsSuperuser() {
  const socket = join(dataDir, 'postgres-18', '.s.PGSQL.5432')
  return openPool({ socket, database: 'boxtree', user: 'postgres' }, { max: 1 })
}

/** Sends a login but for its last byte. */
async function beginLogin(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const headers = [
    'POST /v1/authenticate HTTP/1.1',
    'host: boxtree',
    'connection: close',
    'expect: 100-continue',
  ]
  socket.write([...headers, 'content-type: application/json', 'content-length: 2', '', '{'].join('\r\n'))
  // Before that the server knows of a connection only, which it may close.
  await once(socket, 'data')
  return socket.pause()
}

/** Makes a link to itself, into which nobody can look, whoever runs the tests. */
function selfLink(path: string): string {
  symlinkSync(path, path)
  return path
}

/** Returns the lines that a console has written, each of which must be JSON. */
function linesOf(console: { output(): string }): { level: number; msg: string }[] {
  return console
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { freshFolder, putCluster } from '../../test/support/folder.ts'
import { isRoot, offers } from '../../test/support/needs.ts'
import { postmasterIn, postmasterOf } from '../../test/support/processes.ts'
import { begin } from './begin.ts'
import { findBinaries } from './binaries.ts'
import { initialise } from './cluster.ts'
import { requireDatabase } from './database.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { findHome } from './home.ts'
import { type Connect, openPool } from './pool.ts'
import { stop } from './postmaster.ts'
import { run } from './run.ts'

let folder: string
let opened: Embedded[]
let children: ChildProcess[]

beforeEach(() => {
  folder = freshFolder()
  opened = []
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  // The newest first: an older one would stop the server of a newer one on its folder, which that one would start
  // again.
  for (const database of opened.reverse()) await database.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('the embedded database', () => {
  test('is durable, has no TCP port, and has its socket in a folder that others cannot open', async () => {
    const database = await open(join(folder, 'data'))
    expect(await settings(database.superuser)).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      synchronous_commit: 'on',
      unix_socket_directories: '.',
    })
    expect(lstatSync(dirname(database.socket)).mode & 0o777).toBe(0o700)
  })

  test('keeps its own log for a week, in a file for each day of it', async () => {
    const { superuser } = await open(join(folder, 'data'))
    const sql = openPool(superuser, { max: 1 })
    const [row] = await sql`
      select current_setting('log_filename') as name, current_setting('log_rotation_age') as age,
        current_setting('log_rotation_size') as size, current_setting('log_truncate_on_rotation') as truncated,
        current_setting('logging_collector') as collected`
    await sql.end()
    expect(row).toEqual({ name: 'postgresql-%a.log', age: '1d', size: '0', truncated: 'on', collected: 'on' })
  })

  test("takes the operator's settings from local.conf, but none that opens a way in, risks a write or logs what was typed", async () => {
    const dataDir = putCluster(join(folder, 'data'))
    await (await open(dataDir)).stop()
    const mine = { work_mem: '24MB', shared_buffers: '40MB', max_wal_size: '96MB' }
    const refused = {
      ...{ listen_addresses: 'localhost', unix_socket_directories: '/tmp', port: '5433' },
      ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', log_statement: 'all' },
    }
    const lines = Object.entries({ ...mine, ...refused }).map(([name, value]) => `${name} = '${value}'\n`)
    writeFileSync(join(dataDir, 'postgres-18', 'local.conf'), lines.join(''))
    const { superuser } = await open(dataDir)
    const shown = async (name: string) => Object.values((await query(superuser, `show ${name}`))[0] ?? {})[0]
    for (const [name, value] of Object.entries(mine)) expect(await shown(name), name).toBe(value)
    for (const [name, value] of Object.entries(refused)) expect(await shown(name), name).not.toBe(value)
  })

  test('lets no statement of the console put more than a quarter of the disk into temporary files', async () => {
    const { server, files } = await open(putCluster(join(folder, 'data')))
    const [limit] = await query(
      server,
      "select setting::float8 as kb from pg_settings where name = 'temp_file_limit'",
    )
    const { blocks, bsize } = statfsSync(files)
    expect(limit?.kb).toBeGreaterThan(0)
    expect(limit?.kb).toBeLessThanOrEqual((blocks * bsize) / 1024 / 4)
    await expect(query(server, 'set temp_file_limit = -1')).rejects.toThrow('permission denied')
  })

  test('gives the console a role that owns nothing and may create nothing', async () => {
    const database = await open(putCluster(join(folder, 'data')))
    await expect(query(database.server, 'create table mine (id int)')).rejects.toThrow('permission denied')
    await expect(query(database.server, 'create role mine')).rejects.toThrow('permission denied')
    await expect(query(database.owner, 'create role mine')).rejects.toThrow('permission denied')
    await query(database.owner, 'create table ours (id int)')
  })

  test('logs no value of a statement, not even of one that fails', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const database = await open(dataDir)
    for (const statement of ["select 'planted'::int", "select 1 / 0, 'planted'", 'select planted']) {
      await expect(query(database.server, statement)).rejects.toThrow()
    }
    await query(database.owner, "do $$ begin raise log 'written down'; end $$")
    await database.stop()
    const logs = join(dataDir, 'postgres-18', 'log')
    const written = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
    expect(written.join()).toContain('written down')
    expect(written.join()).not.toContain('planted')
  })

  test('leaves no process after it stops, and has its data at the next start', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const first = await open(dataDir)
    await query(first.owner, 'create table kept as select 7 as number')
    const pid = postmasterOf(dataDir)
    await first.stop()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    const second = await open(dataDir)
    expect(await query(second.owner, 'select number from kept')).toEqual([{ number: 7 }])
  })

  test('is adopted by the next console when a killed one left it running', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const child = await holdElsewhere(dataDir)
    const pid = postmasterOf(dataDir)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await open(dataDir)
    expect(postmasterOf(dataDir)).toBe(pid)
  })

  test('that is stopping, but waits for those who are in, is started again', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const { superuser } = await open(dataDir)
    const pid = postmasterOf(dataDir)
    const sql = openPool(superuser, { max: 1 })
    await sql`select 1`
    process.kill(pid, 'SIGTERM')
    const file = join(dataDir, 'postgres-18', 'postmaster.pid')
    await expect.poll(() => readFileSync(file, 'utf8')).toMatch(/^stopping/m)
    const guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
    opened.push(guest)
    expect(await query(guest.server, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(postmasterOf(dataDir)).not.toBe(pid)
    await sql.end()
  })

  test('that does not stop in time is ended at once, and keeps what was committed', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const console = await holdElsewhere(dataDir)
    const guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
    opened.push(guest)
    await query(guest.owner, 'create table kept as select 7 as number')
    const [checkpointer] = await query(
      guest.superuser,
      "select pid from pg_stat_activity where backend_type = 'checkpointer'",
    )
    console.kill('SIGKILL')
    await once(console, 'exit')
    process.kill(checkpointer?.pid, 'SIGSTOP')
    const home = await findHome(dataDir, findBinaries(), async () => {})
    // Of its first minute each look takes a second: the processes of one that is ended at once need real ones.
    let looks = 0
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      looks += 1
      now += looks < 80 ? 1_000 : 20
      return now
    })
    await stop(home)
    clock.mockRestore()
    expect(existsSync(join(dataDir, 'postgres-18', 'postmaster.pid'))).toBe(false)
    expect(await query((await open(dataDir)).owner, 'select number from kept')).toEqual([{ number: 7 }])
  })

  test('refuses a second console on its folder, and the first goes on', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const first = await open(dataDir)
    await expect(open(dataDir)).rejects.toThrow('Another console is running on')
    expect(await query(first.server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('can be used by a command beside the console, and keeps running after it', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const first = await open(dataDir)
    const guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
    expect(guest.held).toBe(false)
    await guest.stop()
    expect(await query(first.server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('that another user started says whose it is, also before a command asks for anything', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const { superuser } = await open(dataDir)
    const file = join(dataDir, 'postgres-18', 'pg_ident.conf')
    const ours = readFileSync(file, 'utf8')
    const sql = openPool(superuser, { max: 1 })
    const admit = async (identities: string) => {
      writeFileSync(file, identities)
      await sql`select pg_reload_conf()`
    }
    try {
      await admit(ours.replaceAll(/"[^"]+"/g, '"boxtree"'))
      const sentence =
        'The database was started by the user boxtree, and lets nobody else in: run this as boxtree'
      expect(() => requireDatabase({ dataDir, database: null })).toThrow(sentence)
      await expect(startEmbedded({ dataDir, say: () => {}, guest: true })).rejects.toThrow(sentence)
      await admit(ours)
      requireDatabase({ dataDir, database: null })
    } finally {
      await sql.end({ timeout: 1 })
    }
  })

  test('refuses the folder of another major version', async () => {
    mkdirSync(join(folder, 'data', 'postgres-17'), { recursive: true })
    await expect(open(join(folder, 'data'))).rejects.toThrow('is a database of PostgreSQL 17')
  })

  test('refuses a folder whose version file names another version, and leaves it as it is', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    await (await open(dataDir)).stop()
    const file = join(dataDir, 'postgres-18', 'PG_VERSION')
    writeFileSync(file, '19\n')
    await expect(open(dataDir)).rejects.toThrow('is a database of PostgreSQL 19')
    expect(readFileSync(file, 'utf8')).toBe('19\n')
  })

  test.runIf(isRoot('The test of a database that lies elsewhere'))(
    'in a folder that others than root may change says at each start where it is',
    async () => {
      const dataDir = join(folder, 'data')
      mkdirSync(dataDir)
      chownSync(dataDir, 1000, 1000)
      for (const _ of ['the first', 'the second']) {
        const said: string[] = []
        const database = await startEmbedded({ dataDir, say: (line) => said.push(line) })
        await database.stop()
        expect(said.join('\n')).toContain(`The database is in ${realpathSync(join(dataDir, 'postgres-18'))}`)
      }
    },
  )

  test.each(['$', '"', '`'])(
    'is refused at once where its programs lie in a folder with %s in its path',
    async (odd) => {
      const home = {
        binaries: join(folder, `a${odd}b`),
        cluster: join(folder, 'made'),
        runAs: null,
        shared: false,
      }
      await expect(initialise(home)).rejects.toThrow(
        'Move Boxtree to a folder without $, " and ` in its path: PostgreSQL cannot make its folder from there.',
      )
    },
  )

  test('works in a folder whose path is too long for a socket', async () => {
    const database = await open(join(folder, 'long'.repeat(30)))
    expect(await query(database.server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('starts after a power cut, even if another process has the process id of its old server', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    await (await open(dataDir)).stop()
    writeFileSync(
      join(dataDir, 'postgres-18', 'postmaster.pid'),
      `${process.pid}\n${dataDir}/postgres-18\n1\n5432\n.\n\n  1 1\n`,
    )
    expect(await query((await open(dataDir)).server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('is started again when its server dies, and transactions go on', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const database = await open(dataDir)
    const pid = postmasterOf(dataDir)
    process.kill(pid, 'SIGKILL')
    const sql = openPool(database.server, { max: 2 })
    const again = () => begin(sql, (sql) => sql`select 1 as one`).catch(() => null)
    await expect.poll(again, { timeout: 60_000 }).toEqual([{ one: 1 }])
    await sql.end()
    expect(postmasterOf(dataDir)).not.toBe(pid)
  })

  test('says once why it cannot be started again, and goes on as soon as it can', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const said: string[] = []
    const database = await startEmbedded({ dataDir, say: (line) => said.push(line) })
    opened.push(database)
    const settings = join(dataDir, 'postgres-18', 'local.conf')
    writeFileSync(settings, "no_such_setting = 'x'\n")
    process.kill(postmasterOf(dataDir), 'SIGKILL')
    const faults = () => said.filter((line) => line.includes('PostgreSQL did not start'))
    await expect.poll(faults, { timeout: 60_000 }).toHaveLength(1)
    expect(faults()[0]).toContain('no_such_setting')
    // Meanwhile it is tried several times, and connections of the killed server write why they end.
    const logs = join(dataDir, 'postgres-18', 'log')
    const [log = ''] = readdirSync(logs)
    for (let times = 0; times < 100; times += 1) {
      appendFileSync(
        join(logs, log),
        '2026-11-28 16:00:00 UTC [7] FATAL:  terminating connection due to unexpected postmaster exit\n',
      )
      await pause(20)
    }
    rmSync(settings)
    const sql = openPool(database.server, { max: 1 })
    const again = () => begin(sql, (sql) => sql`select 1 as one`).catch(() => null)
    await expect.poll(again, { timeout: 60_000 }).toEqual([{ one: 1 }])
    await sql.end()
    expect(faults()).toEqual([expect.stringContaining('no_such_setting')])
  })

  test('says from its log why it did not start', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    await (await open(dataDir)).stop()
    const log = join(dataDir, 'postgres-18', 'pg_wal')
    for (const name of readdirSync(log)) if (/^[0-9A-F]{24}$/.test(name)) rmSync(join(log, name))
    const error: unknown = await open(dataDir).catch((error: unknown) => error)
    expect(String(error)).toMatch(
      /PostgreSQL did not start on .*:\n.*PANIC: +could not locate a valid checkpoint/s,
    )
    expect(String(error)).not.toContain('redirecting log output')
  })

  test('that is still recovering is stopped in order where the program is told to stop', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    await (await open(dataDir)).stop()
    const cluster = join(dataDir, 'postgres-18')
    writeFileSync(join(cluster, 'local.conf'), "restore_command = 'sleep 600'\n")
    writeFileSync(join(cluster, 'recovery.signal'), '')
    const stopping = new AbortController()
    const starting = startEmbedded({ dataDir, say: () => {}, stopping: stopping.signal })
    const pid = () => postmasterIn(cluster) ?? 0
    await expect.poll(pid, { timeout: 60_000 }).toBeGreaterThan(0)
    const recovering = pid()
    stopping.abort()
    await expect(starting).rejects.toThrow('aborted')
    expect(pid()).toBe(0)
    expect(() => process.kill(recovering, 0)).toThrow('ESRCH')
  })
})

/** A program that starts another one with fewer rights. */
const SETPRIV = '/usr/bin/setpriv'
const canLoseRights = offers(existsSync(SETPRIV), 'The tests of a database in a container', SETPRIV)
const asRoot = isRoot('The tests of a database whose console runs as root')

describe.runIf(asRoot)('the embedded database of a console that runs as root', () => {
  test('is stored elsewhere if its user cannot enter the data folder', async () => {
    chmodSync(folder, 0o700)
    const dataDir = join(folder, 'data')
    const database = await open(dataDir)
    expect(await query(database.server, 'select 1 as one')).toEqual([{ one: 1 }])
    const cluster = realpathSync(join(dataDir, 'postgres-18'))
    expect(cluster).toMatch(/^\/var\/lib\/boxtree\/[0-9a-f]{16}-[0-9a-f]{8}\/postgres-18$/)
    expect(lstatSync(cluster).uid).not.toBe(0)
    await database.stop()
    rmSync(dirname(cluster), { recursive: true })
    await expect(open(dataDir)).rejects.toThrow('leads to a folder that is not there')
    expect(existsSync(cluster)).toBe(false)
  })

  test('is adopted where it runs in another container, whose processes cannot be seen', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    await open(dataDir)
    const file = join(dataDir, 'postgres-18', 'postmaster.pid')
    const lines = readFileSync(file, 'utf8').split('\n')
    const unseen = ['4194304', ...lines.slice(1)].join('\n')
    writeFileSync(file, unseen)
    const guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
    expect(guest.held).toBe(false)
    await expect(startEmbedded({ dataDir, say: () => {} })).rejects.toThrow('Another console')
    await guest.stop()
    expect(readFileSync(file, 'utf8')).toBe(unseen)
    writeFileSync(file, lines.join('\n'))
  })

  test.runIf(canLoseRights)(
    'starts, is found again and stops in a container, where root may not look at the processes of others',
    { timeout: 120_000 },
    async () => {
      const program = `
        import { startEmbedded } from ${JSON.stringify(join(import.meta.dirname, 'embedded.ts'))}
        const start = (guest) => startEmbedded({ dataDir: process.argv[2], say: () => {}, guest })
        const [first, second] = [await start(false), await start(true)]
        await second.stop()
        await first.stop()
        console.log('It served, and is stopped')`
      const file = join(folder, 'start.mts')
      writeFileSync(file, program)
      const less = ['--bounding-set', '-sys_ptrace', '--inh-caps', '-sys_ptrace', process.execPath]
      const { code, output } = await run(SETPRIV, [...less, file, join(folder, 'data')], null)
      expect([code, output]).toEqual([0, expect.stringContaining('It served, and is stopped')])
      expect(existsSync(join(folder, 'data', 'postgres-18', 'postmaster.pid'))).toBe(false)
    },
  )

  test('is stored elsewhere if another user may change the data folder', async () => {
    const theirs = join(folder, 'theirs')
    mkdirSync(theirs)
    chownSync(theirs, NOBODY, NOBODY)
    await open(join(theirs, 'data'))
    const cluster = realpathSync(join(theirs, 'data', 'postgres-18'))
    expect(cluster).toMatch(/^\/var\/lib\/boxtree\//)
    await opened.pop()?.stop()
    rmSync(dirname(cluster), { recursive: true })
  })

  test('runs as a uid that no account has, so that a process of nobody can read none of its files', async () => {
    const dataDir = join(folder, 'data')
    await open(dataDir)
    const cluster = join(dataDir, 'postgres-18')
    const { uid } = lstatSync(cluster)
    expect(readFileSync('/etc/passwd', 'utf8')).not.toMatch(new RegExp(`^[^:]*:[^:]*:${uid}:`, 'm'))
    expect(lstatSync(`/proc/${postmasterOf(dataDir)}`).uid).toBe(uid)
    for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
      expect(lstatSync(join(cluster, name), { throwIfNoEntry: false })?.uid ?? uid, name).toBe(uid)
    }
    const look = await run('/bin/sh', ['-c', 'ls "$1" || cat "$1/PG_VERSION"', 'sh', cluster], AS_NOBODY)
    expect(look.code).not.toBe(0)
    expect(look.output).not.toMatch(/base|18$/)
  })

  test('is created in a folder that no process of nobody may enter, although initdb runs as nobody', async () => {
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir, { mode: 0o711 })
    // Tries all the while to get at what is being made.
    const spy = startAsNobody(
      'while :; do for gate in "$1"/.postgres-18.*; do ls "$gate/postgres-18" 2>/dev/null && echo ENTERED; done; done',
      // The name is known to whoever knows the number of the process.
      dataDir,
    )
    const gate = join(dataDir, `.postgres-18.${process.pid}`)
    const guess = startAsNobody(
      'while :; do ls "$1" 2>/dev/null && echo ENTERED; done',
      join(gate, 'postgres-18'),
    )
    await open(dataDir)
    expect(spy.output() + guess.output()).toBe('')
  })

  test('starts with the files of an earlier version that belong to nobody, and warns who may read them', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    await leaveToNobody(dataDir)
    const said: string[] = []
    const database = await startEmbedded({ dataDir, say: (line) => said.push(line) })
    opened.push(database)
    expect(await query(database.owner, 'select number from kept')).toEqual([{ number: 7 }])
    expect(lstatSync(`/proc/${postmasterOf(dataDir)}`).uid).toBe(NOBODY)
    expect(said.join()).toContain("The database runs as 'nobody'")
  })

  test.each(['start.log', 'postmaster.pid', 'postgresql.conf', '.s.PGSQL.5432.lock'])(
    'starts even if a process of nobody has replaced %s by a pipe',
    async (name) => {
      const dataDir = putCluster(join(folder, 'data'))
      await leaveToNobody(dataDir)
      const file = join(dataDir, 'postgres-18', name)
      const { code } = await run('/bin/sh', ['-c', 'rm -f "$1"; mkfifo "$1"', 'sh', file], AS_NOBODY)
      expect(code).toBe(0)
      expect(await query((await open(dataDir)).owner, 'select number from kept')).toEqual([{ number: 7 }])
    },
  )

  test('shows no file of root if a process of nobody has replaced the log by a link to it', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const secret = rootsFile()
    await leaveToNobody(dataDir)
    const cluster = join(dataDir, 'postgres-18')
    // The server that does not start, and a process of nobody that waits for the log of it.
    writeFileSync(join(cluster, 'local.conf'), "no_such_setting = 'x'\n")
    startAsNobody('while :; do ln -sf "$2" "$1/start.log"; done', cluster, secret)
    const fault = await open(dataDir).catch((error: Error) => error)
    expect(String(fault)).toContain('PostgreSQL did not start')
    expect(String(fault)).not.toContain('for root alone')
  })

  test('gives no file of root to a process of nobody that replaces a written file by a link', async () => {
    const dataDir = putCluster(join(folder, 'data'))
    const secret = rootsFile()
    await leaveToNobody(dataDir)
    startAsNobody(
      `cd "$1"
      while :; do
        for name in postgresql.conf.* pg_hba.conf.* pg_ident.conf.*; do
          test -f "$name" && ln -sf "$2" "$name"
        done
      done`,
      join(dataDir, 'postgres-18'),
      secret,
    )
    for (let start = 0; start < 10; start += 1) {
      await startEmbedded({ dataDir, say: () => {} }).then(
        (database) => database.stop(),
        // What nobody does to its own server may keep it from starting.
        () => {},
      )
    }
    const { uid, mode } = lstatSync(secret)
    expect([uid, mode & 0o777]).toEqual([0, 0o600])
    expect(readFileSync(secret, 'utf8')).toBe('for root alone\n')
  })

  const NOBODY = 65_534
  const AS_NOBODY = { uid: NOBODY, gid: NOBODY }

  /** A database of before there was a user of its own, with a table in it, and stopped. */
  async function leaveToNobody(dataDir: string): Promise<void> {
    const database = await open(dataDir)
    await query(database.owner, 'create table kept as select 7 as number')
    await database.stop()
    await run(
      '/bin/sh',
      ['-c', 'chown -hR "$2" "$1"', 'sh', join(dataDir, 'postgres-18'), '65534:65534'],
      null,
    )
  }

  function rootsFile(): string {
    const file = join(folder, 'secret')
    writeFileSync(file, 'for root alone\n', { mode: 0o600 })
    return file
  }

  function startAsNobody(script: string, ...args: string[]): { output(): string } {
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], { cwd: '/', ...AS_NOBODY })
    children.push(child)
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    return { output: () => output }
  }
})

async function open(dataDir: string): Promise<Embedded> {
  const database = await startEmbedded({ dataDir, say: () => {} })
  opened.push(database)
  return database
}

async function query(to: Connect, statement: string) {
  const sql = openPool(to, { max: 1 })
  try {
    return [...(await sql.unsafe(statement))]
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function settings(to: Connect): Promise<Record<string, string>> {
  const rows = await query(
    to,
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit',
      'data_checksums', 'listen_addresses', 'unix_socket_directories')`,
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

/** Another process that holds the folder as a console does. */
async function holdElsewhere(dataDir: string): Promise<ChildProcess> {
  const program = `
    const { startEmbedded } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded.ts'))})
    await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, say() {} })
    console.log('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout, 'data')
  return child
}

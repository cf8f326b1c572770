import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshFolder } from '../../test/support/folder.ts'
import { begin } from './begin.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { type Connect, openPool } from './pool.ts'

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
  for (const database of opened) await database.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('the embedded database', () => {
  test('runs durably, on a socket in a folder that is closed to others, without a TCP port', async () => {
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

  test('gives the console a role that owns nothing and may make nothing', async () => {
    const database = await open(join(folder, 'data'))
    await expect(query(database.server, 'create table mine (id int)')).rejects.toThrow('permission denied')
    await expect(query(database.server, 'create role mine')).rejects.toThrow('permission denied')
    await expect(query(database.owner, 'create role mine')).rejects.toThrow('permission denied')
    await query(database.owner, 'create table ours (id int)')
  })

  test('writes down nothing of what a statement holds, not even of one that fails', async () => {
    const dataDir = join(folder, 'data')
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

  test('no process remains after a stop, and a later start finds what was written', async () => {
    const dataDir = join(folder, 'data')
    const first = await open(dataDir)
    await query(first.owner, 'create table kept as select 7 as number')
    const pid = postmaster(dataDir)
    await first.stop()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    const second = await open(dataDir)
    expect(await query(second.owner, 'select number from kept')).toEqual([{ number: 7 }])
  })

  test('a start adopts the server that a killed console left running', async () => {
    const dataDir = join(folder, 'data')
    const child = await holdElsewhere(dataDir)
    const pid = postmaster(dataDir)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await open(dataDir)
    expect(postmaster(dataDir)).toBe(pid)
  })

  test('a second console on the folder is refused, and the first is unharmed', async () => {
    const dataDir = join(folder, 'data')
    const first = await open(dataDir)
    await expect(open(dataDir)).rejects.toThrow('Another console is running on')
    expect(await query(first.server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('a guest works beside the console, and leaves the server running', async () => {
    const dataDir = join(folder, 'data')
    const first = await open(dataDir)
    const guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
    expect(guest.held).toBe(false)
    await guest.stop()
    expect(await query(first.server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('the folder of another major version is refused', async () => {
    mkdirSync(join(folder, 'data', 'postgres-17'), { recursive: true })
    await expect(open(join(folder, 'data'))).rejects.toThrow('is a database of PostgreSQL 17')
  })

  test('a folder that says another version inside is refused, and left as it is', async () => {
    const dataDir = join(folder, 'data')
    await (await open(dataDir)).stop()
    const file = join(dataDir, 'postgres-18', 'PG_VERSION')
    writeFileSync(file, '19\n')
    await expect(open(dataDir)).rejects.toThrow('is a database of PostgreSQL 19')
    expect(readFileSync(file, 'utf8')).toBe('19\n')
  })

  test('a path that is too long for a socket works', async () => {
    const database = await open(join(folder, 'long'.repeat(30)))
    expect(await query(database.server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('the file of a server that a power cut ended stops no start, even when its number is alive again', async () => {
    const dataDir = join(folder, 'data')
    await (await open(dataDir)).stop()
    writeFileSync(
      join(dataDir, 'postgres-18', 'postmaster.pid'),
      `${process.pid}\n${dataDir}/postgres-18\n1\n5432\n.\n\n  1 1\n`,
    )
    expect(await query((await open(dataDir)).server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('a server that dies is started again, and transactions go on', async () => {
    const dataDir = join(folder, 'data')
    const database = await open(dataDir)
    const pid = postmaster(dataDir)
    process.kill(pid, 'SIGKILL')
    const sql = openPool(database.server, { max: 2 })
    const again = () => begin(sql, (sql) => sql`select 1 as one`).catch(() => null)
    await expect.poll(again, { timeout: 20_000 }).toEqual([{ one: 1 }])
    await sql.end()
    expect(postmaster(dataDir)).not.toBe(pid)
  })

  test.runIf(process.getuid?.() === 0)('root runs it from a folder that nobody else may enter', async () => {
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

function postmaster(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres-18', 'postmaster.pid'), 'utf8').split('\n')[0])
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

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { proveTheBooks } from '../../test/support/books.ts'
import { CERTIFICATES } from '../../test/support/certificates.ts'
import { type Console, INHERITED, runConsole, startConsole } from '../../test/support/console.ts'
import { type External, put, startExternal } from '../../test/support/external.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { newClient, Person } from '../../test/support/world.ts'
import { MANIFEST, readManifest, tableFile } from '../backup/archive.ts'
import { openPool, withPool } from './pool.ts'

const PASSWORD = 'a-password-of-theirs'
const run = promisify(execFile)

let external: External
let dataDir: string
let shop: Console
beforeAll(async () => {
  external = await startExternal(freshFolder())
  dataDir = freshFolder()
  shop = await start()
})
afterAll(async () => {
  await shop?.stop()
  await external?.stop()
})

function start(): Promise<Console> {
  const env = { ...external.env, CAPTCHA_PROVIDER: 'none', ADMIN_PASSWORD: PASSWORD }
  return startConsole({ dataDir, env })
}

async function signIn(name: string, at = shop): Promise<Person> {
  const nobody = new Person(at, { id: 0, name: '', role: 'dealer', token: '' })
  const { token, role } = await nobody.call(calls.session.login, {
    login_username: name,
    login_password: PASSWORD,
  })
  return new Person(at, { id: 0, name, role, token })
}

describe('with an external PostgreSQL', () => {
  test('a start says a few sentences, and none of the notices of the database', () => {
    const lines = shop.output().trim().split('\n')
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) })
    expect(lines.length, shop.output()).toBeLessThan(10)
  })

  test('credits pass down the tree and pay for months of service', async () => {
    const admin = await signIn('admin')
    await admin.call(calls.level.superreseller.create, { login: 'north', password: PASSWORD })
    await admin.call(calls.level.superreseller.save, { name: 'north', credits: 50, transaction: 0 })
    const north = await signIn('north')
    await north.call(calls.level.reseller.create, { login: 'city', password: PASSWORD })
    await north.call(calls.level.reseller.save, { name: 'city', credits: 40, transaction: 0 })
    const city = await signIn('city')
    await city.call(calls.level.dealer.create, { login: 'corner', password: PASSWORD })
    await city.call(calls.level.dealer.save, {
      name: 'corner',
      credits: 30,
      transaction: 0,
      desc: 'Corner shop',
    })
    const corner = await signIn('corner')
    const { login: name } = newClient()
    await corner.call(calls.clients.create, newClient({ login: name, months: 3, desc: 'Café 100%' }))
    await corner.call(calls.clients.renew, { name, months: 2 }, { key: 'renewed-once' })
    await corner.call(calls.clients.renew, { name, months: 2 }, { key: 'renewed-once' })
    await corner.call(calls.clients.retrieve, { login: name, credits: 4 })
    expect((await corner.call(calls.clients.list, { search: 'CAFÉ 100%' })).count).toBe(1)
    expect((await corner.call(calls.clients.history, { name })).map(({ type }) => type)).toEqual([
      'RETRIEVED',
      'USED',
      'USED',
    ])
    expect((await corner.call(calls.credits.dealer)).credits).toBe(29)
    await city.call(calls.level.dealer.save, { name: 'corner', credits: 29, transaction: 1 })
    const short = await corner.refused('insufficient_credits', calls.clients.renew, { name, months: 1 })
    expect(short.message).toBe('You have 0 credits; this needs 1.')
  })

  test('the console starts again with the same data', async () => {
    expect(await shop.stop()).toBe(0)
    shop = await start()
    expect((await (await signIn('corner')).call(calls.clients.list)).count).toBe(1)
  })

  test('while the standby is away for which each commit waits the console starts, and commands end and say what may have come of it', async () => {
    const superuser = openPool(external.at('postgres', 'postgres'), { max: 1 })
    expect(await shop.stop()).toBe(0)
    // After a checkpoint the first id that a sequence gives is logged, even where the insert then inserts nothing, and
    // the commit waits until the standby has this.
    await superuser`checkpoint`
    await superuser`alter system set synchronous_standby_names = '*'`
    await superuser`select pg_reload_conf()`
    try {
      // Alone, because it takes another command for a console.
      expect(await fault('rotate-key')).toMatch(/ Nothing was done\.\n$/)
      expect(existsSync(join(dataDir, 'secret-key.next'))).toBe(false)
      const changed = fault('admin-password')
      shop = await start()
      const ready = await fetch(`${shop.url}/v1/ready`)
      expect(ready.status).toBe(200)
      expect(await changed).toMatch(/ may have been made all the same\. Run the same again, .*\n$/)
    } finally {
      await superuser`alter system reset synchronous_standby_names`
      await superuser`select pg_reload_conf()`
      await superuser.end()
    }

    /** Runs a command that fails, and returns what it says. */
    async function fault(command: string): Promise<string> {
      const running = run(process.execPath, [join(import.meta.dirname, `../commands/${command}.ts`)], {
        env: { ...INHERITED, DATA_DIR: dataDir, ...external.env },
        // Only one that hangs is ended by this.
        timeout: 60_000,
      })
      running.child.stdin?.end(`${PASSWORD}\n`)
      const { code, stderr } = await running.then(
        () => expect.fail(`${command} did not fail`),
        (error: { code: number; stderr: string }) => error,
      )
      expect(code, stderr).toBe(1)
      return stderr
    }
  })

  test('npm run rotate-key changes the key while no console runs', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...external.env }
    const rotate = () =>
      run(process.execPath, [join(import.meta.dirname, '../commands/rotate-key.ts')], { env })
    await expect(rotate()).rejects.toThrow('A console is running on this database')
    await shop.stop()
    const before = readFileSync(join(dataDir, 'secret-key'), 'utf8')
    expect((await rotate()).stdout).toContain('encrypted with the new key')
    expect(readFileSync(join(dataDir, 'secret-key'), 'utf8')).not.toBe(before)
    shop = await start()
  })

  test('a start without the key that the database has says so, and makes none', async () => {
    const other = freshFolder()
    const env = { ...external.env, CAPTCHA_PROVIDER: 'none' }
    await expect(startConsole({ dataDir: other, env })).rejects.toThrow(
      `There is no secret-key in ${other}, and this database has one`,
    )
    expect(existsSync(join(other, 'secret-key'))).toBe(false)
  })

  test('a start with a role that may make no tables says which one is needed', async () => {
    const superuser = openPool(external.at('postgres', 'postgres'), { max: 1 })
    await superuser`create database bare`.finally(() => superuser.end())
    const env = { DATABASE_URL: external.at('console', 'bare') }
    await expect(startConsole({ dataDir: freshFolder(), env })).rejects.toThrow(
      'may not make or change the tables; give the role that owns the database',
    )
  })

  test('a start on a database of something else changes nothing in it, and says so', async () => {
    const superuser = openPool(external.at('postgres', 'postgres'), { max: 1 })
    await superuser`create database elsewhere owner holder`.finally(() => superuser.end())
    const owner = openPool(external.at('holder', 'elsewhere'), { max: 1 })
    try {
      await owner`create table note (text text)`
      const env = { DATABASE_URL: external.at('holder', 'elsewhere') }
      await expect(startConsole({ dataDir: freshFolder(), env })).rejects.toThrow(
        'The database of DATABASE_URL has tables of something else, and nothing was changed in it',
      )
      expect(
        await owner`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
      ).toEqual([{ relname: 'note' }])
    } finally {
      await owner.end()
    }
  })

  test('one ordinary role that owns the tables and runs the console does both, with a warning', async () => {
    const superuser = openPool(external.at('postgres', 'postgres'), { max: 1 })
    await superuser`create database alone owner holder`.finally(() => superuser.end())
    const env = { DATABASE_URL: external.at('holder', 'alone'), CAPTCHA_PROVIDER: 'none' }
    const alone = await startConsole({ dataDir: freshFolder(), env: { ...env, ADMIN_PASSWORD: PASSWORD } })
    try {
      const admin = await signIn('admin', alone)
      await admin.call(calls.level.superreseller.create, { login: 'north', password: PASSWORD })
      await admin.call(calls.level.superreseller.save, { name: 'north', credits: 5, transaction: 0 })
      expect(alone.output()).toContain('Warning: holder owns the tables and runs the console too')
    } finally {
      await alone.stop()
    }
  })

  test('a start with a wrong password says so at once, also where another host is away', async () => {
    const url = external.env.DATABASE_URL.replace('of-the-test@', 'of-nobody@127.0.0.1:1,')
    const { exit, output } = runConsole({ dataDir: freshFolder(), env: { DATABASE_URL: url } })
    expect(await exit).toBe(1)
    expect(output()).toContain('does not let Boxtree in: password authentication failed for user')
    expect(output()).not.toContain('Waiting for the database')
  })

  test('a connection over TLS accepts the certificate that an authority of your own has given an IP address, and no other', async () => {
    const superuser = openPool(external.at('postgres', 'postgres'), { max: 1 })
    for (const name of ['server.crt', 'server.key'])
      put(external.home, name, readFileSync(join(CERTIFICATES, name), 'utf8'))
    await superuser`alter system set ssl = on`
    await superuser`select pg_reload_conf()`
    await superuser.end()
    const urls = Object.entries(external.env).map(([name, url]) => [name, `${url}?sslmode=verify-full`])
    const verify = (more: Record<string, string>) =>
      run(process.execPath, ['server/commands/verify.ts'], {
        env: { ...INHERITED, DATA_DIR: dataDir, ...Object.fromEntries(urls), ...more },
      })
    const authority = { NODE_EXTRA_CA_CERTS: join(CERTIFICATES, 'authority.crt') }
    expect((await verify(authority)).stdout).toContain('The ledger is sound.')
    await expect(verify({})).rejects.toThrow(
      "is not known here; set NODE_EXTRA_CA_CERTS to the file of your authority's certificate.",
    )
    const DATABASE_URL = `${external.env.DATABASE_URL.replace('127.0.0.1', 'localhost')}?sslmode=verify-full`
    await expect(verify({ ...authority, DATABASE_URL })).rejects.toThrow(
      "does not let Boxtree in: Hostname/IP does not match certificate's altnames",
    )
  })

  test('PostgreSQL notices within a minute that the machine of long work is gone, so that its locks end', async () => {
    await withPool(external.env.DATABASE_OWNER_URL, { max: 1, isLong: true }, async (sql) => {
      expect(
        await sql`
          select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
            current_setting('tcp_keepalives_count') as count`,
      ).toEqual([{ idle: '30', interval: '10', count: '3' }])
    })
  })

  test('npm run verify finds the ledger sound', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...external.env }
    const verify = join(import.meta.dirname, '../commands/verify.ts')
    const { stdout } = await run(process.execPath, [verify], { env })
    expect(stdout).toContain('The ledger is sound.')
    const sql = openPool(external.env.DATABASE_OWNER_URL, { max: 1 })
    await proveTheBooks(sql).finally(() => sql.end())
  })

  test('a backup of the running console, called from another folder, can be restored into an embedded database, and an unsound one says so', async () => {
    const { env, restore } = await backedUp()
    const elsewhere = join(freshFolder(), 'data')
    const restored = await run(process.execPath, restore, { env: { PATH: env.PATH, DATA_DIR: elsewhere } })
    expect(restored.stdout).toContain('The ledger is sound.\nRestored as it was at ')
    await expect(run(process.execPath, restore, { env })).rejects.toThrow('The database is not empty')
    addCredits(restore[1] ?? '')
    const another = { PATH: env.PATH, DATA_DIR: join(freshFolder(), 'data') }
    await expect(run(process.execPath, restore, { env: another })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /The ledger is NOT sound\.\nThe rows of \S+ were restored, but their ledger is not sound\. Use another backup\.\n$/,
      ),
    })
    const copy = await startConsole({ dataDir: elsewhere, env: { CAPTCHA_PROVIDER: 'none' } })
    try {
      const corner = await signIn('corner', copy)
      const { data } = await corner.call(calls.clients.list)
      expect(await corner.call(calls.clients.detail, { name: data[0]?.name ?? '' })).toMatchObject({
        password: 'secret-tv',
        description: 'Café 100%',
      })
    } finally {
      await copy.stop()
    }
  })

  test('a backup is restored with one role for everything, of which verify only warns', async () => {
    const { env, restore } = await backedUp()
    await makeDatabase('alone_again', 'owner holder')
    const one = {
      PATH: env.PATH,
      DATA_DIR: freshFolder(),
      DATABASE_URL: external.at('holder', 'alone_again'),
    }
    const restored = await run(process.execPath, restore, { env: one })
    expect(restored.stdout).toContain('The ledger is sound.\nRestored as it was at ')
    const verify = join(import.meta.dirname, '../commands/verify.ts')
    const { stdout } = await run(process.execPath, [verify], { env: one })
    expect(stdout).toMatch(/^Warning: holder owns the tables .*\nLooked at .*\nThe ledger is sound\.\n$/)
    // Of two roles, the console's is judged also where nobody names the other.
    const { DATABASE_URL } = external.env
    const owner = openPool(external.env.DATABASE_OWNER_URL, { max: 1 })
    await owner`grant update on transfer to console`
    const alone = { PATH: env.PATH, DATA_DIR: dataDir, DATABASE_URL }
    await expect(run(process.execPath, [verify], { env: alone })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("The console's role console has the right to UPDATE on transfer."),
    })
    await owner`revoke update on transfer from console`.finally(() => owner.end())
  })

  test.each([
    [
      'small_set',
      "owner holder template template0 encoding 'LATIN1' locale 'C'",
      'must have the encoding UTF8',
    ],
    ['of_another', '', 'may not make or change the tables; give the role that owns the database'],
  ])(
    'a restore into the database %s, on which no console can start, says why and makes no table',
    async (name, made, why) => {
      const { env, restore } = await backedUp()
      await makeDatabase(name, made)
      const there = { PATH: env.PATH, DATA_DIR: freshFolder(), DATABASE_URL: external.at('holder', name) }
      await expect(run(process.execPath, restore, { env: there })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(why),
      })
      const sql = openPool(external.at('postgres', name), { max: 1 })
      const tables = await sql`select from pg_class where relnamespace = 'public'::regnamespace`
      await sql.end()
      expect(tables).toHaveLength(0)
    },
  )

  test('a start, and a backup, are refused where the two addresses name different databases', async () => {
    const env = { ...external.env, DATABASE_OWNER_URL: external.at('holder', 'postgres') }
    const sentence = 'DATABASE_URL and DATABASE_OWNER_URL name two different databases'
    const started = runConsole({ dataDir: freshFolder(), env })
    expect(await started.exit).toBe(1)
    expect(started.output()).toContain(sentence)
    const folder = join(freshFolder(), 'backup')
    const backup = run(process.execPath, ['server/commands/backup.ts', folder], {
      env: { ...INHERITED, ...env, DATA_DIR: dataDir },
    })
    await expect(backup).rejects.toMatchObject({ stderr: expect.stringContaining(sentence) })
    expect(existsSync(folder)).toBe(false)
  })

  test.each([
    'update transfer set credits = 1',
    'delete from transfer',
    'truncate transfer',
    'truncate transfer cascade',
    'update holding set balance = balance + 1',
    "insert into holding (account, kind) values (1, 'balance')",
    'update audit set at = now()',
    'delete from audit',
    'delete from account',
    'delete from client',
    "update account set role = 'admin'",
    'alter table transfer disable trigger all',
    'drop table transfer',
    "set session_replication_role = 'replica'",
    'create table mine (id int)',
    'create temporary table mine (id int)',
  ])("the console's role cannot %s", async (statement) => {
    const sql = openPool(external.env.DATABASE_URL, { max: 1 })
    await expect(sql.unsafe(statement).finally(() => sql.end())).rejects.toMatchObject({ code: '42501' })
  })

  test.each(['update transfer set credits = 1', 'delete from transfer', 'truncate transfer'])(
    'not even the owner of the tables can %s by mistake',
    async (statement) => {
      const sql = openPool(external.env.DATABASE_OWNER_URL, { max: 1 })
      await expect(sql.unsafe(statement).finally(() => sql.end())).rejects.toMatchObject({ code: '42501' })
    },
  )
})

/** Takes a backup of the shop. Returns the variables of its commands, and the command that restores the backup. */
async function backedUp(): Promise<{ env: Record<string, string>; restore: string[] }> {
  const backup = join(freshFolder(), 'backup')
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, ...external.env }
  // As npm would run it for somebody in another folder: the path begins at Boxtree's own.
  const root = join(import.meta.dirname, '../..')
  const { stdout } = await run(
    process.execPath,
    [join(root, 'boxtree.mjs'), 'backup', relative(root, backup)],
    { env: { ...env, INIT_CWD: tmpdir() }, cwd: tmpdir() },
  )
  expect(stdout).toContain(`The backup is in ${backup}`)
  return { env, restore: [join(import.meta.dirname, '../commands/restore.ts'), backup] }
}

async function makeDatabase(name: string, how: string): Promise<void> {
  const superuser = openPool(external.at('postgres', 'postgres'), { max: 1 })
  await superuser.unsafe(`create database ${name} ${how}`).finally(() => superuser.end())
}

/** Adds a credit to the last balance of a backup, as a hand in the database before it was taken would have. */
function addCredits(backup: string): void {
  const file = tableFile(backup, 'holding')
  const rows = gunzipSync(readFileSync(file)).toString()
  const changed = gzipSync(rows.replace(/(\d+)\n$/, (_, balance) => `${Number(balance) + 1}\n`))
  writeFileSync(file, changed)
  const manifest = readManifest(backup)
  const tables = manifest.tables.map((table) =>
    table.name === 'holding'
      ? { ...table, sha256: createHash('sha256').update(changed).digest('hex') }
      : table,
  )
  writeFileSync(join(backup, MANIFEST), JSON.stringify({ ...manifest, tables }))
}

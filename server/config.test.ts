import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { openPool } from './postgres/pool.ts'

const folder = mkdtempSync(join(tmpdir(), 'boxtree-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('of the configuration,', () => {
  test('an empty environment gives the defaults', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      serve: { console: true, boxes: true },
      boxPort: null,
      dataDir: resolve('data'),
      database: null,
      adminLogin: 'admin',
      adminPassword: null,
      timeZone: 'UTC',
      captcha: { provider: 'altcha' },
      trialsPerDay: 20,
      playlist: { minutes: 60, isPrivateAllowed: false },
      streams: { servers: ['127.0.0.0/8', '::1'], comparesAddress: true },
      keepDays: 400,
      drainSeconds: 0,
      logLevel: 'info',
      backups: null,
      metrics: null,
      freeDiskMb: 256,
      trustedProxies: [],
      secretKey: null,
      newSecretKey: null,
    })
  })

  test('boxes have no port of their own where it is that of the console', () => {
    expect(readConfig({ BOX_PORT: '8080' }).boxPort).toBe(null)
    expect(readConfig({ BOX_PORT: '8088' }).boxPort).toBe(8088)
    expect(readConfig({ SERVE: 'boxes', BOX_PORT: '' })).toMatchObject({
      serve: { console: false, boxes: true },
      boxPort: null,
    })
  })

  test('the metrics are for this machine alone, unless told otherwise', () => {
    expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 })
    expect(readConfig({ METRICS_PORT: '9464', METRICS_HOST: '::' }).metrics?.host).toBe('::')
  })

  test('backups lie in the data folder, seven of them, unless told otherwise', () => {
    const every = { BACKUP_EVERY: '24', DATA_DIR: '/srv/boxtree' }
    expect(readConfig(every).backups).toEqual({ everyHours: 24, keep: 7, folder: '/srv/boxtree/backups' })
    expect(readConfig({ ...every, BACKUP_KEEP: '30', BACKUP_DIR: '/backups' }).backups).toEqual({
      ...{ everyHours: 24, keep: 30, folder: '/backups' },
    })
  })

  test.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'fe80::1%eth0', 'console.example'])(
    'a port is opened on an address or a name: %s',
    (host) => {
      expect(readConfig({ HOST: host }).host).toBe(host)
    },
  )

  test.each(['127.0.0.1:8080', ':8080', '[::1]', '[::1]:8080', 'http://127.0.0.1', '10.0.0.0/8', 'a b'])(
    'and on nothing else, which is told at once: %s',
    (host) => {
      expect(faultsOf({ HOST: host })).toContain('HOST must be an address or a name alone')
      expect(faultsOf({ METRICS_PORT: '9464', METRICS_HOST: host })).toContain(
        'METRICS_HOST must be an address',
      )
    },
  )

  test('an empty value counts as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', TIME_ZONE: ' ' })).toMatchObject({
      port: 8080,
      database: null,
    })
  })

  test('a URL of nothing but a line break is none, so that the one of the owner stands alone', () => {
    expect(faultsOf({ DATABASE_URL: '\n', DATABASE_OWNER_URL: 'postgres://owner@host/boxtree' })).toContain(
      'DATABASE_OWNER_URL is set without DATABASE_URL',
    )
  })

  test('every fault is named at once', () => {
    const faults = faultsOf({
      PORT: '80a',
      SERVE: 'console,films',
      BOX_PORT: 'tv',
      ADMIN_LOGIN: 'a b',
      ADMIN_PASSWORD: 'short',
      TIME_ZONE: '+02:00',
      CAPTCHA_PROVIDER: 'turnstile',
      TRIALS_PER_DAY: '-1',
      PLAYLIST_MINUTES: '1',
      PLAYLIST_PRIVATE: 'yes',
      STREAM_SERVERS: 'edge-one',
      STREAM_TOKEN_IP: 'no',
      DRAIN_SECONDS: '301',
      KEEP_DAYS: '0',
      FREE_DISK_MB: '1 GB',
      LOG_LEVEL: 'loud',
      METRICS_HOST: '::',
      BACKUP_KEEP: '3',
      BACKUP_DIR: '/backups',
      TRUSTED_PROXIES: '10.0.0.0/33, proxy',
      SECRET_KEY: 'abc',
      DATABASE_OWNER_URL: 'postgres://owner@host/boxtree',
    })
    for (const name of [
      'PORT',
      'SERVE',
      'BOX_PORT',
      'ADMIN_LOGIN',
      'ADMIN_PASSWORD',
      'TIME_ZONE',
      'CAPTCHA_SITE_KEY',
      'CAPTCHA_SECRET_KEY',
      'TRIALS_PER_DAY',
      'PLAYLIST_MINUTES',
      'PLAYLIST_PRIVATE must be on or off',
      "STREAM_SERVERS has 'edge-one'",
      'STREAM_TOKEN_IP must be on or off',
      'DRAIN_SECONDS',
      'KEEP_DAYS',
      'FREE_DISK_MB',
      'LOG_LEVEL',
      'METRICS_HOST is set without METRICS_PORT',
      'BACKUP_KEEP is set without BACKUP_EVERY',
      'BACKUP_DIR is set without BACKUP_EVERY',
      "TRUSTED_PROXIES has '10.0.0.0/33'",
      "TRUSTED_PROXIES has 'proxy'",
      'SECRET_KEY must be 32 bytes',
      'DATABASE_OWNER_URL is set without DATABASE_URL',
    ]) {
      expect(faults).toContain(name)
    }
  })

  test('keys of a captcha without its provider are a fault each, and so is a port for boxes that are not served', () => {
    const keys = { CAPTCHA_SITE_KEY: 'site', CAPTCHA_SECRET_KEY: 'secret' }
    const faults = faultsOf({ ...keys, SERVE: 'console', BOX_PORT: '8088' })
    for (const name of Object.keys(keys))
      expect(faults).toContain(`${name} is set without CAPTCHA_PROVIDER; set both, or neither.`)
    expect(faults).toContain('BOX_PORT is set, but SERVE leaves out the boxes')
    for (const env of [
      { ...keys, CAPTCHA_PROVIDER: 'none' },
      { SERVE: 'boxes', BOX_PORT: '8088' },
    ])
      expect(() => readConfig(env)).not.toThrow()
  })

  test('the message of a fault never contains a secret', () => {
    expect(faultsOf({ ADMIN_PASSWORD: 'hush', SECRET_KEY: 'hush', DATABASE_URL: 'hush' })).not.toContain(
      'hush',
    )
  })

  test.each([
    'postgres://boxtree:hu#sh@one:5432/shop',
    'postgres://boxtree:12#hush@one:5432/shop',
    'postgres://boxtree:hu/sh@one:5432/shop',
    'postgres://boxtree:12/hush@one:5432/shop',
    'postgres://boxtree:12?hush@one:5432/shop',
    'postgres://boxtree:hush%@one:5432/shop',
    'postgres://boxtree:12@hush@one,two/shop',
    'postgres://boxtree:hush@one:654321/shop',
    'postgres://boxtree:hush@one:5432,two:654321/shop',
    'mysql://boxtree:hush@one/shop',
  ])('a database URL that cannot be read is a fault, without its password: %s', (url) => {
    for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL']) {
      const faults = faultsOf({ DATABASE_URL: 'postgres://one/shop', [name]: url })
      expect(faults).toContain(`${name} must look like postgres://user:password@host:5432/database.`)
      expect(faults).not.toMatch(/hu|sh@/)
    }
  })

  test.each([
    'postgres://one/shop',
    'postgres://boxtree:p%23%2F%3F%40%25@one:5432,two:5433/shop?sslmode=require',
    'postgresql://boxtree:an@sign@[::1]:5432/shop',
    'postgres://boxtree@%2Frun%2Fpostgresql/shop',
  ])('a database URL that can be read is taken as it is: %s', (url) => {
    expect(readConfig({ DATABASE_URL: url }).database?.server).toBe(url)
  })

  test.each([
    ['sslmode=bogus', 'an unknown sslmode; write sslmode=verify-full, or sslmode=require'],
    ['sslmode=', 'an unknown sslmode'],
    ['sslmode=verify-full&sslrootcert=/etc/ca.crt', 'sslrootcert, which Boxtree does not read; take it out'],
    [
      'application_name=shop',
      'application_name, which Boxtree sets for each of its connections; take it out',
    ],
    ['sslmode=require&TimeZone=Asia/Tokyo', 'TimeZone, which Boxtree sets for each of its connections'],
    ['options=-c%20search_path=shop', "options, with which Boxtree's connections do not work; take it out"],
  ])('an option of a database URL that would be ignored is a fault: %s', (options, sentence) => {
    const url = `postgres://boxtree:hush@one:5432,two:5432/shop?${options}`
    for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL'])
      expect(faultsOf({ DATABASE_URL: 'postgres://one/shop', [name]: url })).toContain(
        `${name} has ${sentence}`,
      )
  })

  test('no setting of a connection that Boxtree makes may be replaced by a database URL', async () => {
    const sql = openPool('postgres://one/shop', { max: 1 })
    for (const setting of Object.keys(sql.options.connection))
      expect(faultsOf({ DATABASE_URL: `postgres://one/shop?${setting}=x` }), setting).toContain('take it out')
    await sql.end()
  })

  const KEY = Buffer.alloc(32, 7).toString('base64')

  test.each([
    ['DATABASE_URL', 'postgres://one/shop', {}],
    ['DATABASE_OWNER_URL', 'postgres://owner@one/shop', { DATABASE_URL: 'postgres://one/shop' }],
    ['ADMIN_PASSWORD', 'correct horse', {}],
    ['CAPTCHA_SECRET_KEY', 'secret', { CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SITE_KEY: 'site' }],
    ['SECRET_KEY', KEY, {}],
    ['NEW_SECRET_KEY', KEY, {}],
  ])(
    'the secret %s may come from a file, and loses its last line break, there and in the variable',
    (name, secret, others) => {
      const file = join(folder, name)
      writeFileSync(file, `${secret}\n`)
      const expected = readConfig({ ...others, [name]: secret })
      for (const given of [{ [`${name}_FILE`]: file }, { [name]: `${secret}\r\n` }])
        expect(readConfig({ ...others, ...given })).toEqual(expected)
    },
  )

  test('a secret in a file may stand behind the mark with which Windows begins a text', () => {
    const file = join(folder, 'marked')
    writeFileSync(file, '\uFEFFcorrect horse\r\n')
    expect(readConfig({ ADMIN_PASSWORD_FILE: file }).adminPassword).toBe('correct horse')
  })

  test('a password in a file that is not in UTF-8 is refused, as it would be kept as another', () => {
    const file = join(folder, 'latin')
    writeFileSync(file, Buffer.from('Straße-zum-Meer', 'latin1'))
    expect(faultsOf({ ADMIN_PASSWORD_FILE: file })).toContain(
      'ADMIN_PASSWORD cannot be used: Password has characters that are not in UTF-8.',
    )
  })

  test.each([
    ['short', 'Password should be between 8 and 128 characters'],
    ['correct horse ', 'Password may not begin or end with a space'],
    [' correct horse', 'Password may not begin or end with a space'],
    ['correct\nhorse', 'Password may not have control characters'],
  ])('the password of the admin is one that the console would take, and not %j', (password, why) => {
    const file = join(folder, 'password')
    writeFileSync(file, `${password}\n`)
    const remedy = 'Only the first start needs it: once there is an admin, remove it.'
    for (const given of [{ ADMIN_PASSWORD: password }, { ADMIN_PASSWORD_FILE: file }])
      expect(faultsOf(given)).toContain(`ADMIN_PASSWORD cannot be used: ${why}. ${remedy}`)
  })

  test('a secret given twice, or in a file that cannot be read, is a fault', () => {
    expect(faultsOf({ SECRET_KEY: 'x', SECRET_KEY_FILE: '/x' })).toContain('both set')
    expect(faultsOf({ SECRET_KEY_FILE: join(folder, 'absent') })).toContain('cannot be read')
  })

  test('the owner connects as the server does where only DATABASE_URL is set', () => {
    const url = 'postgres://boxtree@one,two/boxtree?target_session_attrs=read-write'
    expect(readConfig({ DATABASE_URL: url }).database).toEqual({ server: url, owner: url })
  })

  test('a secret key is 32 bytes of hex or base64', () => {
    const key = Buffer.alloc(32, 7)
    expect(readConfig({ SECRET_KEY: key.toString('hex') }).secretKey).toEqual(key)
    expect(readConfig({ SECRET_KEY: key.toString('base64') }).secretKey).toEqual(key)
  })

  test('trusted proxies are addresses and blocks', () => {
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    for (const all of ['0.0.0.0/0', '::/0', '10.0.0.0/00', '::ffff:0:0/96', '::ffff:0.0.0.0/90'])
      expect(faultsOf({ TRUSTED_PROXIES: all })).toContain(`TRUSTED_PROXIES has '${all}', which is everybody`)
  })
})

describe("the README's table of variables", () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) +\| (.*?) +\| (.*?) +\|$/gm)].map(
    ([, names = '', defaults = '', text = '']) => ({
      names: names.replaceAll('`', '').split(', '),
      defaults: defaults.split(', '),
      text,
    }),
  )
  const names = rows.flatMap(({ names }) => names)
  const read = new Set<string>()
  readConfig(
    new Proxy({}, { get: (_, name) => void read.add(String(name)) }) as Record<string, string | undefined>,
  )

  test('has all that are read, but for the one of a rotation of the key', () => {
    const others = [...read].filter((name) => !name.endsWith('_FILE'))
    expect([...names, 'NEW_SECRET_KEY'].sort()).toEqual(others.sort())
  })

  test('says which of them are secrets, that may come from files', () => {
    for (const { names, text } of rows)
      expect(
        names.some((name) => read.has(`${name}_FILE`)),
        names.join(),
      ).toBe(text.endsWith('secret)'))
  })

  test('has the values that are taken where none is given', () => {
    const needed = { BACKUP_EVERY: '24', METRICS_PORT: '9464' }
    const usual = readConfig(needed)
    const values = rows.flatMap(({ names, defaults }) =>
      names.map((name, at) => [name, /^`(.+)`$/.exec(defaults[at] ?? '')?.[1] ?? ''] as const),
    )
    const literal = values.filter(([, value]) => value && !names.includes(value.split('/')[0] ?? ''))
    expect(literal.length).toBeGreaterThan(15)
    for (const [name, value] of literal) expect(readConfig({ ...needed, [name]: value }), name).toEqual(usual)
  })
})

function faultsOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    return String(error)
  }
  throw new Error('the configuration was accepted')
}

test('a place keeps the name that was given for its time zone, and an abbreviation becomes a place', () => {
  const zoneOf = (TIME_ZONE: string) => readConfig({ TIME_ZONE }).timeZone
  expect(zoneOf('America/Argentina/Buenos_Aires')).toBe('America/Argentina/Buenos_Aires')
  expect(zoneOf('Europe/Kyiv')).toBe('Europe/Kyiv')
  expect(zoneOf('CET')).toMatch('/')
  expect(zoneOf('utc')).toBe('UTC')
})

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { AccountPassword } from '../contract/accounts.ts'
import { LOG_LEVELS, type LogLevel } from './log.ts'
import { faultsOfDatabaseUrl } from './postgres/database-url.ts'

export type CaptchaConfig =
  | { provider: 'altcha' | 'none' }
  | { provider: 'recaptcha' | 'hcaptcha' | 'turnstile'; siteKey: string; secretKey: string }

export interface Config {
  host: string
  /** 0 takes any free port. */
  port: number
  serve: { console: boolean; boxes: boolean }
  /** Null means the console's. */
  boxPort: number | null
  dataDir: string
  /** Connection strings of an external PostgreSQL; null means the embedded one. */
  database: { server: string; owner: string } | null
  adminLogin: string
  /** Used at the first start only; null means that a password is generated. */
  adminPassword: string | null
  /** The IANA name of the zone on whose calendar days are counted. */
  timeZone: string
  captcha: CaptchaConfig
  trialsPerDay: number
  /** Which stream servers may ask whether somebody may watch, and whether the viewer's address counts. */
  streams: { servers: string[]; comparesAddress: boolean }
  /** How often the playlist of the channels is fetched, and whether from private networks too. */
  playlist: { minutes: number; isPrivateAllowed: boolean }
  /** Addresses and CIDR blocks. */
  trustedProxies: string[]
  /** How many days sign-ins, addresses, device histories and the ids of missing channels are kept. */
  keepDays: number
  /** How long the server goes on after it was told to stop, before it takes no more requests. */
  drainSeconds: number
  logLevel: LogLevel
  /** The backups that Boxtree makes by itself; null means none. `folder` is an absolute path. */
  backups: { everyHours: number; keep: number; folder: string } | null
  /** Where Prometheus asks for the metrics; null means that they are not served. */
  metrics: { host: string; port: number } | null
  /** Changes are refused while the embedded database's disk has fewer free megabytes; 0 means no limit. */
  freeDiskMb: number
  /** 32 bytes; null means the one kept in the data folder. */
  secretKey: Buffer | null
  /** The key that a rotation puts in the place of `secretKey`. */
  newSecretKey: Buffer | null
}

/** A fault that the person who starts the console can correct: its message is printed without a stack. */
export class StartFault extends Error {
  override name = 'StartFault'
}

/** @throws StartFault with every fault at once, a line each, naming the variable and the remedy */
export function readConfig(env: Record<string, string | undefined>): Config {
  const reader = new Reader(env)
  const port = reader.whole('PORT', { least: 0, most: 65_535, otherwise: 8080 })
  const serve = readServe(reader)
  const dataDir = resolve(reader.text('DATA_DIR') ?? './data')
  const config: Config = {
    host: reader.host('HOST') ?? '127.0.0.1',
    port,
    serve,
    boxPort: readBoxPort(reader, port, serve),
    dataDir,
    database: readDatabase(reader),
    adminLogin: readAdminLogin(reader),
    adminPassword: readAdminPassword(reader),
    timeZone: readTimeZone(reader),
    captcha: readCaptcha(reader),
    trialsPerDay: reader.whole('TRIALS_PER_DAY', { least: 0, most: 100_000, otherwise: 20 }),
    streams: {
      servers: readAddresses(reader, 'STREAM_SERVERS', '127.0.0.0/8, ::1'),
      comparesAddress: reader.isOn('STREAM_TOKEN_IP', true),
    },
    playlist: {
      minutes: reader.whole('PLAYLIST_MINUTES', { least: 5, most: 10_080, otherwise: 60 }),
      isPrivateAllowed: reader.isOn('PLAYLIST_PRIVATE', false),
    },
    keepDays: reader.whole('KEEP_DAYS', { least: 1, most: 36_500, otherwise: 400 }),
    drainSeconds: reader.whole('DRAIN_SECONDS', { least: 0, most: 300, otherwise: 0 }),
    logLevel: readLogLevel(reader),
    backups: readBackups(reader, dataDir),
    metrics: readMetrics(reader),
    freeDiskMb: reader.whole('FREE_DISK_MB', { least: 0, most: 1_000_000, otherwise: 256 }),
    trustedProxies: readProxies(reader),
    secretKey: readSecretKey(reader, 'SECRET_KEY'),
    newSecretKey: readSecretKey(reader, 'NEW_SECRET_KEY'),
  }
  if (reader.faults.length > 0) {
    throw new StartFault(['The configuration has faults:', ...reader.faults].join('\n  '))
  }
  return config
}

class Reader {
  faults: string[] = []
  #env: Record<string, string | undefined>

  constructor(env: Record<string, string | undefined>) {
    this.#env = env
  }

  /** Whether a variable or its file is named, whatever it holds. */
  isSet(name: string): boolean {
    return withoutLastBreaks(this.#env[name] ?? '') !== '' || this.text(`${name}_FILE`) !== undefined
  }

  /** Notes the fault that a variable is set which means nothing without another. */
  refuseAlone(name: string, other: string): void {
    this.faults.push(`${name} is set without ${other}; set both, or neither.`)
  }

  /** Returns a variable. An empty one counts as unset, because compose files and units write it for "not given". */
  text(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined
  }

  /** Returns the address or name that a port is opened on. What has a port or a scheme besides is a fault. */
  host(name: string): string | undefined {
    const text = this.text(name)
    if (text !== undefined && /[\s/[\]]|^[^:]*:[^:]*$/.test(text))
      this.faults.push(`${name} must be an address or a name alone, as 127.0.0.1, 0.0.0.0 or ::1.`)
    return text
  }

  whole(name: string, limits: { least: number; most: number; otherwise: number }): number {
    const text = this.text(name)
    if (text === undefined) return limits.otherwise
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= limits.least && number <= limits.most) return number
    this.faults.push(`${name} must be a whole number from ${limits.least} to ${limits.most}.`)
    return limits.otherwise
  }

  isOn(name: string, otherwise: boolean): boolean {
    const text = this.text(name) ?? (otherwise ? 'on' : 'off')
    if (text !== 'on' && text !== 'off') this.faults.push(`${name} must be on or off.`)
    return text === 'on'
  }

  /**
   * Returns a secret from the variable NAME, or from the file that NAME_FILE names, without the line breaks at its end.
   */
  secret(name: string): string | undefined {
    const file = this.text(`${name}_FILE`)
    if (file === undefined) return withoutLastBreaks(this.#env[name] ?? '') || undefined
    if (this.#env[name]) {
      this.faults.push(`${name} and ${name}_FILE are both set; keep one of them.`)
      return undefined
    }
    return this.#contents(name, file)
  }

  #contents(name: string, file: string): string | undefined {
    try {
      // Editors of Windows begin a text with this mark, which nobody sees.
      const text = withoutLastBreaks(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
      if (text === '') this.faults.push(`${name}_FILE names ${file}, which is empty.`)
      return text || undefined
    } catch {
      this.faults.push(`${name}_FILE names ${file}, which cannot be read; check its path and its mode.`)
      return undefined
    }
  }
}

/** Returns a secret without the line breaks that a shell or an editor has put at its end. */
function withoutLastBreaks(secret: string): string {
  return secret.replace(/[\r\n]+$/, '')
}

function readServe(reader: Reader): Config['serve'] {
  const served = (reader.text('SERVE') ?? 'console,boxes').split(/[\s,]+/).filter(Boolean)
  if (served.length === 0 || served.some((one) => one !== 'console' && one !== 'boxes')) {
    reader.faults.push('SERVE must be console, boxes, or both with a comma between them.')
  }
  return { console: served.includes('console'), boxes: served.includes('boxes') }
}

/** Returns null where none are to be made. They lie in the data folder unless told otherwise. */
function readBackups(reader: Reader, dataDir: string): Config['backups'] {
  const folder = reader.text('BACKUP_DIR')
  const keep = reader.whole('BACKUP_KEEP', { least: 1, most: 1_000, otherwise: 7 })
  const everyHours = reader.whole('BACKUP_EVERY', { least: 0, most: 8_760, otherwise: 0 })
  if (everyHours > 0)
    return {
      everyHours,
      keep,
      folder: resolve(folder ?? join(dataDir, 'backups')),
    }
  for (const name of ['BACKUP_DIR', 'BACKUP_KEEP'])
    if (reader.text(name) !== undefined) reader.refuseAlone(name, 'BACKUP_EVERY')
  return null
}

/** Returns null where the metrics have no port. They are for this machine alone, unless told otherwise. */
function readMetrics(reader: Reader): Config['metrics'] {
  const host = reader.host('METRICS_HOST')
  if (reader.text('METRICS_PORT') === undefined) {
    if (host !== undefined) reader.refuseAlone('METRICS_HOST', 'METRICS_PORT')
    return null
  }
  const port = reader.whole('METRICS_PORT', { least: 0, most: 65_535, otherwise: 0 })
  return { host: host ?? '127.0.0.1', port }
}

/** Returns null where boxes share the console's port: BOX_PORT is not set, or names the same port. */
function readBoxPort(reader: Reader, consolePort: number, serve: Config['serve']): number | null {
  if (reader.text('BOX_PORT') === undefined) return null
  if (!serve.boxes)
    reader.faults.push('BOX_PORT is set, but SERVE leaves out the boxes; add them there, or unset BOX_PORT.')
  const port = reader.whole('BOX_PORT', { least: 0, most: 65_535, otherwise: 0 })
  return port !== 0 && port === consolePort ? null : port
}

function readDatabase(reader: Reader): Config['database'] {
  const server = readDatabaseUrl(reader, 'DATABASE_URL')
  const owner = readDatabaseUrl(reader, 'DATABASE_OWNER_URL')
  if (server === undefined) {
    if (owner !== undefined && !reader.isSet('DATABASE_URL'))
      reader.refuseAlone('DATABASE_OWNER_URL', 'DATABASE_URL')
    return null
  }
  return { server, owner: owner ?? server }
}

function readDatabaseUrl(reader: Reader, name: string): string | undefined {
  const url = reader.secret(name)
  if (url !== undefined) reader.faults.push(...faultsOfDatabaseUrl(name, url))
  return url
}

function readAdminLogin(reader: Reader): string {
  const login = reader.text('ADMIN_LOGIN') ?? 'admin'
  if (!/^[A-Za-z0-9._-]{3,32}$/.test(login)) {
    reader.faults.push('ADMIN_LOGIN must be 3 to 32 of the characters A-Z a-z 0-9 . _ -')
  }
  return login
}

function readAdminPassword(reader: Reader): string | null {
  const password = reader.secret('ADMIN_PASSWORD')
  if (password === undefined) return null
  const fault = AccountPassword.safeParse(password).error?.issues[0]?.message
  if (fault)
    reader.faults.push(
      `ADMIN_PASSWORD cannot be used: ${fault}. Only the first start needs it: once there is an admin, remove it.`,
    )
  return password
}

function readTimeZone(reader: Reader): string {
  const zone = reader.text('TIME_ZONE') ?? 'UTC'
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions()
    // Returned as it was written: for some places Node has an old name, which many databases do not know. A name
    // without a slash, such as CET or EST, becomes the place that Node knows: to PostgreSQL it is an abbreviation,
    // without summer time. An offset such as +02:00 has no summer time either, and is refused.
    if (/^[A-Za-z]/.test(zone)) return zone.includes('/') ? zone : timeZone
  } catch {}
  reader.faults.push('TIME_ZONE must be a zone of the IANA list, such as Europe/Berlin.')
  return 'UTC'
}

function readCaptcha(reader: Reader): CaptchaConfig {
  const named = reader.text('CAPTCHA_PROVIDER')
  const provider = named ?? 'altcha'
  const siteKey = reader.text('CAPTCHA_SITE_KEY')
  const secretKey = reader.secret('CAPTCHA_SECRET_KEY')
  const keys = { CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET_KEY: secretKey }
  for (const [name, key] of Object.entries(keys))
    if (key && !named) reader.refuseAlone(name, 'CAPTCHA_PROVIDER')
  switch (provider) {
    case 'altcha':
    case 'none':
      return { provider }
    case 'recaptcha':
    case 'hcaptcha':
    case 'turnstile':
      if (!siteKey) reader.faults.push(`CAPTCHA_SITE_KEY is missing; ${provider} gives one.`)
      if (!secretKey) reader.faults.push(`CAPTCHA_SECRET_KEY is missing; ${provider} gives one.`)
      return { provider, siteKey: siteKey ?? '', secretKey: secretKey ?? '' }
    default:
      reader.faults.push('CAPTCHA_PROVIDER must be altcha, recaptcha, hcaptcha, turnstile or none.')
      return { provider: 'altcha' }
  }
}

function readLogLevel(reader: Reader): LogLevel {
  const named = reader.text('LOG_LEVEL') ?? 'info'
  const level = LOG_LEVELS.find((one) => one === named)
  if (level === undefined) reader.faults.push('LOG_LEVEL must be error, warn, info or debug.')
  return level ?? 'info'
}

function readAddresses(reader: Reader, name: string, otherwise: string): string[] {
  const addresses = (reader.text(name) ?? otherwise).split(/[\s,]+/).filter(Boolean)
  for (const address of addresses) {
    if (!isAddressOrBlock(address)) {
      reader.faults.push(`${name} has '${address}', which is neither an IP address nor a CIDR block.`)
    }
  }
  return addresses
}

function readProxies(reader: Reader): string[] {
  const proxies = readAddresses(reader, 'TRUSTED_PROXIES', '')
  for (const block of proxies.filter(isEverybody)) {
    reader.faults.push(
      `TRUSTED_PROXIES has '${block}', which is everybody: then anybody could claim any address. Name the addresses of your proxies.`,
    )
  }
  return proxies
}

/** Whether a block has all addresses, or all of IPv4. */
function isEverybody(block: string): boolean {
  return /\/0+$|^::ffff:(0:0|0\.0\.0\.0)\/(9[0-6]|[0-8]?\d)$/i.test(block)
}

function isAddressOrBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

function readSecretKey(reader: Reader, name: string): Buffer | null {
  const text = reader.secret(name)
  if (text === undefined) return null
  const key = decodeKey(text)
  if (key === null) {
    reader.faults.push(
      `${name} must be 32 bytes as base64 or hex, as \`openssl rand -base64 32\` prints them.`,
    )
  }
  return key
}

/** Reads 32 bytes written as hex or base64; null when it is neither. */
export function decodeKey(text: string): Buffer | null {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  const key = Buffer.from(trimmed, 'base64')
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) && key.length === 32 ? key : null
}

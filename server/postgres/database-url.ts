/** Says what is wrong with the URL of a database. Nothing of it is quoted: it may be a part of the password. */
export function faultsOfDatabaseUrl(name: string, url: string): string[] {
  if (isDatabaseUrl(url)) return faultsOfOptions(name, url)
  return [
    `${name} must look like postgres://user:password@host:5432/database. In its password, write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25.`,
  ]
}

/** How a connection may be encrypted, in PostgreSQL's words. The driver takes any other as `verify-full`. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** Settings of a connection that the driver would take from the URL instead of ours: see openPool. */
const SET_BY_US: ReadonlySet<string> = new Set([
  'application_name',
  'bytea_output',
  'datestyle',
  'default_transaction_isolation',
  'default_transaction_read_only',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'plan_cache_mode',
  'search_path',
  'statement_timeout',
  'timezone',
])

/** Settings that would end or refuse what Boxtree does, or set any of those above. */
const IN_OUR_WAY: ReadonlySet<string> = new Set(['options', 'transaction_timeout'])

/** What the driver would not take as it is meant. */
function faultsOfOptions(name: string, url: string): string[] {
  const options = new URLSearchParams(url.split('?')[1])
  const mode = options.get('sslmode')
  const faults: string[] = []
  if (mode !== null && !SSL_MODES.includes(mode))
    faults.push(
      `${name} has an unknown sslmode; write sslmode=verify-full, or sslmode=require, which checks no certificate.`,
    )
  if (options.has('sslrootcert'))
    faults.push(
      `${name} has sslrootcert, which Boxtree does not read; take it out, and set NODE_EXTRA_CA_CERTS to that file.`,
    )
  for (const option of options.keys()) {
    if (SET_BY_US.has(option.toLowerCase()))
      faults.push(`${name} has ${option}, which Boxtree sets for each of its connections; take it out.`)
    if (IN_OUR_WAY.has(option.toLowerCase()))
      faults.push(`${name} has ${option}, with which Boxtree's connections do not work; take it out.`)
  }
  return faults
}

/** Whether the driver can read the URL. It would throw with the whole of it, and so with the password. */
function isDatabaseUrl(url: string): boolean {
  const authority = /^postgres(?:ql)?:\/\/([^/?]*)/.exec(url)?.[1]
  if (authority === undefined) return false
  const hosts = authority.slice(authority.indexOf('@') + 1)
  try {
    decodeURIComponent(hosts)
    return hosts.split(',').every((host, _, { length }) => {
      const { username, password, pathname, search, hash } = new URL(url.replace(hosts, () => host))
      decodeURIComponent(username + password)
      // A password that ends too soon leaves its @ behind.
      return hash === '' && !`${pathname}${search}${length > 1 ? host : ''}`.includes('@')
    })
  } catch {
    return false
  }
}

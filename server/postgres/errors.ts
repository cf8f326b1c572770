/** Returns the code of an error, by Node, PostgreSQL or the driver; an empty text where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Returns the constraint that the database refused a row by; an empty text where it was none. */
export function constraintOf(error: unknown): string {
  return error instanceof Error && 'constraint_name' in error ? String(error.constraint_name) : ''
}

/** Whether a file could not be written because its disk, or the share of it that this user has, is full. */
export function isDiskFull(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT)$/.test(codeOf(error))
}

/** Whether an error means that the database is unreachable, rather than that it refused a statement. */
export function isLost(error: unknown): boolean {
  return isOfConnection(error) || /^(08|57P0|53300|40003|25006)/.test(codeOf(error))
}

/**
 * Whether the database is unreachable, shutting down, full or too slow, so that the same call may succeed later. Some
 * of these errors are answers of a database that is there: to ask it again at once, as after a loss, would not help.
 */
export function isOutage(error: unknown): boolean {
  return isLost(error) || /^(53|57P|58|55P03|57014|40P01|40001)/.test(codeOf(error))
}

/** Whether the driver threw an error of the connection that a statement was sent on. */
export function isOfBrokenConnection(error: unknown): boolean {
  return error instanceof Error && 'query' in error && isOfConnection(error)
}

/** Whether a statement names what is not there or is another thing, as where somebody has renamed a column. */
export function isOfDefinition(error: unknown): error is Error {
  return /^42(?!501)/.test(codeOf(error))
}

/** Whether PostgreSQL refused a change because the host, or the connection, may only read. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/**
 * Whether a connection failed. The driver's own codes begin with CONNECT. Node's error of a file names its path, but
 * not where an open file is written; that of a connection cut at its TLS handshake has a path without a value.
 */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof Error) || !/^(CONNECT|EAI_|E[A-Z]{3,}$)/.test(codeOf(error))) return false
  if (isDiskFull(error) || /^(EROFS|EFBIG|ESTALE)$/.test(codeOf(error))) return false
  return !('path' in error) || error.path === undefined
}

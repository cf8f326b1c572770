import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The kernel's limit for the path of a unix socket, in bytes (104 with the closing zero on macOS). */
const LONGEST_PATH_BYTES = 103

interface SocketPath {
  path: string
  /** Removes what was made to shorten the path. */
  forget(): void
}

/** Returns the path of the server's socket, through a link in a private folder where its own path is too long. */
export function socketPathOf(cluster: string): SocketPath {
  const path = join(cluster, '.s.PGSQL.5432')
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) return { path, forget() {} }
  const folder = mkdtempSync(join(Buffer.byteLength(tmpdir()) < 60 ? tmpdir() : '/tmp', 'boxtree-'))
  symlinkSync(cluster, join(folder, 'pg'))
  return {
    path: join(folder, 'pg', '.s.PGSQL.5432'),
    forget: () => rmSync(folder, { recursive: true, force: true }),
  }
}

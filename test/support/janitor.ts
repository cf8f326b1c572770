import { globSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MAJOR } from '../../server/postgres/binaries.ts'
import { SYSTEM_FOLDER } from '../../server/postgres/home.ts'
import { postmasterIn, signal } from './processes.ts'

// Removes a test run's folder after the run has ended, even by SIGKILL: the pipe from the run to this process then
// closes. Databases that still run in the folder are stopped first.

const folder = process.argv[2] ?? ''

process.stdin.resume().on('end', async () => {
  const clusters = globSync(join(folder, `**/postgres-${MAJOR}`)).map((entry) => real(entry))
  const servers = clusters.map((cluster) => postmasterIn(cluster)).filter((pid) => pid !== null)
  for (const pid of servers) signal(pid, 'SIGQUIT')
  while (servers.some((pid) => signal(pid, 0))) await pause(50)
  for (const cluster of clusters) {
    // As root, the server puts a database there when other users cannot enter the data folder.
    if (cluster.startsWith(`${SYSTEM_FOLDER}/`)) rmSync(dirname(cluster), { recursive: true, force: true })
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

function real(entry: string): string {
  try {
    return realpathSync(entry)
  } catch {
    return entry
  }
}

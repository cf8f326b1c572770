import { globSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Removes a test run's folder after the run has ended, even by SIGKILL: the pipe from the run to this process then
// closes. Databases that still run in the folder are stopped first.

const folder = process.argv[2] ?? ''

process.stdin.resume().on('end', async () => {
  const clusters = globSync(join(folder, '**/postgres-18')).map((entry) => real(entry))
  const servers = clusters.map((cluster) => postmaster(cluster)).filter((pid) => pid > 0)
  for (const pid of servers) signal(pid, 'SIGQUIT')
  while (servers.some((pid) => signal(pid, 0))) await new Promise((resolve) => setTimeout(resolve, 50))
  for (const cluster of clusters) {
    // As root, the server puts a database there when other users cannot enter the data folder.
    if (cluster.startsWith('/var/lib/boxtree/')) rmSync(dirname(cluster), { recursive: true, force: true })
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

function postmaster(cluster: string): number {
  try {
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return 0
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

import { once } from 'node:events'
import { setPriority } from 'node:os'
import { makeScheduledBackup, type ScheduledBackup } from './scheduled-backup.ts'

// Makes one backup by the clock, in a process of its own, which leaves the processor to the console's calls. It ends
// when the console does, and removes what it has begun.

const interrupted = new AbortController()
// A signal to the whole group is meant for the console, which then disconnects.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => interrupted.abort(new Error('The console has ended.')))
try {
  setPriority(10)
} catch {
  // A stricter unit of systemd than the sample in deploy/ may forbid it: the backup is made all the same.
}

const [order] = (await once(process, 'message')) as [ScheduledBackup]
try {
  const made = await makeScheduledBackup(order, interrupted.signal)
  process.send?.({ made }, () => process.exit(0))
} catch (error) {
  if (interrupted.signal.aborted) process.exit(1)
  const { message, stack } = error as Error
  process.send?.({ fault: { message, stack } }, () => process.exit(1))
}

import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Job } from '../contract/system.ts'
import { watchTransactions } from './postgres/begin.ts'

/**
 * What this process counts for Prometheus. No label has anything that a caller has written: calls are named by the
 * contract and the boxes' list, and everything else by lists of ours.
 */
export const registry = new Registry()

const registers = [registry]

export const callsTotal = new Counter({
  name: 'boxtree_calls_total',
  help: 'Calls that were answered, by their name, their HTTP status and whether people or boxes made them.',
  labelNames: ['gate', 'call', 'status'],
  registers,
})

export const callSeconds = new Histogram({
  name: 'boxtree_call_duration_seconds',
  help: 'How long calls took until the last byte of their answer was sent.',
  labelNames: ['gate', 'call'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
})

export const replays = new Counter({
  name: 'boxtree_key_replays_total',
  help: 'Calls that were answered with what is kept under their Idempotency-Key.',
  labelNames: ['call'],
  registers,
})

const transactions = new Gauge({
  name: 'boxtree_transactions_in_progress',
  help: 'Transactions that have a connection of the pool.',
  registers,
})

const transactionsWaiting = new Gauge({
  name: 'boxtree_transactions_waiting',
  help: 'Transactions that wait for a connection of the pool.',
  registers,
})

const transactionWaitSeconds = new Histogram({
  name: 'boxtree_transaction_wait_seconds',
  help: 'How long transactions waited for a connection of the pool.',
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  registers,
})

// Told, and not imported by `begin`, because the process of a file would load this library too.
watchTransactions(() => {
  const since = performance.now()
  let at = transactionsWaiting
  at.inc()
  return {
    begun() {
      transactionWaitSeconds.observe((performance.now() - since) / 1000)
      at.dec()
      at = transactions
      at.inc()
    },
    ended: () => at.dec(),
  }
})

export const databaseUp = new Gauge({
  name: 'boxtree_database_up',
  help: 'Whether the database answered when it was last asked: 1 or 0.',
  registers,
})

/** What tells whether changes can be made; null where this process serves no console. */
let canWrite: (() => Promise<boolean>) | null = null

new Gauge({
  name: 'boxtree_writes',
  help: 'Whether changes can be made: 1 or 0.',
  registers,
  async collect() {
    this.remove()
    if (canWrite) this.set(Number(await canWrite()))
  },
})

export function measureWrites(ask: () => Promise<boolean>): void {
  canWrite = ask
}

export const primaryInfo = new Gauge({
  name: 'boxtree_database_primary_info',
  help: 'The server of the database that takes changes; 1 at its address.',
  labelNames: ['host'],
  registers,
})

export const primaryChanges = new Counter({
  name: 'boxtree_database_primary_changes_total',
  help: 'How often another server of the database was found to take changes.',
  registers,
})

const jobSuccess = new Gauge({
  name: 'boxtree_job_last_success_timestamp_seconds',
  help: 'When each job last ended without an error on any server; before that, the start of the process.',
  labelNames: ['job_name'],
  registers,
})

const jobFailures = new Gauge({
  name: 'boxtree_job_failures',
  help: 'How many runs of each job have ended with an error since one ended without, on any server.',
  labelNames: ['job_name'],
  registers,
})

export function measureJobs(jobs: readonly Job[]): void {
  for (const { name: job_name, succeeded, failures } of jobs) {
    if (succeeded !== null) jobSuccess.set({ job_name }, Date.parse(succeeded) / 1000)
    jobFailures.set({ job_name }, failures)
  }
}

/** A job that has never succeeded is as late as the start is long ago. */
export function measureJobsFrom(start: Date, names: readonly string[]): void {
  for (const job_name of names) jobSuccess.set({ job_name }, start.getTime() / 1000)
}

const playlistCurrent = new Gauge({
  name: 'boxtree_playlist_current',
  help: 'Whether boxes have the channels of the last reading of the playlist, which may have failed or be held back: 1 or 0.',
  registers,
})

/** @param isCurrent null where there is no playlist */
export function measurePlaylist(isCurrent: boolean | null): void {
  playlistCurrent.remove()
  if (isCurrent !== null) playlistCurrent.set(Number(isCurrent))
}

export const backupFailures = new Counter({
  name: 'boxtree_backup_failures_total',
  help: 'Backups by the clock that failed, so that there is no new one.',
  registers,
})

export const exportsTotal = new Counter({
  name: 'boxtree_exports_total',
  help: 'Exported files, by whether they were sent whole or cut.',
  labelNames: ['outcome'],
  registers,
})

export const captchaChecks = new Counter({
  name: 'boxtree_captcha_checks_total',
  help: 'Solutions of a captcha that were checked.',
  labelNames: ['outcome'],
  registers,
})

export const captchaFailures = new Counter({
  name: 'boxtree_captcha_provider_failures_total',
  help: 'Checks in which the provider of the captcha could not be reached or did not know the key, so that nobody got in.',
  registers,
})

/** Adds a measure that is read whenever the metrics are asked for; null where it is not known. */
export function measure(
  name: `boxtree_${string}`,
  help: string,
  read: () => number | null | Promise<number | null>,
): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      const value = await read()
      this.remove()
      if (value !== null) this.set(value)
    },
  })
}

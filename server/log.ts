import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** How many bytes of lines wait while they cannot be written; later ones are lost. */
const MOST_WAITING = 16 * 2 ** 20

/** Opens stderr for a log. One that cannot be written, as on a full disk, keeps nobody from the console. */
export function openStderr() {
  const stderr = pino.destination({ dest: 2, maxLength: MOST_WAITING })
  // pino's own listener would throw, and its flush at the exit would try for ever.
  stderr.removeAllListeners('error').on('error', () => {})
  stderr.flushSync = () => {}
  return stderr
}

/**
 * How long the end waits for a reader that stands still, in milliseconds. Lines that it has not taken by then are lost.
 */
const PATIENCE_MS = 2_000

export async function endLog(stderr: ReturnType<typeof openStderr>, patience = PATIENCE_MS): Promise<void> {
  const closed = once(stderr, 'close')
  stderr.end()
  await Promise.race([closed.catch(() => {}), pause(patience)])
}

/** Opens the log: a line of JSON for each answer, fault and event, without secrets. */
export function openLog(to: DestinationStream, level: LogLevel = 'info'): Logger {
  return pino({ level, serializers: { err: withoutContents } }, to)
}

/**
 * Leaves out the parts of an error that quote what it is about, which may hold a password: a row of the database, and
 * what came over a connection that Node could not read.
 */
function withoutContents(error: Error): object {
  const {
    detail: _,
    where: __,
    rawPacket: ___,
    cert: ____,
    ...rest
  } = stdSerializers.err(error) as Record<string, unknown>
  return rest
}

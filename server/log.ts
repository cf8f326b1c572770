import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

/** How much the log tells: each level tells what those before it tell, too. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Opens the log: a line of JSON for each answer, fault and event, without secrets. */
export function openLog(to: DestinationStream, level: LogLevel = 'info'): Logger {
  return pino({ level, serializers: { err: withoutRow } }, to)
}

/** Leaves out the parts of a database error that quote a row, which may hold a password. */
function withoutRow(error: Error): object {
  const { detail: _, where: __, ...rest } = stdSerializers.err(error) as Record<string, unknown>
  return rest
}

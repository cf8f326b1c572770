import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

/** Opens the log: a line of JSON for each answer and each fault, without secrets. */
export function openLog(to: DestinationStream): Logger {
  return pino({ level: 'info', serializers: { err: withoutRow } }, to)
}

/** Leaves out the parts of a database error that quote a row, which may hold a password. */
function withoutRow(error: Error): object {
  const { detail: _, where: __, ...rest } = stdSerializers.err(error) as Record<string, unknown>
  return rest
}

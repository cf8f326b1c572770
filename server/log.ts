import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

/** Opens the log: a line of JSON for each answer and each fault, and nothing that is secret in any of them. */
export function openLog(to: DestinationStream): Logger {
  return pino({ level: 'info', serializers: { err: withoutRow } }, to)
}

/** Of the database's own words those that hold a row are left out: it may be the row of a password. */
function withoutRow(error: Error): object {
  const { detail: _, where: __, ...rest } = stdSerializers.err(error) as Record<string, unknown>
  return rest
}

import type { IncomingHttpHeaders } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Shorter answers fit into one packet, and compressed they would arrive no sooner. */
export const LEAST_CHARACTERS = 1_400
/** Brotli at quality 3 shrinks a long list to an eighth, in 1 ms for 200 kB: less than the query of the list takes. */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 3 }

export type Encoding = 'br' | 'gzip'

export function compressed(text: string, encoding: Encoding): Buffer {
  return encoding === 'br' ? brotliCompressSync(text, { params: BROTLI }) : gzipSync(text, { level: 1 })
}

/** Returns the best encoding that the sender of a request reads. */
export function encodingFor({ headers }: { headers: IncomingHttpHeaders }): Encoding | undefined {
  return (['br', 'gzip'] as const).find((one) => isAccepted(headers, one))
}

/** Returns whether the sender of a request reads this encoding. */
export function isAccepted(headers: IncomingHttpHeaders, encoding: Encoding): boolean {
  return encodingsOf(String(headers['accept-encoding'] ?? '')).includes(encoding)
}

/** Returns the encodings of an Accept-Encoding header, without those that it refuses by `q=0`. */
function encodingsOf(accepted: string): (string | undefined)[] {
  return (
    accepted
      .toLowerCase()
      .split(',')
      // Trimmed afterwards: a separator with spaces, as a pattern, looks at a long run of them once from each.
      .map((one) => one.split(';').map((part) => part.trim()))
      .filter(([, quality = '']) => !/^q=0(\.0*)?$/.test(quality))
      .map(([name]) => name)
  )
}

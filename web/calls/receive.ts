import type { Call } from '../../contract/call.ts'
import type { InputOf } from '../../contract/calls.ts'
import { addressOf, isAbort, offline, probe, reach, read, refusalOf } from './api.ts'

interface ReceiveOptions {
  signal: AbortSignal
  /** Is called with each chunk of the file as it arrives. */
  onPiece: (piece: Uint8Array) => void
}

/**
 * Downloads the file that a call answers with.
 * @throws ApiError where the server refuses, and where the download breaks off
 */
export async function receive<C extends Call>(
  call: C,
  input: InputOf<C>,
  { signal, onPiece }: ReceiveOptions,
): Promise<File> {
  const { url } = addressOf(call, input as Record<string, unknown>)
  const response = await reach(url, { cache: 'no-store', signal })
  if (!response.ok || !response.body) throw refusalOf(response, await read(response))
  const pieces: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      pieces.push(next.value)
      onPiece(next.value)
    }
  } catch (error) {
    if (isAbort(error)) throw error
    // The server itself may have ended it, so whether the connection is lost has to be found out.
    probe()
    throw offline(
      { status: 0 },
      'The file broke off before its end. On a slow line, choose fewer clients or days.',
    )
  }
  const [, name = 'boxtree'] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  return new File(pieces, name, { type: response.headers.get('content-type') ?? '' })
}

import type { ServerResponse } from 'node:http'

/** Returns a signal that is aborted once the caller who waits for an answer has disconnected. */
export function goneOf(answer: ServerResponse): AbortSignal {
  const gone = new AbortController()
  // An abort makes an error with its stack, which costs more than a small call.
  answer.once('close', () => answer.writableFinished || gone.abort())
  return gone.signal
}

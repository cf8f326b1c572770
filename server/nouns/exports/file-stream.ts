import { Readable } from 'node:stream'
import { isRefusalCode, Refusal } from '../../refusal.ts'
import type { Fault, FileOrder } from './file-order.ts'
import { Pace } from './pace.ts'
import { keepSpares, takeProcess } from './spare-processes.ts'

/** How often `maySend` is checked, in milliseconds. */
const ASK_EVERY_MS = 2_000

/**
 * Makes a file in its own process, so that it neither delays calls nor crashes the server, and streams it as fast as it
 * is read. The process ends with the stream: at its end, when the reader disconnects or is too slow, or when the file
 * may no longer be sent. Resolves with the first bytes, so that an error before them can still be sent as an answer.
 * @param done is called once the process is gone
 */
export function streamFile(
  order: FileOrder,
  { maySend, done }: { maySend: () => Promise<boolean>; done: () => void },
): Promise<Readable> {
  const maker = takeProcess()
  const pieces = maker.stdout as Readable
  const pace = new Pace(() => body.destroy(new Error('The reader of a file is too slow')))
  const body = new Readable({
    read() {
      pace.stop()
      pieces.resume()
    },
    destroy(error, gone) {
      pace.end()
      clearInterval(asking)
      maker.kill('SIGKILL')
      // What it has written and nobody will read would keep the pipe open.
      pieces.destroy()
      gone(error)
    },
  })
  // The reader of the stream receives its error; before there is one, the promise rejects with it.
  body.on('error', () => {})
  const asking = setInterval(async () => {
    // A database that does not answer ends the file anyway.
    if (!(await maySend().catch(() => true))) body.destroy(new Error('The session of a file has ended'))
  }, ASK_EVERY_MS)
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(error)
      body.destroy(error)
    }
    maker.on('error', fail)
    // The process could not be started, for example because too many files are open. Its 'error' event follows.
    if (maker.pid === undefined) return
    pieces.once('data', keepSpares)
    pieces.on('data', (piece: Buffer) => {
      pace.sent(piece.length)
      if (!body.push(piece)) {
        pieces.pause()
        pace.wait()
      }
      resolve(body)
    })
    maker.on('message', (fault: Fault) => fail(errorOf(fault)))
    maker.on('exit', done)
    maker.on('close', (code, signal) => {
      const end = () => {
        if (code === 0) body.push(null)
        else fail(new Error(`The process of a file has ended with ${signal ?? code}`))
      }
      // The message about an error arrives before 'disconnect', but perhaps after 'exit'.
      if (maker.connected) maker.once('disconnect', end)
      else end()
    })
    // An order that cannot be sent needs no handling here: the process ends, which fails the file.
    maker.send(order, () => {})
  })
}

/** A file's process may refuse too: where the account has moved away since its ticket was made. */
function errorOf(fault: Fault): Error {
  const { code = '', message } = fault
  return isRefusalCode(code) ? new Refusal(code, message) : Object.assign(new Error(message), fault)
}

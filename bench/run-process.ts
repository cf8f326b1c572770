import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

/**
 * Starts a file of this folder in a process of its own, which keeps its work off the server's thread and the
 * measurement's. It receives the order as its first message. Returns it with its first answer, after which it may go
 * on.
 * @param timeout after so many milliseconds it is killed; 0 for no limit
 */
export async function startProcess<Answer>(
  file: string,
  order: object,
  timeout = 0,
): Promise<{ process: ChildProcess; answer: Answer }> {
  const child = fork(join(import.meta.dirname, file), { timeout, killSignal: 'SIGKILL' })
  const answer = await new Promise<Answer>((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer))
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    child.send(order)
  })
  return { process: child, answer }
}

/** Such a process that answers one order after the other, so that only the first finds it cold. */
export function openProcess<Order extends object, Answer>(file: string) {
  const child = fork(join(import.meta.dirname, file))
  return {
    ask: (order: Order): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const fail = (code: number | null) => reject(new Error(`${file} ended with ${code}`))
        child.once('exit', fail)
        child.once('message', (answer) => {
          child.off('exit', fail)
          resolve(answer as Answer)
        })
        child.send(order)
      }),
    close() {
      if (child.connected) child.disconnect()
    },
  }
}

/** Sends the last answer of such a process, in which this is called, and lets it end. */
export function answerAndEnd(answer: object): void {
  // A long message is lost if the channel is closed before it was sent.
  process.send?.(answer, () => process.disconnect())
}

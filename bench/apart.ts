import { fork } from 'node:child_process'
import { join } from 'node:path'

/**
 * Runs a file of this folder in a process of its own, which keeps its work off the server's thread and the measurement's.
 * It receives the order as its first message, and answers with one.
 * @param timeout after so many milliseconds it is killed; 0 for no limit
 */
export function runApart<Answer>(file: string, order: object, timeout = 0): Promise<Answer> {
  const child = fork(join(import.meta.dirname, file), { timeout, killSignal: 'SIGKILL' })
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer))
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    child.send(order)
  })
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const SENDER = `
  const [text, port] = process.argv.slice(1)
  for (let times = 0; times < 50; times += 1) {
    const socket = require('node:net').connect(port, '127.0.0.1')
    socket.on('error', () => {}).write(text, () => socket.resetAndDestroy())
  }`

/**
 * Sends this text over fifty connections, and resets each as soon as it is sent. Another process does that: in the
 * server's own, nothing is reset before the server has seen it come.
 */
export async function resetAfter(text: string, port: number): Promise<void> {
  await promisify(execFile)(process.execPath, ['-e', SENDER, text, String(port)])
}

import { once } from 'node:events'
import { connect, type Server } from 'node:net'

/** Has a server listen on a free port of 127.0.0.1. Returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

// Below the ports that the system gives to whoever asks for any, so that no other suite is given it in between.
let last = 10_000 + ((process.pid * 97) % 20_000)

/** Returns a port of 127.0.0.1 on which nothing listens, for a program that takes a while to listen on it. */
export async function freePort(): Promise<number> {
  for (;;) {
    last += 1
    const port = last
    if (!(await isListening('127.0.0.1', port))) return port
  }
}

export async function isListening(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

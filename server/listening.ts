import type { FastifyInstance } from 'fastify'
import { among } from './access/network.ts'
import { StartFault } from './config.ts'
import { codeOf } from './postgres/errors.ts'

/** What Node says of an address that the machine has not, cannot look up, or of a kind that it does not speak. */
const OF_HOST = new Set([
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EINVAL',
  'EAFNOSUPPORT',
  'EPROTONOSUPPORT',
])

/** Whether only programs of this machine can connect to an address of it. */
export function isOfThisMachine(host: string): boolean {
  return host === 'localhost' || among(['127.0.0.0/8', '::1'])(host)
}

/** Where a server listens, and the variable that names the port. */
export type Listening = { host: string; port: number; variable: 'PORT' | 'BOX_PORT' | 'METRICS_PORT' }

/** @throws StartFault that names the variable to change */
export async function listen(app: FastifyInstance, { host, port, variable }: Listening): Promise<void> {
  try {
    // Fastify would open a second server for localhost's other address, whose connections nothing limits or drains.
    await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE') {
      throw new StartFault(
        `Port ${port} on ${host} is taken; stop what uses it, or set ${variable} to another.`,
      )
    }
    if (code === 'EACCES')
      throw new StartFault(`You may not use port ${port}; set ${variable} to one above 1023.`)
    if (!OF_HOST.has(code)) throw error
    const name = variable === 'METRICS_PORT' ? 'METRICS_HOST' : 'HOST'
    throw new StartFault(
      `${name} is ${host}, which is no address on which this machine can listen (${code}).`,
    )
  }
}

export function portOf(app: FastifyInstance): number | null {
  const address = app.server.address()
  return typeof address === 'object' && address ? address.port : null
}

export function addressOf(app: FastifyInstance, { host }: Pick<Listening, 'host'>): string {
  const port = portOf(app)
  const name = host === '0.0.0.0' || host === '::' || host === '127.0.0.1' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

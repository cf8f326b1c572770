import { randomUUID } from 'node:crypto'
import { type Connect, openPool } from '../server/postgres/pool.ts'
import { Connection } from './connection.ts'
import { type Renewer, replay, type Statement } from './renewal.ts'

// Renews without a pause. Its own process keeps this work off the server's thread and the measurement's.

/** The message that starts the work; `Done` is the message that ends it. */
export interface Order {
  way: { url: string } | { database: Connect; statements: Statement[] }
  connections: number
  milliseconds: number
  renewers: Renewer[]
}
export interface Done {
  renewals: number
  milliseconds: number
}

process.once('message', async (order: Order) => {
  const began = performance.now()
  const until = began + order.milliseconds
  const done = await Promise.all(
    Array.from({ length: order.connections }, async (_, at) => {
      const { renew, close } = await open(order.way)
      // Connections share no dealer, because two people of one dealer hardly ever renew in the same millisecond.
      const own = order.renewers.filter((_, nr) => nr % order.connections === at)
      let renewals = 0
      for (; performance.now() < until; renewals += 1) {
        const by = own[renewals % own.length] as Renewer
        const turn = Math.floor(renewals / own.length)
        await renew(by, by.clients[turn % by.clients.length] as string)
      }
      await close()
      return renewals
    }),
  )
  const renewals = done.reduce((sum, one) => sum + one, 0)
  process.send?.({ renewals, milliseconds: performance.now() - began } satisfies Done)
  process.disconnect()
})

async function open(way: Order['way']) {
  if ('url' in way) {
    const connection = await Connection.open(way.url)
    return {
      renew: (by: Renewer, name: string) =>
        connection.post('/v1/api/renew', by.token, JSON.stringify({ name, months: 1 }), randomUUID()),
      close: () => connection.close(),
    }
  }
  const sql = openPool(way.database, { max: 1 })
  return {
    renew: (by: Renewer, name: string) => replay(sql, way.statements, by, [name]),
    close: () => sql.end(),
  }
}

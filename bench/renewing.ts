import { randomUUID } from 'node:crypto'
import { Connection } from './connection.ts'
import type { Renewer } from './renewal.ts'

// Renews without a pause. Its own process keeps this work off the server's thread and the measurement's.

/** The message that starts the work; `Done` is the message that ends it. */
export interface Order {
  url: string
  connections: number
  milliseconds: number
  renewers: Renewer[]
}
export interface Done {
  /** How long each renewal took, and all of them together. */
  times: number[]
  milliseconds: number
}

process.once('message', async ({ url, connections, milliseconds, renewers }: Order) => {
  const began = performance.now()
  const until = began + milliseconds
  const times: number[] = []
  await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      const connection = await Connection.open(url)
      // Connections share no dealer, because two people of one dealer hardly ever renew in the same millisecond.
      const own = renewers.filter((_, nr) => nr % connections === at)
      for (let nr = 0; performance.now() < until; nr += 1) {
        const by = own[nr % own.length] as Renewer
        const name = by.clients[Math.floor(nr / own.length) % by.clients.length]
        const sent = performance.now()
        await connection.post('/v1/api/renew', by.token, JSON.stringify({ name, months: 1 }), randomUUID())
        times.push(performance.now() - sent)
      }
      connection.close()
    }),
  )
  // A long message is lost if the channel is closed before it was sent.
  process.send?.({ times, milliseconds: performance.now() - began } satisfies Done, () =>
    process.disconnect(),
  )
})

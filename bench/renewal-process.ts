import { randomUUID } from 'node:crypto'
import { calls } from '../contract/calls.ts'
import { Connection } from './connection.ts'
import { timed } from './timed.ts'

// Renews without a pause, for each order that it gets. Its own process keeps this work off the server's thread and the
// measurement's.

/** A dealer with a session, and the clients that it renews. */
interface Dealer {
  token: string
  clients: string[]
}

/** The message that starts the work; `Done` is the answer. */
export interface Order {
  url: string
  connections: number
  milliseconds: number
  renewers: Dealer[]
}
export interface Done {
  /** How long each renewal took, and all of them together. */
  times: number[]
  milliseconds: number
}

process.on('message', async ({ url, connections, milliseconds, renewers }: Order) => {
  const began = performance.now()
  const until = began + milliseconds
  const times: number[] = []
  await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      const connection = await Connection.open(url)
      // Connections share no dealer, because two people of one dealer hardly ever renew in the same millisecond.
      const own = renewers.filter((_, nr) => nr % connections === at)
      for (let nr = 0; performance.now() < until; nr += 1) {
        const by = own[nr % own.length] as Dealer
        const name = by.clients[Math.floor(nr / own.length) % by.clients.length]
        const body = JSON.stringify({ name, months: 1 })
        times.push(await timed(() => connection.post(calls.clients.renew.path, by.token, body, randomUUID())))
      }
      connection.close()
    }),
  )
  process.send?.({ times, milliseconds: performance.now() - began } satisfies Done)
})

import { change } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import type { SelfReport } from './client.ts'
import { storeFacts } from './sign-in.ts'

export type LateFacts = ReturnType<typeof openLateFacts>

/** What boxes say of themselves while the database is away, which is stored once it is back. */
export function openLateFacts(sql: Sql) {
  const waiting = new Map<number, { nonce: string; report: SelfReport }>()
  return {
    note(client: number, said: { nonce: string; report: SelfReport }): void {
      waiting.set(client, said)
    },

    async write(): Promise<void> {
      try {
        for (const [client, { nonce, report }] of waiting) {
          await change(sql, () => storeFacts(sql, client, nonce, report))
          waiting.delete(client)
        }
      } catch {
        // They wait for the next time, as the polls do.
      }
    },
  }
}

import type { FastifyBaseLogger } from 'fastify'
import { change } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { SelfReport } from '../client.ts'

/** What a box says of itself, and the nonce of its token: it counts while this box is the one that is in. */
type Said = { nonce: string; report: SelfReport }

/** How many one statement stores: few enough that no sign-in waits long for its locks. */
const AT_ONCE = 5_000

export type LateFacts = ReturnType<typeof openLateFacts>

/** What boxes say of themselves while the database is away, which is stored once it is back. */
export function openLateFacts(sql: Sql, log: FastifyBaseLogger) {
  let waiting = new Map<number, Said>()
  return {
    note(client: number, said: Said): void {
      waiting.set(client, merged(waiting.get(client), said))
    },

    /**
     * Stores what waits. Where the database is away, it goes on waiting. Never run two of these at once: the one with
     * the older report could end last, and overwrite the newer one.
     */
    async write(): Promise<void> {
      const said = [...waiting]
      waiting = new Map()
      let stored = 0
      try {
        for (; stored < said.length; stored += AT_ONCE)
          await change(sql, () => store(sql, said.slice(stored, stored + AT_ONCE)))
      } catch (err) {
        for (const [client, older] of said.slice(stored)) {
          const newer = waiting.get(client)
          waiting.set(client, newer ? merged(older, newer) : older)
        }
        log.warn({ err }, 'what boxes say of themselves could not be stored, and waits')
      }
    },
  }
}

/** Returns what a box has said last. What it leaves out stays as it said before. */
function merged(older: Said | undefined, newer: Said): Said {
  if (older?.nonce !== newer.nonce) return newer
  const told = Object.entries(newer.report).filter(([, text]) => text !== '')
  return { nonce: newer.nonce, report: { ...older.report, ...Object.fromEntries(told) } }
}

/** Stores what decides nothing. What a box leaves out stays as it was. */
async function store(sql: Sql, said: readonly (readonly [client: number, Said])[]): Promise<void> {
  const fact = (part: keyof SelfReport) => said.map(([, { report }]) => report[part] || null)
  await sql`
    with said as (
      select * from unnest(${said.map(([client]) => client)}::bigint[], ${said.map(([, { nonce }]) => nonce)}::text[],
        ${fact('stb_type')}::text[], ${fact('version')}::text[], ${fact('image')}::text[], ${fact('hardware')}::text[])
        t (client, nonce, stb_type, version, image, hardware)
    ),
    -- In the order in which sign-ins lock them, so that the two never wait for each other.
    locked as (
      select d.client from device d join said on said.client = d.client and said.nonce = d.token_nonce
      order by d.client for no key update of d
    )
    update device set stb_type = coalesce(said.stb_type, device.stb_type),
      version = coalesce(said.version, device.version), image = coalesce(said.image, device.image),
      hardware = coalesce(said.hardware, device.hardware)
    from locked join said using (client) where device.client = locked.client`
}

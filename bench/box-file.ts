import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Seal } from '../server/access/seal.ts'
import { openTokens } from '../server/boxes/box-token.ts'
import { begin } from '../server/postgres/begin.ts'
import type { Sql } from '../server/postgres/pool.ts'

/** A box as the process that asks knows it. */
export interface Box {
  mac: string
  token: string
  /** Of 11 characters at most. */
  serial: string
}

/** Lines have one length, so that a box is found by its number. */
const LENGTHS = { mac: 17, token: 48, serial: 11 }
const LINE = LENGTHS.mac + LENGTHS.token + LENGTHS.serial + 1

/** The query of a poll, as a box sends it. */
export const POLL =
  'type=watchdog&action=get_events&cur_play_type=1&event_active_id=0&init=0&JsHttpRequest=1-xml'

/** How many boxes a file has: those with a MAC of their own that may play come first, then others that may play. */
export interface Boxes {
  file: string
  withMac: number
  playing: number
  all: number
}

/**
 * Lets a box of every client in, as a sign-in leaves it, because a million real ones take half an hour. Those that are
 * in already stay in.
 */
export async function letAllIn(sql: Sql): Promise<void> {
  await begin(sql, async (sql) => {
    // Without triggers, because no server knows these boxes yet, and would read a million changes.
    await sql`set local session_replication_role = replica`
    await sql`
      insert into device (client, stb_sn, stb_type, version, first_seen, mac, device_id, device_id2, token_nonce)
      select c.id, '0' || lpad((c.id % 1000000000)::text, 9, '0') || 'B', 'MAG254', 'ImageDescription: 0.2.18-r23', now(),
        bound, hash, hash, upper(left(md5('nonce ' || c.id), 16))
      from client c
      cross join lateral (
        select case when c.mac is null
          then upper(regexp_replace(lpad(to_hex(c.id), 12, '020000000000'), '(..)(?!$)', '\\1:', 'g')) end
      ) box (bound)
      cross join lateral (
        select upper(encode(sha256(convert_to(coalesce(c.mac, bound), 'UTF8')), 'hex'))
      ) told (hash)
      where c.deleted is null
        and not exists (select from device d where d.client = c.id and d.token_nonce is not null)
      on conflict (client) do update set device_id = excluded.device_id, device_id2 = excluded.device_id2,
        token_nonce = excluded.token_nonce`
  })
  // What other measurements have changed is told to no box, so that every poll has the same answer.
  await sql`truncate box_event`
  await sql`vacuum (analyze) device`
}

/** Writes the boxes that are in with their tokens. The order within each group is a mixture of all dealers. */
export async function writeBoxes(sql: Sql, seal: Seal, file: string): Promise<Boxes> {
  const tokens = openTokens(seal)
  const boxes: Boxes = { file, withMac: 0, playing: 0, all: 0 }
  const rows = sql<{ mac: string; nonce: string; serial: string; plays: boolean; own: boolean }[]>`
    select coalesce(c.mac, d.mac) as mac, d.token_nonce as nonce, coalesce(d.stb_sn, '') as serial,
      c.mac is not null as own, c.active and s.expiry > now() + interval '1 hour' and not d.cut
        and c.dealer not in (select dealer from dealer_out_of_service) as plays
    from client c join service s on s.client = c.id join device d on d.client = c.id
    where c.deleted is null and d.token_nonce is not null
    order by plays desc, own desc, hashint8(c.id)`
  async function* lines() {
    for await (const some of rows.cursor(10_000)) {
      let text = ''
      for (const { mac, nonce, serial, plays, own } of some) {
        boxes.all += 1
        if (plays) boxes.playing += 1
        if (plays && own) boxes.withMac += 1
        text += `${mac}${tokens.tokenOf(nonce, mac)}${serial.padEnd(LENGTHS.serial)}\n`
      }
      yield text
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file))
  return boxes
}

/** Returns a box of the file by its number from 0. */
export function readBox(file: Buffer, nr: number): Box {
  const at = nr * LINE
  const [token, serial] = [at + LENGTHS.mac, at + LENGTHS.mac + LENGTHS.token]
  return {
    mac: file.toString('latin1', at, token),
    token: file.toString('latin1', token, serial),
    serial: file.toString('latin1', serial, at + LINE - 1).trimEnd(),
  }
}

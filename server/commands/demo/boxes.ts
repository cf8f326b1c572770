import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../postgres/pool.ts'

export type DemoBox = { mac: string; stb_sn: string; stb_type: string; ver: string }

/** How often a box polls, and how long it takes until all are switched on, in milliseconds. */
const POLL_MS = 120_000
const ALL_ON_MS = 20_000

/**
 * How many clients have a box that lives, and which share of them comes online: some have expired, or are switched off.
 */
const LIVING = 150
const ONLINE = 0.85

/** Boxes that ask before anybody made a client for them. */
const OF_NOBODY: readonly DemoBox[] = ['00:1A:79:0D:E0:01', '00:1A:79:0D:E0:02', '00:1A:79:0D:E0:03'].map(
  (mac) => ({ mac, stb_sn: '', stb_type: 'MAG322', ver: 'ImageDescription: 0.2.18-r23' }),
)

/** Returns the boxes that live. A locked client's is let in from one address only, which is not the one they ask from. */
export async function demoBoxes(sql: Sql): Promise<DemoBox[]> {
  const known = await sql<DemoBox[]>`
    select c.mac, coalesce(d.stb_sn, '') as stb_sn, coalesce(d.stb_type, '') as stb_type, coalesce(d.version, '') as ver
    from client c join device d on d.client = c.id
    where c.mac is not null and c.deleted is null and not c.locked order by c.id desc limit ${LIVING}`
  const [mistyped] = await sql<{ mac: string }[]>`
    select c.mac from client c left join device d on d.client = c.id
    where c.mac is not null and c.deleted is null and d.client is null order by c.id desc limit 1`
  return [...known, ...OF_NOBODY, ...(mistyped ? [nearly(mistyped.mac)] : [])]
}

function nearly(mac: string): DemoBox {
  const other = mac.endsWith('0') ? '8' : '0'
  return {
    mac: mac.slice(0, -1) + other,
    stb_sn: '',
    stb_type: 'MAG250',
    ver: 'ImageDescription: 0.2.18-r22',
  }
}

/** Counts the boxes that were online in the day before: most in the evening, and at its end as many as come online. */
export async function countYesterday(sql: Sql, now: Date): Promise<void> {
  await sql`
    with day as (
      select at, 0.55 + 0.3 * sin((extract(epoch from at) / 86400 - 0.57) * 2 * pi()) as share
      from generate_series(date_bin('5 minutes', ${now}::timestamptz, 'epoch') - interval '1 day', ${now}::timestamptz, interval '5 minutes') at)
    insert into box_count (at, online)
    select at, (${LIVING * ONLINE}::float8 * share / first_value(share) over (order by at desc)
      * (0.97 + 0.06 * random()))::integer
    from day`
}

/**
 * Lets boxes live: each signs in, plays a channel, polls, and confirms what it is told. Returns what switches them off.
 */
export function switchOn(portal: string, boxes: readonly DemoBox[], everyMs = POLL_MS): () => void {
  const off = new AbortController()
  for (const [at, box] of boxes.entries()) {
    void live(portal, box, {
      firstMs: (at * Math.min(ALL_ON_MS, everyMs)) / boxes.length,
      everyMs,
      off: off.signal,
    })
  }
  return () => off.abort()
}

type Life = { firstMs: number; everyMs: number; off: AbortSignal }

async function live(portal: string, box: DemoBox, { firstMs, everyMs, off }: Life): Promise<void> {
  let token = ''
  let waitMs = firstMs
  while (!off.aborted) {
    try {
      await pause(waitMs, undefined, { ref: false, signal: off })
      token = token === '' ? await signIn(portal, box) : await poll(portal, box, token)
    } catch {
      // It was switched off, or the portal cannot be reached: a box tries again.
    }
    waitMs = everyMs
  }
}

/** Returns '' for a box that is not in. */
async function signIn(portal: string, box: DemoBox): Promise<string> {
  const { token } = (await ask(portal, box, 'stb/handshake', {})) as { token: string }
  const { stb_sn: sn, stb_type, ver } = box
  const profile = (await ask(portal, box, 'stb/get_profile', { sn, stb_type, ver }, token)) as {
    status: number
  }
  if (profile.status !== 0) return ''
  const { data } = (await ask(portal, box, 'itv/get_all_channels', {}, token)) as { data: { cmd: string }[] }
  const channel = data[Math.floor(Math.random() * data.length)]
  if (channel) await ask(portal, box, 'itv/create_link', { cmd: channel.cmd }, token)
  return token
}

async function poll(portal: string, box: DemoBox, token: string): Promise<string> {
  const polled = await ask(portal, box, 'watchdog/get_events', { init: '0', cur_play_type: '1' }, token)
  if (polled === null) return ''
  const { data } = polled as { data: { id?: string; need_confirm?: number } }
  if (data.need_confirm === 1) {
    await ask(portal, box, 'watchdog/confirm_event', { event_active_id: data.id ?? '' }, token)
  }
  return token
}

/** Null where the call was refused. */
async function ask(
  portal: string,
  { mac }: DemoBox,
  call: string,
  fields: Record<string, string>,
  token = '',
): Promise<unknown> {
  const [type = '', action = ''] = call.split('/')
  const response = await fetch(`${portal}/portal.php`, {
    method: 'POST',
    headers: { cookie: `mac=${mac}`, ...(token && { authorization: `Bearer ${token}` }) },
    body: new URLSearchParams({ type, action, ...fields }),
  })
  const text = await response.text()
  return text.startsWith('{') ? (JSON.parse(text) as { js: unknown }).js : null
}

import { UNKNOWN_BOX_DAYS } from '../../../contract/boxes.ts'
import type { calls } from '../../../contract/calls.ts'
import { MAC_DIGITS, MAC_PREFIX } from '../../../contract/clients.ts'
import { leavesOutAdults, packageLabel } from '../../../contract/packages.ts'
import type { ClientDetail } from '../../../contract/shapes.ts'
import { before, DAY_MS, soonAfter } from '../../../contract/time.ts'
import { lastWrongTry } from '../../access/login-limits.ts'
import { ofClient } from '../../access/seal.ts'
import type { Handler } from '../../context.ts'
import { retrievals } from '../../ledger/retrievals.ts'
import { withBoxMac } from '../../ledger/trials.ts'
import type { Fragment, Sql } from '../../postgres/pool.ts'
import { notFound } from '../../refusal.ts'
import { clientOf } from '../../tree/client.ts'
import { boxRefusal, isOnline, isUnknownBox } from '../../tree/presence.ts'

export const clientDetail: Handler<typeof calls.clients.detail> = async (context, { name }) => {
  const { sql, now, business } = context
  const client = await clientOf(context, name)
  const [found] = await sql<(Rest & Near & Offer)[]>`
    select c.mac as o_mac, c.active as status, c.password, c.alt_player, c.phone, c.package_selection, c.locked,
      c.created, d.stb_sn, d.stb_type, d.version, d.time_last_play_tv, d.time_last_play_video,
      d.last_played_tv_content, d.last_played_vod_content, d.locked_to_ip, nullif(p.watching, '') as watching, p.polled as last_active,
      coalesce(${isOnline(sql, now)}, false) as online,
      p.address as last_address, ${boxRefusal(sql)} as box_refusal, p.answered as box_answered, near.mac as near_mac, near.asked as near_asked, near.digits,
      offer.channels, offer.adult_channels
    from client c left join device d on d.client = c.id left join presence p on p.client = c.id
    left join lateral (${nearBox(sql, now)}) near on true
    cross join lateral (${offerOf(sql)}) offer
    where c.id = ${client.id} and c.dealer = ${client.dealer} and c.deleted is null`
  if (!found) throw notFound()
  const { near_mac: mac, near_asked: asked, digits, channels, adult_channels, ...rest } = found
  const { offered } = await retrievals(context, await withBoxMac(sql, client, 'read'))
  const wrong_login = client.ministra
    ? await lastWrongTry(context, client.name.toLowerCase(), rest.created)
    : null
  const trial = offered.findIndex(({ leaves }) => leaves === 'a new trial')
  return {
    ...client,
    ...rest,
    password: business.seal.open(rest.password, ofClient(client.id)),
    tariff_plan: packageLabel(rest.package_selection) ?? '',
    channels:
      channels === null ? null : channels - (leavesOutAdults(rest.package_selection) ? adult_channels : 0),
    near_box: mac === null ? null : { mac, asked, digits },
    wrong_login,
    retrievable: offered.length,
    retrievals: offered.map(({ expiry }) => expiry),
    trial_retrieval: trial < 0 ? null : trial + 1,
  }
}

/** What the client's own row, its service and its box say. */
type Rest = { password: Buffer } & Pick<
  ClientDetail,
  | 'o_mac'
  | 'status'
  | 'alt_player'
  | 'phone'
  | 'package_selection'
  | 'locked'
  | 'created'
  | 'stb_sn'
  | 'stb_type'
  | 'version'
  | 'watching'
  | 'box_refusal'
  | 'box_answered'
  | 'last_active'
  | 'online'
  | 'last_address'
  | 'time_last_play_tv'
  | 'time_last_play_video'
  | 'last_played_tv_content'
  | 'last_played_vod_content'
  | 'locked_to_ip'
>

/** How many channels the groups of a client's package have, and how many of these are for adults. */
type Offer = { channels: number | null; adult_channels: number }

/** Null channels where no playlist is in use. */
function offerOf(sql: Sql): Fragment {
  return sql`
    select case when count(*) > 0 then coalesce(sum(channels) filter (where holds), 0) end::int as channels,
      coalesce(sum(channels) filter (where holds and adult), 0)::int as adult_channels
    from (
      select channels, adult, c.package_selection = any (packages) as holds from channel_group where channels > 0
    ) as of_playlist`
}

/** The unknown box whose MAC is nearly the client's; all null where there is none. */
type Near =
  | { near_mac: string; near_asked: string; digits: number }
  | { near_mac: null; near_asked: null; digits: null }

/**
 * The unknown box whose MAC differs in one or two digits, for a client `c` whose own MAC has never asked, also before a
 * reset.
 */
function nearBox(sql: Sql, now: Date): Fragment {
  // Written out for each digit: counting rows took three times as long, of 10,000 boxes that asked.
  const differing = MAC_DIGITS.map(
    (place) => sql`(substr(c.mac, ${place}::int, 1) <> substr(u.mac, ${place}::int, 1))::int`,
  ).reduce((sum, digit) => sql`${sum} + ${digit}`)
  return sql`
    select u.mac, u.asked, differ.digits
    from unknown_box u cross join lateral (select ${differing} as digits) differ
    where c.mac is not null and d.client is null and p.client is null
      and starts_with(u.mac, ${MAC_PREFIX}) and u.asked > ${before(now, UNKNOWN_BOX_DAYS * DAY_MS)}
      and u.asked <= ${soonAfter(now)}
      and differ.digits <= 2 and ${isUnknownBox(sql)}
      and (
        select h.event from device_history h where h.client = c.id and h.event in ('first seen', 'new MAC')
        order by h.id desc limit 1
      ) is distinct from 'first seen'
    order by differ.digits, u.asked desc limit 1`
}

import { hash } from 'node:crypto'
import type { BoxRefusal } from '../../contract/box-refusals.ts'
import type { BoxNetwork } from '../access/network.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/** What is known of a client, by which a box is let in or refused. */
export type BoxClient = {
  id: number
  dealer: number
  name: string
  /** Null for a Ministra client, whose box signs in by login and password. */
  mac: string | null
  active: boolean
  locked: boolean
  alt_player: boolean
  package_selection: number
  /** In milliseconds since 1970. */
  expiry: number
  /** What its box is held to; null where no box has signed in since the last reset. */
  device: Device | null
  /** The latest moment, in milliseconds, at which something may still be told to its box; 0 where nothing waits. */
  waits_until: number
}

/** What the table `device` holds a box to. */
export type DeviceRow = {
  mac: string | null
  stb_sn: string | null
  device_id: string | null
  device_id2: string | null
  token_nonce: string | null
  takeovers_refused: boolean
  locked_to_ip: string | null
  cut: boolean
}

/** The same, with a print of each part of its identity instead of the part, because a million are kept in memory. */
export type Device = Omit<DeviceRow, (typeof IDENTITY)[number]> & { prints: Prints }

/** A print for each part of IDENTITY: 48 bits, 0 for one that is not known. */
type Prints = readonly [number, number, number]

/** What a box says of itself when it signs in; empty where it says nothing. */
export type SelfReport = {
  stb_sn: string
  device_id: string
  device_id2: string
  stb_type: string
  version: string
  image: string
  hardware: string
}

/** Where a box asks from: its address and its network; both null where it is not known (see `network.ts`). */
export type Place = { address: string | null } & BoxNetwork

/**
 * Returns why a client's box may not play now; null where it may. `report` is what the box says when it signs in.
 * @param unserved the dealers who are suspended with service
 */
export function refusalOf(
  client: BoxClient,
  place: Place,
  unserved: ReadonlySet<number>,
  now: Date,
  report?: SelfReport,
): BoxRefusal | null {
  const { device } = client
  if (!client.active) return 'switched_off'
  if (unserved.has(client.dealer)) return 'suspended'
  if (client.expiry < now.getTime()) return 'expired'
  if (isLockedElsewhere(client, place)) return 'other_address'
  if (client.mac !== null && device && report && isOther(device, report)) return 'other_box'
  return null
}

/** Whether a client is locked to another network, or is to be locked and its box may hide from where it asks. */
export function isLockedElsewhere({ locked, device }: BoxClient, { network, counted }: Place): boolean {
  const to = device?.locked_to_ip ?? null
  return locked && (to === null ? network === null && counted !== null : to !== network)
}

/** The parts of a box that stay the same, by which one box is told from another. */
const IDENTITY = ['stb_sn', 'device_id', 'device_id2'] as const

function isOther(device: Device, report: SelfReport): boolean {
  return IDENTITY.some((part, at) => {
    const pinned = device.prints[at]
    return pinned !== 0 && identifies(report[part]) && pinned !== printOf(report[part])
  })
}

export function deviceOf({ stb_sn, device_id, device_id2, ...device }: DeviceRow): Device {
  return { ...device, prints: [printOf(stb_sn), printOf(device_id), printOf(device_id2)] }
}

/** Without the space at its end that the page at /c/ once told of a box whose firmware ends its answers with a line. */
function printOf(part: string | null): number {
  return part === null ? 0 : hash('sha256', part.trim(), 'buffer').readUIntLE(0, PRINT_BYTES)
}

export const PRINT_BYTES = 6

/** Whether an id identifies a box: that of an emulator is often empty or all zeros. */
export function identifies(id: string): boolean {
  return /[^0]/.test(id)
}

/** The columns of a client of the tables `c`, `s` and `d`, as `boxClientOf` reads them. */
export function columnsOf(sql: Sql): Fragment {
  return sql`
    c.id, c.dealer, c.name, c.mac, c.active, c.locked, c.alt_player, c.package_selection, s.expiry, d.client is not null as has_device,
    d.mac as bound_mac, d.stb_sn, d.device_id, d.device_id2, d.token_nonce, d.takeovers_refused, d.locked_to_ip,
    d.cut, (select max(e.expiry) from box_event e where e.client = c.id and e.told is null) as waits_until`
}

export type BoxClientRow = Omit<BoxClient, 'expiry' | 'device' | 'waits_until'> &
  Omit<DeviceRow, 'mac'> & {
    expiry: string
    has_device: boolean
    bound_mac: string | null
    waits_until: string | null
  }

/** Reads living clients with their devices, in the order of their ids. */
export async function clientRows(sql: Sql, ids: readonly number[]): Promise<BoxClientRow[]> {
  return sql<BoxClientRow[]>`
    select ${columnsOf(sql)} from client c join service s on s.client = c.id left join device d on d.client = c.id
    where c.id = any (${ids}::bigint[]) and c.deleted is null order by c.id`
}

export function boxClientOf(row: BoxClientRow): BoxClient {
  const { id, dealer, name, mac, active, locked, alt_player, package_selection } = row
  const device = deviceRowOf(row)
  return {
    ...{ id, dealer, name, mac, active, locked, alt_player, package_selection },
    expiry: Date.parse(row.expiry),
    waits_until: row.waits_until === null ? 0 : Date.parse(row.waits_until),
    device: device && deviceOf(device),
  }
}

/** Returns the device of a client's row; null where no box has signed in since the last reset. */
export function deviceRowOf(row: BoxClientRow): DeviceRow | null {
  const { stb_sn, device_id, device_id2, token_nonce, takeovers_refused, locked_to_ip, cut } = row
  if (!row.has_device) return null
  return {
    ...{ mac: row.bound_mac, stb_sn, device_id, device_id2, token_nonce },
    ...{ takeovers_refused, locked_to_ip, cut },
  }
}

/** The MAC under which a client's box is known: its own, or that of the box that signed in by login. */
export function macOf({ mac, device }: BoxClient): string | null {
  return mac ?? device?.mac ?? null
}

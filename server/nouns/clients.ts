import type { BoxRefusal } from '../../contract/boxes.ts'
import type { calls, InputOf } from '../../contract/calls.ts'
import { expiryState, MAC_PREFIX, Mac, ONLINE_FOR_MS } from '../../contract/clients.ts'
import { UNKNOWN_BOX_DAYS } from '../../contract/gateway.ts'
import { packageLabel } from '../../contract/packages.ts'
import { DAY_MS } from '../../contract/time.ts'
import { ofClient } from '../access/seal.ts'
import { type Context, type Handlers, Unchanged } from '../context.ts'
import { started } from '../ledger/months.ts'
import { payStart, refuseChanged, renew, type Served } from '../ledger/purchases.ts'
import { retrievals } from '../ledger/retrievals.ts'
import { holdPlace } from '../ledger/transfer.ts'
import { giveTrial, livesOnTrial, shareTrial, type TrialFields } from '../ledger/trials.ts'
import type { Sql } from '../postgres/pool.ts'
import { notFound, Refusal, refuseField } from '../refusal.ts'
import { balanceOf } from '../tree/account.ts'
import { type Client, clientOf, clientsOf, ownClientWith } from '../tree/client.ts'
import { type Fragment, isNobodys } from '../tree/selection.ts'

/** The handlers for one client of the dealer. Another dealer's clients are not found. */
export const clients: Pick<
  Handlers<typeof calls.clients>,
  'create' | 'detail' | 'save' | 'multiquote' | 'multisave' | 'reset'
> = {
  async create(context, input) {
    const { sql, account, now, business } = context
    const { login: name, stb_mac: mac, desc: description, months } = input
    await refuseOwn(context, { name, mac })
    await holdPlace(sql, account)
    const service = started(months, now, business.zone)
    const [made] = await sql<{ id: number }[]>`
      with made as (
        insert into client (dealer, name, password, mac, ministra, phone, description, package_selection, created)
        values (
          ${account.id}, ${name}, '', ${mac}, ${input.ministra}, ${input.phone},
          ${description}, ${input.package_selection}, ${now})
        returning id, dealer, name
      )
      insert into service (client, dealer, name, expiry)
      select id, dealer, name, ${service.expiry} from made returning client as id`
    const client = { id: made?.id as number, name, mac, description }
    // The seal binds the password to the client's id, which exists only after the insert.
    const password = business.seal.close(input.password, ofClient(client.id))
    await sql`update client set password = ${password} where id = ${client.id}`
    if (typeof months === 'number' && months > 0) {
      const credits = await payStart(context, client, service, months)
      return { status: 'OK', name, expiry: service.expiry, credits }
    }
    await giveTrial(context, client, service.expiry, TYPED)
    return { status: 'OK', name, expiry: service.expiry, credits: await balanceOf(sql, account) }
  },

  async detail(context, { name }) {
    const { sql, now, business } = context
    const client = await clientOf(context, name)
    const [found] = await sql<(Rest & Near)[]>`
      select c.mac as o_mac, c.active as status, c.password, c.alt_player, c.phone, c.package_selection, c.locked,
        c.created, d.stb_sn, d.stb_type, d.version, d.time_last_play_tv, d.time_last_play_video,
        d.last_played_tv_content, d.last_played_vod_content, d.locked_to_ip, nullif(p.watching, '') as watching, p.polled as last_active,
        p.refusal as box_refusal, p.answered as box_answered, near.mac as near_mac, near.asked as near_asked, near.digits
      from client c left join device d on d.client = c.id left join presence p on p.client = c.id
      left join lateral (${nearBox(sql, now)}) near on true
      where c.id = ${client.id} and c.deleted is null`
    if (!found) throw notFound()
    const { near_mac: mac, near_asked: asked, digits, ...rest } = found
    const { offered } = await retrievals(context, client)
    const trial = offered.findIndex(({ leaves }) => leaves === 'a new trial')
    return {
      ...client,
      ...rest,
      password: business.seal.open(rest.password, ofClient(client.id)),
      tariff_plan: packageLabel(rest.package_selection) ?? '',
      near_box: mac === null ? null : { mac, asked, digits },
      online: rest.last_active !== null && now.getTime() - Date.parse(rest.last_active) < ONLINE_FOR_MS,
      retrievable: offered.length,
      retrievals: offered.map(({ expiry }) => expiry),
      trial_retrieval: trial < 0 ? null : trial + 1,
    }
  },

  async save(context, input) {
    const { sql, account, now } = context
    const client = await clientOf(context, input.login, 'lock')
    const { name, expiry } = client
    if (input.expiry !== undefined) refuseChanged([client], [input.expiry])
    const months = input.months ?? 0
    const expired = expiryState(expiry, now) === 'expired'
    if (expired && months === 0) throw refuseField('client_expired', 'months', EXPIRED)
    // An expired client can only be renewed: all else stays as it was, whatever was sent.
    const changed = expired ? null : await change(context, client, input)
    if (months === 0) {
      const output = { status: 'OK' as const, name, expiry, credits: await balanceOf(sql, account) }
      if (!changed) return new Unchanged(output)
      const hasNewMac = changed.mac !== null && changed.mac !== client.mac
      if (hasNewMac && (await livesOnTrial(context, changed))) await shareTrial(context, changed, TYPED)
      return output
    }
    const { credits, clients } = await renew(context, [changed ?? client], months)
    return { status: 'OK', name, expiry: (clients[0] as Served).expiry, credits }
  },

  async multiquote(context, { clients: names }) {
    const { sql, now } = context
    const clients = await clientsOf(context, names)
    const rest = await sql<{ id: number; status: boolean; package_selection: number }[]>`
      select id, active as status, package_selection from client where id = any (${clients.map(({ id }) => id)})`
    const restOf = new Map(rest.map(({ id, ...fields }) => [id, fields]))
    return {
      status: 'OK',
      data: clients.map(({ id, name, expiry }) => {
        const fields = restOf.get(id)
        if (!fields) throw notFound()
        return { name, expiry, expired: expiryState(expiry, now) === 'expired', ...fields }
      }),
    }
  },

  async multisave(context, { clients: names, status = null, package_selection: chosen = null }) {
    const { sql, now } = context
    const clients = await clientsOf(context, names, 'lock')
    const expired = clients.find(({ expiry }) => expiryState(expiry, now) === 'expired')
    if (expired) throw new Refusal('client_expired', `${expired.name} has expired. Renew it to change it.`)
    const changed = await sql`
      update client set active = coalesce(${status}, active),
        package_selection = coalesce(${chosen}, package_selection)
      where id = any (${clients.map(({ id }) => id)}) and (active <> ${status} or package_selection <> ${chosen})`
    const output = { status: 'OK' as const, count: clients.length }
    return changed.count > 0 ? output : new Unchanged(output)
  },

  async reset(context, { name }) {
    const client = await clientOf(context, name, 'lock')
    const forgotten = await forgetDevice(context, client.id, { event: 'reset', detail: '' })
    return forgotten ? { status: 'OK' } : new Unchanged({ status: 'OK' })
  },
}

/** The fields that only a client's own page shows. */
type Rest = {
  password: Buffer
  o_mac: string | null
  status: boolean
  alt_player: boolean
  phone: string
  package_selection: number
  locked: boolean
  created: string
  stb_sn: string | null
  stb_type: string | null
  version: string | null
  watching: string | null
  box_refusal: BoxRefusal | null
  box_answered: string | null
  last_active: string | null
  time_last_play_tv: string | null
  time_last_play_video: string | null
  last_played_tv_content: string | null
  last_played_vod_content: string | null
  locked_to_ip: string | null
}

/** The box of nobody that has nearly the client's MAC; all null where there is none. */
type Near =
  | { near_mac: string; near_asked: string; digits: number }
  | { near_mac: null; near_asked: null; digits: null }

/**
 * Returns a query of the box of nobody whose MAC differs least from that of the client `c`, in two digits at most, while
 * no box has asked with that: `d` and `p` are what is known of one.
 */
function nearBox(sql: Sql, now: Date): Fragment {
  return sql`
    select u.mac, u.asked, differ.digits
    from unknown_box u cross join lateral (
      select count(*) as digits from generate_series(${MAC_PREFIX.length + 1}::int, length(u.mac)) place
      where substr(c.mac, place, 1) <> substr(u.mac, place, 1)
    ) differ
    where c.mac is not null and d.client is null and p.client is null
      and starts_with(u.mac, ${MAC_PREFIX}) and u.asked > ${new Date(now.getTime() - UNKNOWN_BOX_DAYS * DAY_MS)}
      and differ.digits <= 2 and ${isNobodys(sql)}
    order by differ.digits, u.asked desc limit 1`
}

/** The fields of a client's form at which a refused trial is reported. */
const TYPED: TrialFields = { mac: 'stb_mac', trials: 'months' }

const EXPIRED = 'This client has expired. Add months to renew it.'

/**
 * Refuses a login or MAC that another of the caller's clients has, and says which. That a stranger's client has it is
 * told by the database's constraint alone, in a sentence that names nobody.
 */
async function refuseOwn(
  context: Context,
  wanted: { name?: string; mac: string | null },
  but?: number,
): Promise<void> {
  const other = await ownClientWith(context, wanted, but)
  if (!other) return
  const isName = wanted.name?.toLowerCase() === other.name.toLowerCase()
  const [code, field, what] = isName
    ? (['name_taken', 'login', 'login'] as const)
    : (['mac_taken', 'stb_mac', 'MAC address'] as const)
  throw refuseField(code, field, `This ${what} is taken by your client ${other.name}.`)
}

/**
 * Writes the sent fields that differ from the stored ones. Returns the changed client; null if none differs. A new MAC or
 * a switch to Ministra forgets the device.
 */
async function change(
  context: Context,
  client: Client,
  input: InputOf<typeof calls.clients.save>,
): Promise<Client | null> {
  const { sql } = context
  const { seal } = context.business
  const ministra = input.ministra ?? client.ministra
  const mac = ministra ? null : macAfter(client, input)
  if (mac !== client.mac) await refuseOwn(context, { mac }, client.id)
  const [stored = {}] = await sql`
    select ministra, mac, password, description, phone, alt_player, active, package_selection, locked
    from client where id = ${client.id}`
  const owner = ofClient(client.id)
  const { password } = input
  // Opened, because two seals of one password differ.
  const isNewPassword = password !== undefined && password !== seal.open(stored.password, owner)
  const sent = {
    ministra,
    mac,
    password: isNewPassword ? seal.close(password, owner) : undefined,
    description: input.desc,
    phone: input.phone,
    alt_player: input.alt_player,
    active: input.status,
    package_selection: input.package_selection,
    locked: input.locked,
  }
  const changes = Object.entries(sent).filter(
    ([column, value]) => value !== undefined && value !== stored[column],
  )
  if (changes.length === 0) return null
  await sql`update client set ${sql(Object.fromEntries(changes))} where id = ${client.id}`
  if (mac !== client.mac) await forgetDevice(context, client.id, { event: 'new MAC', detail: mac ?? '' })
  // The box that is in has to sign in again, with the new password where it needs one.
  else if (isNewPassword) await sql`update device set token_nonce = null where client = ${client.id}`
  return { ...client, ministra, mac, description: input.desc ?? client.description }
}

/** Forgets the box of a client, and notes who did. Returns whether there was anything to forget. */
async function forgetDevice(
  { sql, now, account, address }: Context,
  client: number,
  { event, detail }: { event: 'reset' | 'new MAC'; detail: string },
): Promise<boolean> {
  const [row] = await sql<{ forgotten: boolean }[]>`select forget_device(${client}) as forgotten`
  if (!row?.forgotten) return false
  await sql`
    insert into device_history (client, at, event, detail, address, actor)
    values (${client}, ${now}, ${event}, ${detail}, ${address}, ${account.id})`
  return true
}

/** Returns the MAC of a client without Ministra after the change. A new one needs the old one that the editor saw. */
function macAfter(client: Client, { stb_mac, o_mac }: InputOf<typeof calls.clients.save>): string {
  if (stb_mac === undefined && client.mac !== null) return client.mac
  const mac = Mac.safeParse(stb_mac ?? '')
  if (!mac.success) throw refuseField('invalid_input', 'stb_mac', `${mac.error.issues[0]?.message}.`)
  if (o_mac === undefined) {
    throw refuseField(
      'invalid_input',
      'o_mac',
      'A MAC address is changed together with the one that was there (o_mac).',
    )
  }
  if ((o_mac || null)?.toUpperCase() !== client.mac?.toUpperCase()) {
    throw refuseField(
      'changed_since',
      'stb_mac',
      `The MAC address was changed in the meantime, to ${client.mac ?? 'none'}. Please reload.`,
    )
  }
  return mac.data
}

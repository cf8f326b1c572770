import type { calls, InputOf } from '../../contract/calls.ts'
import { expiryState, Mac } from '../../contract/clients.ts'
import { packageLabel } from '../../contract/packages.ts'
import type { Context, Handlers } from '../context.ts'
import { renewed, started } from '../ledger/months.ts'
import { facts, pay, permitTrial, retrievals } from '../ledger/purchases.ts'
import { note } from '../ledger/transfer.ts'
import type { Sql } from '../postgres/pool.ts'
import { notFound, Refusal, refuseField } from '../refusal.ts'
import { deleteClient } from '../tree/deletion.ts'

type Client = {
  id: number
  name: string
  mac: string | null
  ministra: boolean
  description: string
  expiry: string
}

/** A dealer's clients, one at a time. Another dealer's are not found. */
export const clients: Pick<
  Handlers<typeof calls.clients>,
  'create' | 'detail' | 'save' | 'remove' | 'reset'
> = {
  async create(context, input) {
    const { sql, account, now, business } = context
    const { login: name, stb_mac: mac, desc: description, months } = input
    const service = started(months, now, business.zone)
    const [made] = await sql<{ id: number }[]>`
      with made as (
        insert into client (dealer, name, password, mac, ministra, phone, description, package_selection, created)
        values (
          ${account.id}, ${name}, ${business.seal.close(input.password)}, ${mac}, ${input.ministra}, ${input.phone},
          ${description}, ${input.package_selection}, ${now})
        returning id, dealer, name
      )
      insert into service (client, dealer, name, expiry)
      select id, dealer, name, ${service.expiry} from made returning client as id`
    const client = { id: made?.id as number, name, mac, description }
    if (typeof months === 'number' && months > 0) {
      const purchase = { ...client, ...service, expiryBefore: started(0, now, business.zone).expiry }
      return { status: 'OK', name, expiry: service.expiry, credits: await pay(context, [purchase], months) }
    }
    await permitTrial(context, mac)
    await note(sql, 'TRIAL', facts(context, client, service.expiry))
    return { status: 'OK', name, expiry: service.expiry, credits: await balanceOf(context) }
  },

  async detail({ sql, account, now, business }, { name }) {
    const [client] = await sql<(Client & Stored)[]>`
      select c.id, c.name, c.description, c.mac, c.mac as o_mac, c.ministra, s.expiry, c.active as status, c.password,
        c.alt_player, c.phone, c.package_selection, c.locked, c.created, d.stb_sn, d.stb_type, d.version, d.watching,
        d.last_active, d.time_last_play_tv, d.time_last_play_video, d.last_played_tv_content,
        d.last_played_vod_content, d.locked_to_ip
      from client c join service s on s.client = c.id left join device d on d.client = c.id
      where c.dealer = ${account.id} and lower(c.name) = lower(${name}) and c.deleted is null`
    if (!client) throw notFound()
    const expired = expiryState(client.expiry, now) === 'expired'
    const possible = expired ? [] : await retrievals(sql, client.id, now, business.zone)
    return {
      ...client,
      password: business.seal.open(client.password),
      tariff_plan: packageLabel(client.package_selection) ?? '',
      online: client.last_active !== null && now.getTime() - Date.parse(client.last_active) < ONLINE_FOR,
      retrievable: possible.length,
      retrievals: possible,
    }
  },

  async save(context, input) {
    const { sql, now, business } = context
    const client = await lockOwn(context, input.login)
    const months = input.months ?? 0
    if (expiryState(client.expiry, now) === 'expired') {
      // An expired client can only be renewed: all else stays as it was, whatever was sent.
      if (months === 0) throw refuseField('client_expired', 'months', EXPIRED)
    } else {
      await change(sql, client, input, business.seal.close)
    }
    if (months === 0)
      return { status: 'OK', name: client.name, expiry: client.expiry, credits: await balanceOf(context) }
    const [present] = await sql<Omit<Client, 'expiry'>[]>`
      select id, name, mac, ministra, description from client where id = ${client.id}`
    const service = renewed(client.expiry, months, now, business.zone)
    await sql`update service set expiry = ${service.expiry} where client = ${client.id}`
    const purchase = { ...client, ...present, ...service, expiryBefore: client.expiry }
    return {
      status: 'OK',
      name: client.name,
      expiry: service.expiry,
      credits: await pay(context, [purchase], months),
    }
  },

  async remove(context, { name }) {
    const client = await lockOwn(context, name)
    if (expiryState(client.expiry, context.now) !== 'expired') {
      throw new Refusal('client_not_expired', 'Only an expired client can be deleted.')
    }
    await deleteClient(context, client)
    return { status: 'OK' }
  },

  async reset(context, { name }) {
    const client = await lockOwn(context, name)
    await context.sql`delete from device where client = ${client.id}`
    return { status: 'OK' }
  },
}

type Stored = {
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
  last_active: string | null
  time_last_play_tv: string | null
  time_last_play_video: string | null
  last_played_tv_content: string | null
  last_played_vod_content: string | null
  locked_to_ip: string | null
}

/** A box polls every two minutes; one that was heard within five is on, in milliseconds. */
const ONLINE_FOR = 300_000

const EXPIRED = 'This client has expired. Add months to renew it.'

async function lockOwn({ sql, account }: Context, name: string): Promise<Client & { dealer: number }> {
  const [client] = await sql<(Client & { dealer: number })[]>`
    select c.id, c.dealer, c.name, c.mac, c.ministra, c.description, s.expiry
    from client c join service s on s.client = c.id
    where c.dealer = ${account.id} and lower(c.name) = lower(${name}) and c.deleted is null for update`
  if (!client) throw notFound()
  return client
}

/** Writes the fields that were sent; a new MAC or a switch to Ministra forgets the device. */
async function change(
  sql: Sql,
  client: Client,
  input: InputOf<typeof calls.clients.save>,
  seal: (text: string) => Buffer,
): Promise<void> {
  const ministra = input.ministra ?? client.ministra
  const mac = ministra ? null : macAfter(client, input)
  const changes = Object.fromEntries(
    Object.entries({
      ministra: input.ministra,
      mac: mac === client.mac ? undefined : mac,
      password: input.password === undefined ? undefined : seal(input.password),
      description: input.desc,
      phone: input.phone,
      alt_player: input.alt_player,
      active: input.status,
      package_selection: input.package_selection,
      locked: input.locked,
    }).filter(([, value]) => value !== undefined),
  )
  if (Object.keys(changes).length > 0) await sql`update client set ${sql(changes)} where id = ${client.id}`
  if (mac !== client.mac) await sql`delete from device where client = ${client.id}`
}

/** The MAC that a client without Ministra is to have. Changing it needs the one that the editor saw. */
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

async function balanceOf({ sql, account }: Context): Promise<number> {
  const [holding] = await sql<{ balance: number }[]>`
    select balance from holding where id = ${account.balance_holding}`
  return holding?.balance ?? 0
}

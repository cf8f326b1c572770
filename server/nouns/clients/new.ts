import type { calls } from '../../../contract/calls.ts'
import { ofClient } from '../../access/seal.ts'
import type { Handler } from '../../context.ts'
import { started } from '../../ledger/months.ts'
import { payStart } from '../../ledger/purchases.ts'
import { lockPlace } from '../../ledger/transfer.ts'
import { giveTrial } from '../../ledger/trials.ts'
import { balanceOf } from '../../tree/account.ts'
import { takeMac } from './device.ts'
import { refuseTaken, TYPED } from './form.ts'

export const createClient: Handler<typeof calls.clients.create> = async (context, input) => {
  const { sql, account, now, business } = context
  const { login: name, stb_mac: mac, desc: description, months } = input
  await refuseTaken(context, { name, mac })
  if (mac !== null) await takeMac(context, mac)
  await lockPlace(sql, account)
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
}

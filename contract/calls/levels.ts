import * as z from 'zod/mini'
import { AccountName, AccountPassword } from '../accounts.ts'
import { call, Done, Nothing } from '../call.ts'
import { CreditAmount } from '../credits.ts'
import { LEVELS, type LevelName } from '../levels.ts'
import { DESK } from '../roles.ts'
import { GivenName, Moment, Transaction } from '../shapes.ts'
import { Description } from '../text.ts'
import { ByName } from './names.ts'

/** The calls by which an owner manages its direct children, the accounts of one level. */
export function level<Row extends z.ZodMiniType, Total extends z.core.$ZodLooseShape>(
  name: LevelName,
  row: Row,
  total: Total,
) {
  const { owner, title } = LEVELS[name]
  const at = DESK[owner]
  const roles = [owner]
  return {
    list: call({
      method: 'GET',
      path: `${at}/list`,
      roles,
      summary: `Every ${title} of the caller`,
      input: Nothing,
      output: z.object({ data: z.array(row), count: z.int(), onDate: Moment, ...total }),
    }),
    create: call({
      method: 'POST',
      path: `${at}/${name}`,
      roles,
      summary: `Creates a ${title} with no credits`,
      input: z.strictObject({ login: AccountName, password: AccountPassword }),
      output: z.extend(Done, { name: z.string() }),
    }),
    detail: call({
      method: 'GET',
      path: `${at}/${name}/{name}`,
      roles,
      summary: `One ${title} of the caller`,
      input: ByName,
      output: z.object({ name: z.string(), credits: z.int(), description: z.string(), created: Moment }),
    }),
    history: call({
      method: 'GET',
      path: `${at}/history/{name}`,
      roles,
      summary: `The newest 1,000 transactions of one ${title} and of everything beneath it`,
      input: ByName,
      output: z.array(Transaction),
    }),
    save: call({
      method: 'POST',
      path: `${at}/save`,
      roles,
      summary: `Adds credits to a ${title} or removes them, and sets its description`,
      input: z.strictObject({
        name: GivenName,
        credits: CreditAmount,
        desc: z.optional(Description),
        transaction: z.literal([0, 1], 'Transaction must be 0 (add) or 1 (remove)'),
      }),
      output: z.extend(Done, {
        credits: z.int(),
      }),
      sets: '{name} {field}',
    }),
    changePassword: call({
      method: 'POST',
      path: `${at}/changepassword`,
      roles,
      summary: `Sets the password of a ${title} and ends its sessions`,
      input: z.strictObject({ name: GivenName, password: AccountPassword }),
      output: Done,
      sets: '{name} password',
    }),
  }
}

import type { Context } from '../../context.ts'
import type { TrialFields } from '../../ledger/trials.ts'
import { fieldRefusal } from '../../refusal.ts'
import { ownClientWith } from '../../tree/client.ts'

/** The fields of a client's form at which a refused trial is reported. */
export const TYPED: TrialFields = { mac: 'stb_mac', trials: 'months' }

/**
 * Refuses a login or a MAC that another of the caller's own clients has, and names that client. One that a stranger's client has
 * is refused by the constraint, in a sentence that names nobody.
 */
export async function refuseOwn(
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
  throw fieldRefusal(code, field, `This ${what} is taken by your client ${other.name}.`)
}

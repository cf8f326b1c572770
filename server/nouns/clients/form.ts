import type { Context } from '../../context.ts'
import type { TrialFields } from '../../ledger/trials.ts'
import { Refusal } from '../../refusal.ts'
import { clientsWith } from '../../tree/client.ts'

/** The fields of a client's form at which a refused trial is reported. */
export const TYPED: TrialFields = { mac: 'stb_mac', trials: 'months' }

/**
 * Refuses a login or a MAC that another of the caller's own clients has, and names that client; and both at once where
 * both are taken, whoever has them. Where only one is, and a stranger's client has it, the constraint refuses that. No
 * stranger's client is named.
 */
export async function refuseTaken(
  context: Context,
  wanted: { name?: string; mac: string | null },
  but?: number,
): Promise<void> {
  const others = await clientsWith(context, wanted, but)
  const byName = others.find(({ name }) => name.toLowerCase() === wanted.name?.toLowerCase())
  const byMac = others.find(({ mac }) => mac !== null && mac === wanted.mac)
  if (!(byName && byMac) && !byName?.isOwn && !byMac?.isOwn) return
  const errors = {
    ...(byName && { login: taken('login', byName) }),
    ...(byMac && { stb_mac: taken('MAC address', byMac) }),
  }
  throw new Refusal(byName ? 'name_taken' : 'mac_taken', Object.values(errors).join(' '), { errors })
}

function taken(what: string, { name, isOwn }: { name: string; isOwn: boolean }): string {
  return `This ${what} is taken${isOwn ? ` by your client ${name}` : ''}.`
}

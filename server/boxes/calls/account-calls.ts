import { packageLabel } from '../../../contract/packages.ts'
import { DAY_MS } from '../../../contract/time.ts'
import type { BoxClient } from '../client.ts'
import type { Answer } from '../wire/answers.ts'
import type { BoxCall, BoxHandlers } from '../wire/routes.ts'

type AccountDependencies = {
  /** Returns the client of a box that is in and may play now. */
  letIn: (request: BoxCall) => Promise<BoxClient>
  clock: () => Date
  /** The zone in which a box is told the last day of its service. */
  zone: string
}

/** The calls by which a box learns what its client has, and which of its own menus it shows. */
export function accountCalls({ letIn, clock, zone }: AccountDependencies) {
  const endDate = endDatesIn(zone)
  return {
    'stb/get_localization': async () => ({}),
    'stb/get_modules': async () => MODULES,
    'account_info/get_main_info': async (request) => {
      const client = await letIn(request)
      return {
        // A MAC is a claim and no proof, so that a box is told neither phone nor description.
        ...{ fname: client.name, phone: '', ls: client.name, mac: request.mac },
        ...{
          tariff_plan: packageLabel(client.package_selection) ?? '',
          end_date: endDate(client.expiry, clock()),
        },
        ...{ account_balance: '', last_change_status: '' },
      }
    },
  } satisfies Partial<BoxHandlers>
}

/**
 * Returns what formats the last day of a service in a zone, and how many days of its calendar are left, as Ministra does:
 * `06.15.2026 (31 days)`.
 */
export function endDatesIn(zone: string): (expiry: number, now: Date) => string {
  const days = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  return (expiry, now) => {
    const last = days.format(expiry)
    const left = (Date.parse(last) - Date.parse(days.format(now))) / DAY_MS
    const [year, month, day] = last.split('-')
    return `${month}.${day}.${year} (${left} days)`
  }
}

const MODULES: Answer<'stb/get_modules'> = {
  all_modules: ['tv'],
  switchable_modules: [],
  disabled_modules: [],
  restricted_modules: [],
  template: 'default',
}

import { addDays, type Day, endOf } from '../../server/ledger/calendar.ts'
import { periodFrom } from '../../server/ledger/months.ts'

const ZONE = 'UTC'

/** The clients with something due on each day. */
export class Agenda {
  readonly #days: number[][]

  constructor(days: number) {
    this.#days = Array.from({ length: days }, () => [])
  }

  put(client: number, day: number): void {
    this.#days[day]?.push(client)
  }

  take(day: number): number[] {
    const clients = this.#days[day] ?? []
    this.#days[day] = []
    return clients
  }
}

/** Numbers the days of the business, and counts months as the server does. */
export class Calendar {
  readonly days: readonly Day[]
  readonly ends: readonly string[]
  readonly #numbers: Map<Day, number>
  readonly #counted = new Map<number, number>()

  constructor(first: Day, length: number) {
    this.days = Array.from({ length }, (_, at) => addDays(first, at))
    this.ends = this.days.map((day) => endOf(day, ZONE))
    this.#numbers = new Map(this.days.map((day, at) => [day, at]))
  }

  /** Returns the number of the day on which `months` from a day end. */
  monthsAfter(from: number, months: number): number {
    const key = from * 16 + months
    const known = this.#counted.get(key)
    if (known !== undefined) return known
    const { expiry } = periodFrom(this.days[from] as Day, months, ZONE)
    const end = this.#numbers.get(expiry.slice(0, 10)) as number
    this.#counted.set(key, end)
    return end
  }
}

/** Formats a second of the day as a time. */
export function clock(second: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(second / 3600)}:${two((second / 60) % 60)}:${two(second % 60)}`
}

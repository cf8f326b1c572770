import { type Connect, openPool } from './pool.ts'

/**
 * Notes in which time zone the days of this database are counted from now on. Returns the one that was noted before, where
 * it is another; null otherwise.
 */
export async function noteTimeZone(owner: Connect, zone: string): Promise<string | null> {
  const sql = openPool(owner, { max: 1 })
  try {
    const [noted] = await sql<{ zone: string }[]>`
      select convert_from(value, 'UTF8') as zone from installation where key = ${KEY}`
    if (noted?.zone === zone) return null
    await sql`
      insert into installation (key, value) values (${KEY}, convert_to(${zone}, 'UTF8'))
      on conflict (key) do update set value = excluded.value`
    return noted && !isSameZone(noted.zone, zone) ? noted.zone : null
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const KEY = 'time zone'

/** Whether two IANA names mean the same zone: zones have old and new names. */
export function isSameZone(one: string, other: string): boolean {
  const of = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  return of(one) === of(other)
}

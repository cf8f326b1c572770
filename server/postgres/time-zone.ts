import { type Connect, type Sql, withPool } from './pool.ts'

/**
 * Returns the time zone in which the days of this database were counted before, where it is another; null otherwise.
 */
export async function otherZoneBefore(sql: Sql, zone: string): Promise<string | null> {
  const noted = await notedZone(sql)
  return noted !== null && !isSameZone(noted, zone) ? noted : null
}

/** Returns the time zone in which the days of this database are counted; null before its first start. */
export async function notedZone(sql: Sql): Promise<string | null> {
  const [noted] = await sql<{ zone: string }[]>`
    select convert_from(value, 'UTF8') as zone from installation where key = ${KEY}`
  return noted?.zone ?? null
}

/** Notes in which time zone the days of this database are counted from now on. */
export async function noteTimeZone(owner: Connect, zone: string): Promise<void> {
  await withPool(owner, { max: 1 }, async (sql) => {
    await sql`
      insert into installation (key, value) values (${KEY}, convert_to(${zone}, 'UTF8'))
      on conflict (key) do update set value = excluded.value where installation.value <> excluded.value`
  })
}

const KEY = 'time zone'

/**
 * Whether two IANA names mean the same zone: zones have old and new names. A name that Node does not know is another.
 */
export function isSameZone(one: string, other: string): boolean {
  try {
    const of = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
    return of(one) === of(other)
  } catch {
    return false
  }
}

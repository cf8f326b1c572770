import { StartFault } from '../config.ts'
import { codeOf } from './errors.ts'
import { type Connect, type Sql, withPool } from './pool.ts'

/**
 * Refuses a database that would answer wrongly: one that knows small letters otherwise than this process, as by Turkish
 * rules, by which a name is found, or only those of English, as the locale C; and one that does not know the time zone.
 * @throws StartFault
 */
export async function refuseUnfit(database: Connect, timeZone: string): Promise<void> {
  await withPool(database, { max: 1 }, async (sql) => {
    if (!(await knowsSmallLetters(sql))) {
      throw new StartFault(
        "The database must have the encoding UTF8 and a locale such as C.UTF-8. Make another one: create database … template template0 encoding 'UTF8' locale 'C.UTF-8'. A backup of this one can be restored there.",
      )
    }
    try {
      await sql`select now() at time zone ${timeZone}`
    } catch (error) {
      if (codeOf(error) !== '22023') throw error
      throw new StartFault(
        `PostgreSQL does not know the TIME_ZONE ${timeZone}. On Debian the package tzdata-legacy has the old names; or choose another name of the zone.`,
      )
    }
  })
}

async function knowsSmallLetters(sql: Sql): Promise<boolean> {
  const [is] = await sql<{ encoding: string }[]>`select current_setting('server_encoding') as encoding`
  // Others may not even have the letter.
  if (is?.encoding !== 'UTF8') return false
  const [of] = await sql<{ small: string }[]>`select lower('IÉ') as small`
  return of?.small === 'ié'
}

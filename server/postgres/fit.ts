import { StartFault } from '../config.ts'
import { codeOf } from './errors.ts'
import { type Connect, withPool } from './pool.ts'

/**
 * Refuses a database that would answer wrongly: one that knows small letters otherwise than this process, as by Turkish
 * rules, by which a name is found; and one that does not know the time zone.
 * @throws StartFault
 */
export async function refuseUnfit(database: Connect, timeZone: string): Promise<void> {
  await withPool(database, { max: 1 }, async (sql) => {
    const [is] = await sql<{ encoding: string; small: string }[]>`
      select current_setting('server_encoding') as encoding, lower('I') as small`
    if (is?.encoding !== 'UTF8' || is.small !== 'i') {
      throw new StartFault(
        "The database must have the encoding UTF8 and a locale such as C.UTF-8. Make another one: create database … template template0 encoding 'UTF8' locale 'C.UTF-8'.",
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

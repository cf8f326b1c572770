import { StartFault } from '../config.ts'
import { areTriggersOff, TRIGGERS_OFF } from './after-a-copy.ts'
import { codeOf } from './errors.ts'
import { type Connect, type Sql, withPool } from './pool.ts'
import { standingOf } from './schema.ts'

const UNFIT =
  "The database must have the encoding UTF8 and a locale such as C.UTF-8. Make another one: create database … template template0 encoding 'UTF8' locale 'C.UTF-8'. A backup of this one can be restored there."

/**
 * Refuses a database that would answer wrongly: one that knows small letters otherwise than this process, as by Turkish
 * rules, by which a name is found; one that runs no triggers; and one that does not know the time zone. The locale C
 * knows the small letters of English alone, so that a search finds few of the other words: a new business is refused
 * there, and one that stands is served, and that is said.
 * @throws StartFault
 */
export async function refuseUnfit(
  database: Connect,
  timeZone: string,
  say: (sentence: string) => void,
): Promise<void> {
  await withPool(database, { max: 1 }, async (sql) => {
    if (await areTriggersOff(sql)) throw new StartFault(TRIGGERS_OFF)
    const letters = await smallLetters(sql)
    if (letters === 'others' || (letters === 'English' && (await standingOf(sql)) === null))
      throw new StartFault(UNFIT)
    if (letters === 'English') say(`A search misses words with letters such as É. ${UNFIT}`)
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

async function smallLetters(sql: Sql): Promise<'all' | 'English' | 'others'> {
  const [is] = await sql<{ encoding: string }[]>`select current_setting('server_encoding') as encoding`
  // Others may not even have the letter.
  if (is?.encoding !== 'UTF8') return 'others'
  const [of] = await sql<{ small: string }[]>`select lower('IÉ') as small`
  if (of?.small === 'ié') return 'all'
  return of?.small === 'iÉ' ? 'English' : 'others'
}

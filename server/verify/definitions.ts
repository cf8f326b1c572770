import { begin } from '../postgres/begin.ts'
import { isOfDefinition } from '../postgres/errors.ts'
import type { Sql } from '../postgres/pool.ts'
import { FUNCTIONS, WRITTEN } from './guards.ts'

const VIEWS = [...WRITTEN.matchAll(/^create view (\w+)[^;]*;/gm)]

/**
 * A sentence for each view, and for each function that is written as an expression, that is gone or was rewritten.
 * PostgreSQL keeps both in its own way, and each version in another: they are made anew under other names, compared,
 * and taken back. So is one that cannot be made, as where a column of it has another name. Returns null where this role
 * may create nothing.
 * @param sql the owner's, who alone may make them
 */
export async function rewrittenDefinitions(sql: Sql): Promise<string[] | null> {
  const [may] = await sql<{ create: boolean }[]>`select has_schema_privilege('public', 'create') as create`
  if (!may?.create) return null
  let found: string[] = []
  await begin(sql, async (transaction) => {
    found = [...(await rewrittenViews(transaction)), ...(await rewrittenExpressions(transaction))]
    throw COMPARED
  }).catch((error: unknown) => {
    if (error !== COMPARED) throw error
  })
  return found
}

const COMPARED = new Error('They were compared, and nothing of it stays.')

async function rewrittenViews(sql: Sql): Promise<string[]> {
  const found: string[] = []
  for (const [written, name = ''] of VIEWS) {
    const { anew, failure } = await makeAnew(sql, written, name)
    if (failure !== null) {
      found.push(`The view ${name} cannot be made: ${failure}.`)
      continue
    }
    const [view] = await sql<{ same: boolean | null }[]>`
      select pg_get_viewdef(to_regclass(${name})) = pg_get_viewdef(to_regclass(${anew})) as same`
    if (view?.same !== true)
      found.push(`The view ${name} ${view?.same === false ? 'was rewritten' : 'is gone'}.`)
  }
  return found
}

/** Those that are gone are found with the others, which are compared by their text. */
async function rewrittenExpressions(sql: Sql): Promise<string[]> {
  const found: string[] = []
  for (const [written, name = '', , body] of FUNCTIONS) {
    if (body !== undefined) continue
    const { anew, failure } = await makeAnew(sql, written, name)
    if (failure !== null) {
      found.push(`The function ${name} cannot be made: ${failure}.`)
      continue
    }
    const others = await sql`
      select from pg_proc one, pg_proc made
      where one.pronamespace = 'public'::regnamespace and one.proname = ${name} and made.proname = ${anew}
        and pg_get_functiondef(one.oid) <> replace(pg_get_functiondef(made.oid), ${anew}, ${name})`
    if (others.length > 0) found.push(`The function ${name} was rewritten.`)
  }
  return found
}

/** Makes something once more, under a name that nobody has, or returns what PostgreSQL misses for it. */
async function makeAnew(
  sql: Sql,
  written: string,
  name: string,
): Promise<{ anew: string; failure: string | null }> {
  const anew = `${name}_anew_${process.pid}`
  await sql`savepoint before_it`
  try {
    await sql.unsafe(written.replace(name, anew))
    return { anew, failure: null }
  } catch (error) {
    if (!isOfDefinition(error)) throw error
    await sql`rollback to before_it`
    return { anew, failure: error.message }
  }
}

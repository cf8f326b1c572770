import type { Sql } from '../../server/postgres/pool.ts'

/**
 * A connection to the database that tells of another timeline once `promote` was called, as after a standby's
 * promotion.
 */
export function promotable(sql: Sql): { sql: Sql; promote(): void } {
  let timeline = '00000001'
  return {
    sql: new Proxy(sql, {
      apply(target, self, args) {
        const isOfTimeline = String(args[0]).includes('pg_walfile_name')
        return isOfTimeline ? target`${timeline}::text` : Reflect.apply(target, self, args)
      },
    }),
    promote() {
      timeline = '00000002'
    },
  }
}

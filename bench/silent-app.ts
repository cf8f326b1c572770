import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { findOrMakeSecretKey } from '../server/access/secret-key.ts'
import { openApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import type { Connect, Sql } from '../server/postgres/pool.ts'

/** Opens the server's app in this process without a log and a port: it answers what is injected. */
export function openSilentApp(dataDir: string, database: Connect, sql: Sql): Promise<FastifyInstance> {
  const config = readConfig({ DATA_DIR: dataDir })
  return openApp({
    config,
    database,
    sql,
    secretKey: findOrMakeSecretKey(config),
    log: pino({ level: 'silent' }),
    freeSpace: null,
  })
}

import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { watchNetworks } from '../server/access/network.ts'
import { createSeal } from '../server/access/seal.ts'
import { findOrMakeSecretKey } from '../server/access/secret-key.ts'
import { openApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { openReport } from '../server/jobs/report.ts'
import { MACHINE_CLOCK as clock } from '../server/postgres/clock.ts'
import type { Connect, Sql } from '../server/postgres/pool.ts'

/** Opens the server's app in this process without a log, a port and boxes: it answers what is injected. */
export function openSilentApp(dataDir: string, database: Connect, sql: Sql): Promise<FastifyInstance> {
  const config = readConfig({ DATA_DIR: dataDir })
  const secretKey = findOrMakeSecretKey(config)
  const leaving = new AbortController().signal
  const freeSpace = null
  return openApp({
    config,
    database,
    sql,
    secretKey,
    seal: createSeal(secretKey),
    log: pino({ level: 'silent' }),
    freeSpace,
    clock,
    leaving,
    networks: watchNetworks(config.trustedProxies, clock.now),
    report: openReport({ config, clock, freeSpace, leaving }),
    gateway: null,
  })
}

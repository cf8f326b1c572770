import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCall } from '../contract/call.ts'
import { calls } from '../contract/calls.ts'
import { Box } from '../test/support/box.ts'
import { type Console, startConsole } from '../test/support/console.ts'
import { freshFolder, putCluster } from '../test/support/folder.ts'
import { skipWithout } from '../test/support/needs.ts'
import { newClient, openWorld, type World } from '../test/support/world.ts'
import { ANSWERS } from './boxes/wire/answers.ts'
import { registry } from './metrics.ts'
import { begin } from './postgres/begin.ts'

describe('the metrics', () => {
  const STRANGER = { name: 'stranger-77', address: '203.0.113.77', phone: '5550177077' }
  const NAMES = { call: everyCall(calls).map(({ name }) => name), boxCall: Object.keys(ANSWERS) }

  let free = Number.MAX_SAFE_INTEGER
  let world: World
  beforeAll(async () => {
    world = await openWorld({
      ...{ connections: 1, freeSpace: () => free },
      env: { CAPTCHA_PROVIDER: 'altcha', TRUSTED_PROXIES: '127.0.0.1' },
    })
  })
  afterAll(() => world.close())

  test('count calls by name and status, and have nothing that a caller has written', async () => {
    const { dealer } = await world.family({ credits: 5 })
    const input = newClient({ login: STRANGER.name, phone: STRANGER.phone })
    const headers = { 'x-forwarded-for': STRANGER.address, 'x-request-id': STRANGER.name }
    for (const _ of ['once', 'again'])
      expect((await dealer.send(calls.clients.create, input, { key: STRANGER.name, headers })).status).toBe(
        200,
      )
    await dealer.send(calls.clients.renew, { name: 'nobody-77', months: 1 })
    await dealer.fetch('GET', `/v1/${STRANGER.name}?${STRANGER.name}`)
    await world.nobody().send(calls.session.login, {
      ...{ login_username: STRANGER.name, login_password: 'guessed', g_recaptcha_response: STRANGER.name },
    })
    const mac = input.stb_mac ?? ''
    const box = new Box(world.server, { mac, address: STRANGER.address })
    await box.handshake()
    await box.ask(`stb/${STRANGER.name}`)
    await dealer.call(calls.clients.list, { search: STRANGER.name })
    await expect.poll(readMetrics).toContain('call="clients.list",status="200"} 1')

    const text = await readMetrics()
    for (const line of [
      'boxtree_calls_total{gate="console",call="clients.create",status="200"} 2',
      'boxtree_calls_total{gate="console",call="clients.renew",status="404"} 1',
      'boxtree_calls_total{gate="boxes",call="stb/handshake",status="200"} 1',
      'boxtree_call_duration_seconds_count{gate="console",call="clients.create"} 2',
      'boxtree_key_replays_total{call="clients.create"} 1',
      'boxtree_captcha_checks_total{outcome="refused"} 1',
    ])
      expect(text.split('\n')).toContain(line)
    for (const secret of [...Object.values(STRANGER), 'nobody-77', mac, dealer.name])
      expect(text).not.toContain(secret)
    for (const [, gate, call] of text.matchAll(/gate="(\w+)",call="([^"]*)"/g))
      expect(gate === 'boxes' ? NAMES.boxCall : NAMES.call).toContain(call)
  })

  test('tell how many transactions have a connection, and how many wait for one', async () => {
    const { sql } = world.server
    let second: Promise<unknown> | undefined
    await begin(sql, async () => {
      second = begin(sql, async (sql) => sql`select 1`)
      expect(await metric('boxtree_transactions_in_progress')).toBe(1)
      expect(await metric('boxtree_transactions_waiting')).toBe(1)
    })
    await second
    expect(await metric('boxtree_transactions_in_progress')).toBe(0)
    expect(await metric('boxtree_transactions_waiting')).toBe(0)
    expect(await metric('boxtree_transaction_wait_seconds_count')).toBeGreaterThan(1)
  })

  test('tell whether changes can be made', async () => {
    expect(await metric('boxtree_writes')).toBe(1)
    free = 0
    expect(await metric('boxtree_writes')).toBe(0)
    free = Number.MAX_SAFE_INTEGER
    expect(await metric('boxtree_writes')).toBe(1)
  })

  test('count an exported file once it was sent whole', async () => {
    const { dealer } = await world.family()
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    expect((await dealer.fetch('GET', `/v1/exports/${ticket}`)).status).toBe(200)
    await expect.poll(readMetrics).toContain('boxtree_exports_total{outcome="whole"} 1')
    expect(await metric('boxtree_exports_in_progress')).toBe(0)
  })
})

describe('a console with METRICS_PORT', () => {
  const dataDir = putCluster(freshFolder())
  let console: Console
  let url: string
  beforeAll(async () => {
    console = await startConsole({ dataDir, env: { METRICS_PORT: '0', BACKUP_EVERY: '24' } })
    url = /Metrics are served on (http[^\s"]+)/.exec(console.output())?.[1] ?? ''
  })
  afterAll(async () => {
    await console.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const ask = async () => (await fetch(url)).text()

  test('tells of its process, database, jobs, disk and clock', async () => {
    await expect.poll(ask).toMatch(/^boxtree_job_last_success_timestamp_seconds\{job_name="counts"\} 1\d{9}/m)
    await expect.poll(ask).toContain('\nboxtree_writes 1\n')
    const text = await ask()
    for (const name of [
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'boxtree_disk_free_bytes',
      'boxtree_disk_least_bytes',
      'boxtree_clock_offset_seconds',
    ])
      expect(text).toMatch(new RegExp(`^${name} -?[0-9.]+`, 'm'))
    expect(text).toContain('\nboxtree_database_up 1\n')
    expect(text).toContain('\nboxtree_database_primary_info{host="socket"} 1\n')
    expect(text).toContain('\nboxtree_pool_connections 10\n')
  })

  test('serves the metrics at that port alone, and nothing else there', async () => {
    expect((await fetch(url)).headers.get('content-type')).toContain('text/plain; version=0.0.4')
    expect((await fetch(url.replace('/metrics', '/v1/health'))).status).toBe(404)
    expect(await (await fetch(`${console.url}/metrics`)).text()).not.toContain('boxtree_')
  })

  test('has every metric that the alert rules ask for', async () => {
    const rules = readFileSync(join(import.meta.dirname, '../deploy/alerts.yml'), 'utf8')
    const asked = new Set(rules.match(/\b(boxtree|nodejs|process)_\w+/g))
    const told = await ask()
    expect(asked.size).toBeGreaterThan(10)
    for (const name of asked)
      expect(told).toMatch(new RegExp(`^# TYPE ${name.replace(/_bucket$/, '')} `, 'm'))
  })

  test("names them by Prometheus' own rules, as promtool judges where it is installed", async (context) => {
    const { error, status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await ask(),
      encoding: 'utf8',
    })
    if (error) skipWithout(context, 'promtool', 'prometheus')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

function readMetrics(): Promise<string> {
  return registry.metrics()
}

/** Returns the value of a metric without labels. */
async function metric(name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await readMetrics())?.[1])
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { INHERITED, startConsole } from '../../test/support/console.ts'
import { freshFolder, putCluster } from '../../test/support/folder.ts'
import { SECRET_KEY, startServer } from '../../test/support/server.ts'
import { newClient, openWorld, type World } from '../../test/support/world.ts'
import { resealPasswords, rotateKey } from '../access/reseal.ts'
import { createSeal, ofClient } from '../access/seal.ts'

const OTHER_KEY = Buffer.alloc(32, 'another')
const [seal, other] = [createSeal(SECRET_KEY), createSeal(OTHER_KEY)]

describe('a rotation of the key', () => {
  let world: World
  beforeEach(async () => {
    world = await openWorld()
  })
  afterEach(() => world.close())

  test('leaves every password readable under the new key, and none under the old one', async () => {
    const { dealer } = await world.family({ credits: 5 })
    const { name } = await world.client(dealer, { months: 1, password: 'pass-word' })
    await world.plantClients(dealer, { last: 2_500 })
    const { sql, ownerSql, database } = world.server
    await expect(startServer({ database, secretKey: OTHER_KEY })).rejects.toThrow(
      'is not the key of this database',
    )
    expect(await rotateKey(ownerSql, seal, other)).toBe(2_501)
    const rows = await sql<{ id: number; password: Buffer }[]>`select id, password from client`
    for (const { id, password } of rows) {
      expect(other.open(password, ofClient(id))).toMatch(/^(planted|pass-word)$/)
      expect(() => seal.open(password, ofClient(id))).toThrow()
    }
    const again = await world.another({ secretKey: OTHER_KEY })
    expect(await world.at(again, dealer).call(calls.clients.detail, { name })).toMatchObject({
      password: 'pass-word',
    })
    await again.close()
    await expect(startServer({ database })).rejects.toThrow('is not the key of this database')
  })

  test('keeps the answers of changes that are repeated after it', async () => {
    const { dealer } = await world.family({ credits: 5 })
    const { name } = await world.client(dealer)
    const renew = (by = dealer) =>
      by.call(calls.clients.renew, { name, months: 1 }, { key: 'renewed-before-the-rotation' })
    const answer = await renew()
    await rotateKey(world.server.ownerSql, seal, other)
    const again = await world.another({ secretKey: OTHER_KEY })
    expect(await renew(world.at(again, dealer))).toEqual(answer)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(4)
    await again.close()
  })

  test('changes nothing if it is repeated, and is refused with a wrong old key', async () => {
    const { dealer } = await world.family()
    await world.client(dealer)
    const { ownerSql } = world.server
    expect(await rotateKey(ownerSql, seal, other)).toBe(1)
    const before = await world.stored()
    expect(await rotateKey(ownerSql, seal, other)).toBe(0)
    await expect(rotateKey(ownerSql, createSeal(Buffer.alloc(32)), seal)).rejects.toThrow('is not the key')
    expect(await world.stored()).toEqual(before)
  })

  test('changes nothing if one password cannot be decrypted', async () => {
    const { dealer } = await world.family()
    for (const _ of [1, 2]) await world.client(dealer)
    const { ownerSql } = world.server
    await ownerSql`update client set password = ${seal.close('moved', ofClient(1_000))}
      where id = (select max(id) from client)`
    const before = await world.stored()
    await expect(rotateKey(ownerSql, seal, other)).rejects.toThrow()
    expect(await world.stored()).toEqual(before)
  })

  test('to the same key binds old passwords to their clients, and keeps one that a dealer changes meanwhile', async () => {
    const { dealer } = await world.family()
    const { name } = await world.client(dealer, { password: 'typed-now' })
    await world.plantClients(dealer, { last: 3 })
    const { sql } = world.server
    expect(await resealPasswords(sql, seal, seal)).toBe(3)
    expect(await resealPasswords(sql, seal, seal)).toBe(0)
    const [old] = await sql<{ password: Buffer }[]>`select password from client where name = 'many-1'`
    expect(old?.password.subarray(0, 5)).toEqual(seal.head)
    expect(await dealer.call(calls.clients.detail, { name })).toMatchObject({ password: 'typed-now' })
    expect(await dealer.call(calls.clients.detail, { name: 'many-1' })).toMatchObject({ password: 'planted' })
  })
})

test("a client's password that is copied to another client's row cannot be read there", async () => {
  const world = await openWorld()
  const { dealer } = await world.family()
  await dealer.call(calls.clients.create, newClient({ login: 'first', password: 'of-first' }))
  await dealer.call(calls.clients.create, newClient({ login: 'second', password: 'of-second' }))
  await world.server.ownerSql`
    update client set password = (select password from client where name = 'first') where name = 'second'`
  const answer = await dealer.fetch('GET', '/v1/api/client/second')
  expect(answer.status).toBe(500)
  expect(answer.text).not.toContain('of-first')
  await world.close()
})

describe('npm run rotate-key', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = putCluster(freshFolder())
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  test('makes a new key, seals every password with it, and replaces the old key file', async () => {
    await (await startConsole({ dataDir })).stop()
    const before = keyIn('secret-key')
    const { code, output } = await rotate()
    expect([code, output]).toEqual([0, expect.stringContaining('encrypted with the new key')])
    expect(keyIn('secret-key')).not.toBe(before)
    expect(existsSync(join(dataDir, 'secret-key.next'))).toBe(false)
    await (await startConsole({ dataDir })).stop()
  })

  test('is completed by a second run if it was interrupted before it replaced the key file', async () => {
    await (await startConsole({ dataDir })).stop()
    const old = keyIn('secret-key')
    expect((await rotate()).code).toBe(0)
    // The state after a kill between the COMMIT and the replacement of the file.
    const next = keyIn('secret-key')
    writeFileSync(join(dataDir, 'secret-key.next'), next)
    writeFileSync(join(dataDir, 'secret-key'), old)
    const { code } = await rotate()
    expect(code).toBe(0)
    expect(keyIn('secret-key')).toBe(next)
    await (await startConsole({ dataDir })).stop()
  })

  test('is refused while a console runs, and the console goes on', async () => {
    const console = await startConsole({ dataDir })
    const { code, output } = await rotate()
    expect([code, output]).toEqual([1, expect.stringContaining('Another console is running')])
    expect(existsSync(join(dataDir, 'secret-key.next'))).toBe(false)
    expect((await fetch(`${console.url}/v1/health`)).status).toBe(200)
    await console.stop()
  })

  test('takes the new key from NEW_SECRET_KEY if the present one comes from SECRET_KEY', async () => {
    const [one, two] = [SECRET_KEY, OTHER_KEY].map((key) => key.toString('base64')) as [string, string]
    await (await startConsole({ dataDir, env: { SECRET_KEY: one } })).stop()
    expect(await rotate({ SECRET_KEY: one })).toMatchObject({ code: 1 })
    expect(await rotate({ SECRET_KEY: one, NEW_SECRET_KEY: two })).toMatchObject({ code: 0 })
    await (await startConsole({ dataDir, env: { SECRET_KEY: two } })).stop()
    expect(await rotate({ SECRET_KEY: two, NEW_SECRET_KEY: two })).toMatchObject({
      code: 1,
      output: expect.stringContaining('is the key that is in use'),
    })
  })

  test('takes no key that a rotation before left behind without using it', async () => {
    await (await startConsole({ dataDir })).stop()
    const stale = Buffer.alloc(32, 'stale').toString('base64')
    writeFileSync(join(dataDir, 'secret-key.next'), `${stale}\n`)
    const wanted = OTHER_KEY.toString('base64')
    expect(await rotate({ NEW_SECRET_KEY: wanted })).toMatchObject({ code: 0 })
    expect(keyIn('secret-key')).toBe(`${wanted}\n`)
  })

  function keyIn(name: string): string {
    return readFileSync(join(dataDir, name), 'utf8')
  }

  async function rotate(env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'rotate-key.ts')], {
      env: { ...INHERITED, DATA_DIR: dataDir, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    const [code] = await once(child, 'close')
    return { code, output }
  }
})

import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { openWorld, type Person, type World } from '../../../test/support/world.ts'
import { MOST_MEMORY_MB } from './make.ts'

/** Files are made apart from the calls: whatever a file holds, everybody else is served. */

const MANY = 5_000
/** The longest that a description may be, in ways that are hard to break, to measure and to draw. */
const HOSTILE = [
  'W'.repeat(100),
  '👩‍👩‍👧'.repeat(12),
  'שלום'.repeat(25),
  'مرحبا'.repeat(20),
  'é日'.repeat(50),
]

let world: World
let dealers: Person[]

beforeAll(async () => {
  world = await openWorld()
  // Nobody searches these, and the index of searches takes its time.
  await world.server.ownerSql`drop index directory_text`
  dealers = [(await world.family()).dealer, (await world.family()).dealer]
  for (const [at, dealer] of dealers.entries()) {
    await world.plantClients(dealer, { prefix: `WWWWWWWWW${at}`, last: MANY, digits: 5 })
  }
  await world.server.sql`
    update client set description = (${HOSTILE}::text[])[id % ${HOSTILE.length} + 1], phone = '999999999999999'`
})
afterAll(() => world.close())

/** The resident memory of this process, which is the server's too, or of all that it has started, in megabytes. */
function memoryOf(which: '-p' | '--ppid'): number {
  const { stdout } = spawnSync('ps', [which, String(process.pid), '-o', 'rss='], { encoding: 'utf8' })
  return stdout.split('\n').reduce((sum, one) => sum + Number(one), 0) / 1024
}

async function fetchFile(dealer: Person, format: 'csv' | 'pdf') {
  const { ticket } = await dealer.call(calls.clients.export, { format })
  return fetch(`${world.server.url}/v1/exports/${ticket}`)
}

describe('while files of hostile texts are under way', () => {
  test('all others are served, and nothing takes more memory than it may', async () => {
    const own = [memoryOf('-p')]
    const ofFiles = [memoryOf('--ppid')]
    const watching = setInterval(() => {
      own.push(memoryOf('-p'))
      ofFiles.push(memoryOf('--ppid'))
    }, 300)
    const responses = await Promise.all([...dealers, ...dealers].map((dealer) => fetchFile(dealer, 'pdf')))
    let whole = 0
    const files = responses.map(async (response) => {
      const file = Buffer.from(await response.arrayBuffer())
      whole += 1
      return file
    })
    for (let round = 1; round <= 20; round += 1) {
      const asking = [...dealers, world.admin, ...dealers, ...dealers, world.admin, ...dealers].map(
        (person) => person.send(calls.session.user),
      )
      for (const { status } of await Promise.all(asking)) expect(status).toBe(200)
    }
    // None of them waited for a file to end.
    expect(whole).toBe(0)
    for (const file of await Promise.all(files)) expect(file.toString('latin1')).toMatch(/%%EOF\s*$/)
    clearInterval(watching)
    expect(Math.max(...own) - (own[0] ?? 0)).toBeLessThan(MOST_MEMORY_MB)
    // Beside JavaScript's memory a process has its program and its buffers, which do not grow.
    expect(Math.max(...ofFiles)).toBeLessThan(4 * 2 * MOST_MEMORY_MB)
  })
})

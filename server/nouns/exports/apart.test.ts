import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { isRunning, processes } from '../../../test/support/processes.ts'
import { openWorld, type Person, suiteWorld } from '../../../test/support/world.ts'
import { MOST_MEMORY_MB } from './spare-processes.ts'

/** Files are made apart from the calls: whatever a file holds, everybody else is served. */

const MANY = 1_000
/** The longest that a description may be, in ways that are hard to break, to measure and to draw. */
const HOSTILE = [
  'W'.repeat(100),
  '👩‍👩‍👧'.repeat(12),
  'שלום'.repeat(25),
  'مرحبا'.repeat(20),
  'é日'.repeat(50),
]

/** How long processes may take to end; how soon they do is no matter of these tests. */
const SOON = { timeout: 60_000 }

let dealers: Person[]

const world = await suiteWorld()
beforeAll(async () => {
  // Nobody searches these, and the index of searches takes its time.
  await world.server.ownerSql`drop index directory_text`
  dealers = [(await world.family()).dealer, (await world.family()).dealer]
  for (const [at, dealer] of dealers.entries()) {
    await world.plantClients(dealer, { prefix: `WWWWWWWWW${at}`, last: MANY, digits: 5 })
  }
  await world.server.sql`
    update client set description = (${HOSTILE}::text[])[id % ${HOSTILE.length} + 1], phone = '999999999999999'`
})

/** The resident memory of this process, which is the server's too, or of all that it has started, in megabytes. */
function memoryOf(which: 'pid' | 'parent'): number {
  return processes()
    .filter((one) => one[which] === process.pid)
    .reduce((sum, { memory }) => sum + memory, 0)
}

async function fetchFile(dealer: Person, format: 'csv' | 'pdf', search = '') {
  const { ticket } = await dealer.call(calls.clients.export, { format, search })
  return fetch(`${world.server.url}/v1/exports/${ticket}`)
}

describe('while files full of hostile text are made', () => {
  test('other calls are answered and no process exceeds its limit of memory', async () => {
    const own = [memoryOf('pid')]
    const ofFiles = [memoryOf('parent')]
    const watching = setInterval(() => {
      own.push(memoryOf('pid'))
      ofFiles.push(memoryOf('parent'))
    }, 300)
    const responses = await Promise.all([...dealers, ...dealers].map((dealer) => fetchFile(dealer, 'pdf')))
    let whole = 0
    const files = responses.map(async (response) => {
      const file = Buffer.from(await response.arrayBuffer())
      whole += 1
      return file
    })
    let answeredMeanwhile = 0
    const ask = async (person: Person) => {
      const { status } = await person.send(calls.session.user)
      expect(status).toBe(200)
      if (whole < responses.length) answeredMeanwhile += 1
    }
    while (whole < responses.length) {
      const asking = [...dealers, world.admin, ...dealers, ...dealers, world.admin, ...dealers]
      await Promise.all(asking.map(ask))
    }
    // Calls that waited for the files would be answered only after the last of them.
    expect(answeredMeanwhile).toBeGreaterThan(0)
    for (const file of await Promise.all(files)) expect(file.toString('latin1')).toMatch(/%%EOF\s*$/)
    clearInterval(watching)
    expect(Math.max(...own) - (own[0] ?? 0)).toBeLessThan(MOST_MEMORY_MB)
    // Beside JavaScript's memory a process has its program and its buffers, which do not grow.
    expect(Math.max(...ofFiles)).toBeLessThan(4 * 2 * MOST_MEMORY_MB)
  })
})

describe('a file', () => {
  let dealer: Person
  /** Its file is larger than what the connection of a reader holds. */
  let longWinded: Person

  beforeAll(async () => {
    dealer = (await world.family()).dealer
    longWinded = (await world.family()).dealer
    await world.plantClients(dealer, { prefix: 'fat', last: 1_300, digits: 5 })
    await world.plantClients(longWinded, { prefix: 'long', last: 1_000, digits: 5 })
    // No rule lets such texts in: together they are twice what a process may have.
    await world.server.ownerSql`alter table client drop constraint client_phone_check`
    // Nothing searches for them.
    await world.server.ownerSql`alter table client disable trigger copy_client_to_directory`
    await world.server
      .ownerSql`update client set phone = repeat('9', 700000) where name > 'fat01000' and dealer = ${dealer.id}`
    await world.server.ownerSql`update client set phone = repeat('9', 20000) where dealer = ${longWinded.id}`
  })

  test('is cut off when its process runs out of memory, and the next file gets its place', async () => {
    await expectCut(dealer, 'csv', /has ended with SIG(ABRT|TRAP|KILL)|has ended with 1\d\d/)
  })

  test('is cut off when its process is killed, and the next file gets its place', async () => {
    const [first] = dealers as [Person]
    await expectCut(first, 'pdf', /has ended with SIGKILL/, killMakers)
  })

  test('that its reader leaves before its end keeps nothing open', async () => {
    const open = () => readdirSync('/dev/fd').length
    await leaveFile(longWinded)
    await expect.poll(() => makers().length, SOON).toBe(2)
    const before = open()
    for (let times = 0; times < 3; times += 1) await leaveFile(longWinded)
    // A connection of a reader may still be closing.
    await expect.poll(open, SOON).toBeLessThanOrEqual(before)
  })

  /** Fetches a file, and disconnects once the server waits for its reader, who takes nothing more. */
  async function leaveFile(person: Person): Promise<void> {
    const { ticket } = await person.call(calls.clients.export, { format: 'csv' })
    const leaving = new AbortController()
    const asked = once(world.server.app.server, 'request') as Promise<[IncomingMessage]>
    await fetch(`${world.server.url}/v1/exports/${ticket}`, { signal: leaving.signal })
    const [{ socket }] = await asked
    let [sent, same] = [-1, 0]
    const isStuck = () => {
      same = sent > 0 && sent === socket.bytesWritten ? same + 1 : 0
      sent = socket.bytesWritten
      return same >= 10
    }
    await expect.poll(isStuck, { ...SOON, interval: 100 }).toBe(true)
    leaving.abort()
    await expect.poll(() => makers().length, SOON).toBeLessThanOrEqual(2)
  }

  /** Fetches as many files as an account may at once, which all end before their end, and then as many more. */
  async function expectCut(person: Person, format: 'csv' | 'pdf', why: RegExp, end = async () => {}) {
    const before = world.server.logged.length
    const responses = await Promise.all([fetchFile(person, format), fetchFile(person, format)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    await end()
    for (const response of responses) await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    // The process that is kept for the next file may be there.
    await expect.poll(() => makers().length, SOON).toBeLessThanOrEqual(2)
    const faults = world.server.logged
      .slice(before)
      .map((line) => JSON.parse(line) as { level: number; err?: { message: string } })
      .filter(({ level }) => level > 30)
    expect(faults.map(({ err }) => err?.message)).toEqual([
      expect.stringMatching(why),
      expect.stringMatching(why),
    ])
    const some = await Promise.all([fetchFile(person, 'csv', 'nobody'), fetchFile(person, 'csv', 'nobody')])
    for (const response of some) {
      expect(response.status).toBe(200)
      expect((await response.text()).split('\r\n')).toHaveLength(2)
    }
  }
})

/** Opens all the files that it may, asks for a file of clients, and says what came of it. */
const WITHOUT_FILES = `
  import { openSync } from 'node:fs'
  import { streamFile } from '${new URL('./file-stream.ts', import.meta.url)}'
  try {
    for (;;) openSync('/dev/null')
  } catch {}
  const made = streamFile({}, { maySend: async () => true, done() {} })
  await made.catch(({ code }) => console.log('refused by', code))`

test('a file whose process cannot be started is refused, and the server goes on', () => {
  const few = [
    '-c',
    'ulimit -n 64 && exec "$0" "$@"',
    process.execPath,
    '--input-type=module',
    '-e',
    WITHOUT_FILES,
  ]
  const { status, stdout, stderr } = spawnSync('sh', few, { encoding: 'utf8' })
  expect(stdout, stderr).toBe('refused by EMFILE\n')
  expect(status).toBe(0)
})

describe('the two processes that are kept for the next files', () => {
  test('are each used for one file alone', async () => {
    const [first] = dealers as [Person]
    await fetchFile(first, 'csv', 'nobody')
    await expect.poll(() => makers().length, SOON).toBe(2)
    for (let file = 1; file <= 3; file += 1) {
      const before = makers()
      expect((await fetchFile(first, 'csv', 'nobody')).status).toBe(200)
      // One of the two has made the file and is gone, and another one has come.
      const keptOf = () => makers().filter((pid) => before.includes(pid)).length
      await expect.poll(() => [makers().length, keptOf()], SOON).toEqual([2, 1])
    }
  })

  test('begin two files at once', async () => {
    const [first, second] = dealers as [Person, Person]
    await fetchFile(first, 'csv', 'nobody')
    await expect.poll(() => makers().length, SOON).toBe(2)
    const before = makers()
    await Promise.all([first, second].map((dealer) => fetchFile(dealer, 'csv', 'nobody')))
    await expect.poll(() => makers().some((pid) => before.includes(pid)), SOON).toBe(false)
  })

  test('may be killed, and the next files get others', async () => {
    const [first] = dealers as [Person]
    await fetchFile(first, 'csv', 'nobody')
    await expect.poll(() => makers().length, SOON).toBe(2)
    await killMakers()
    const response = await fetchFile(first, 'csv', 'nobody')
    expect((await response.text()).split('\r\n')).toHaveLength(2)
  })

  test('end when the server closes', async () => {
    const closing = await openWorld()
    const { dealer } = await closing.family()
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    await (await fetch(`${closing.server.url}/v1/exports/${ticket}`)).text()
    await expect.poll(() => makers().length, SOON).toBe(2)
    await closing.close()
    await expect.poll(makers, SOON).toEqual([])
  })

  test('end when their parent is killed, and keep no parent running', async () => {
    const keep = `import { keepSpares } from '${new URL('./spare-processes.ts', import.meta.url)}'\nkeepSpares()`
    const script = ['--input-type=module', '-e']
    expect(spawnSync(process.execPath, [...script, keep]).status).toBe(0)
    const parent = spawn(process.execPath, [...script, `${keep}\nsetInterval(() => {}, 1000)`])
    await expect.poll(() => makersOf(parent.pid).length, SOON).toBe(2)
    const spares = makersOf(parent.pid)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await expect.poll(() => spares.some(isRunning), SOON).toBe(false)
  })
})

/** Kills all processes of files, and waits until the server has heard of it. */
async function killMakers(): Promise<void> {
  const killed = makers()
  for (const pid of killed) process.kill(pid, 'SIGKILL')
  // One that has ended is listed, without its command, until then.
  const isListed = (pid: number) => processes().some((one) => one.pid === pid)
  await expect.poll(() => killed.filter(isListed), SOON).toEqual([])
}

/** The processes of files, and those that wait for the next ones. */
function makers(): number[] {
  return makersOf(process.pid)
}

function makersOf(parent: number | undefined): number[] {
  return processes()
    .filter((one) => one.parent === parent && one.command.includes('exports/make-file.ts'))
    .map(({ pid }) => pid)
}

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { getHeapSpaceStatistics } from 'node:v8'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CERTIFICATES } from '../../test/support/certificates.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { openPostgresProxy, type PostgresProxy } from '../../test/support/postgres-proxy.ts'
import { isLost } from './errors.ts'
import { closeSockets } from './host-connections.ts'
import { type Connect, hostsOf, openPool, type Sql } from './pool.ts'

/** What becomes of a connection that is lost, and of the next one in its place: each pool here has only one. */

let database: FreshDatabase
let proxy: PostgresProxy
let url: string
beforeAll(async () => {
  database = await freshDatabase({ migrated: false })
  const { server } = database
  proxy = await openPostgresProxy(server)
  url = proxy.url
})
afterAll(async () => {
  await proxy.close()
  await database.drop()
})

async function withPool(work: (sql: Sql) => Promise<void>, to: Connect = url, max = 1): Promise<void> {
  const sql = openPool(to, { max })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve))
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Returns the rows of a statement, or 'lost'. */
async function outcome(statement: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await statement
  } catch (error) {
    if (isLost(error)) return 'lost'
    throw error
  }
}

test('a COPY that PostgreSQL refuses only at its end fails, and its connection goes on', async () => {
  await withPool(async (sql) => {
    await sql`create table one_of_each (id int primary key)`
    const copy = await sql`copy one_of_each from stdin`.writable()
    await expect(pipeline(['1\n1\n'], copy)).rejects.toMatchObject({ code: '23505' })
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  }, database.owner)
})

test('a connection is what its address says, whatever the environment has for other programs of PostgreSQL', async () => {
  const others = { PGHOST: '192.0.2.1', PGPORT: '1', PGSSL: 'require', PGTARGETSESSIONATTRS: 'any' }
  for (const [name, value] of Object.entries(others)) vi.stubEnv(name, value)
  try {
    for (const to of [url, database.server])
      await withPool(async (sql) => expect(await sql`select 1 as one`).toEqual([{ one: 1 }]), to)
    expect(hostsOf('postgres:///shop')).toEqual([{ host: 'localhost', port: 5432 }])
  } finally {
    vi.unstubAllEnvs()
  }
})

describe('a statement that is sent when its connection has just failed', () => {
  test('is lost, and never returns what nobody asked the database', async () => {
    await withPool(async (sql) => {
      await sql`select 1 as one`
      closeSockets(sql, 'of the test')
      await nextTick()
      const sent = outcome(sql`select 1 as one`)
      await nextTurn()
      await nextTurn()
      expect([await outcome(sql`select 2 as two`), await sent]).toEqual([[{ two: 2 }], 'lost'])
      expect(await sql`select 3 as three`).toEqual([{ three: 3 }])
    })
  })

  test('begins no transaction', async () => {
    await withPool(async (sql) => {
      await sql`select 1 as one`
      closeSockets(sql, 'of the test')
      await nextTick()
      let begun = false
      const sent = outcome(
        sql.begin(async () => {
          begun = true
        }),
      )
      await nextTurn()
      await nextTurn()
      expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
      expect([await sent, begun]).toEqual(['lost', false])
    })
  })

  test('leaves nothing that the next connection would send before it says who it is', async () => {
    await withPool(async (sql) => {
      await sql`select 1 as one`
      closeSockets(sql, 'of the test')
      await nextTurn()
      expect(await outcome(sql`select 1 as one`)).toBe('lost')
      expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
    })
  })
})

test('a statement that is sent over TLS when its connection has just been closed is lost, and ends nothing else', async () => {
  const [key, cert] = ['server.key', 'server.crt'].map((name) => readFileSync(join(CERTIFICATES, name)))
  const host = createServer((raw) => {
    raw
      .on('error', () => {})
      .once('data', () => {
        raw.write('S')
        const secure = new TLSSocket(raw, { isServer: true, key, cert })
        const plain = connect(proxy.port, '127.0.0.1')
        pipeline(secure, plain, secure).catch(() => {})
      })
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  const to = new URL(`${url}?sslmode=require`)
  to.port = String((host.address() as AddressInfo).port)
  const fatal = vi.fn()
  process.on('uncaughtException', fatal)
  try {
    await withPool(async (sql) => {
      for (let times = 0; times < 5; times += 1) {
        await sql`select 1 as one`
        closeSockets(sql, 'of the test')
        expect(await outcome(sql`select 1 as one`)).toBe('lost')
      }
      await pause(50)
    }, to.href)
    expect(fatal).not.toHaveBeenCalled()
  } finally {
    process.off('uncaughtException', fatal)
    host.close()
  }
})

test('a statement of a transaction whose connection is closed is lost', async () => {
  await withPool(async (sql) => {
    const late: unknown[] = []
    const transaction = sql.begin(async (transaction) => {
      closeSockets(sql, 'of the test')
      await nextTurn()
      await nextTurn()
      late.push(await outcome(transaction`select 1 as one`))
      await nextTurn()
    })
    expect(await outcome(transaction)).toBe('lost')
    // The transaction may be lost before its statement.
    await expect.poll(() => late).toEqual(['lost'])
    expect(await sql`select 2 as two`).toEqual([{ two: 2 }])
  })
})

describe('a connection that replaces one that was ended while a statement ran', () => {
  const endMyself = (sql: Sql) => sql`select pg_terminate_backend(pg_backend_pid())`

  test('tells at once that the database refuses it', async () => {
    await withPool(async (sql) => {
      const [row] = await sql<{ name: string }[]>`select current_database() as name`
      const name = database.ownerSql(row?.name ?? '')
      await database.ownerSql`alter database ${name} connection limit 0`
      try {
        expect(await outcome(endMyself(sql))).toBe('lost')
        // The database's own reason, not only that the connection was closed.
        await expect(sql`select 1 as one`).rejects.toMatchObject({ code: '53300' })
      } finally {
        await database.ownerSql`alter database ${name} connection limit -1`
      }
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    })
  })

  test('returns all rows and nothing before them', async () => {
    await withPool(async (sql) => {
      const rows = sql`
        select i, case when i = 3 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 5) i`
      expect(await outcome(rows)).toBe('lost')
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    })
  })
})

/** Takes connections as `take` does, and returns how many these were. */
async function withHost(
  take: (socket: Socket) => void,
  work: (sql: Sql, taken: () => number) => Promise<void>,
): Promise<void> {
  let taken = 0
  const host = createServer((socket) => {
    taken += 1
    take(socket.on('error', () => {}))
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  const address = host.address()
  const port = typeof address === 'object' && address ? address.port : 0
  try {
    await withPool((sql) => work(sql, () => taken), `postgres://nobody@127.0.0.1:${port}/none`)
  } finally {
    host.close()
  }
}

test('a host that closes each connection, as a load balancer without a database, is reported at once', async () => {
  const take = (socket: Socket) => socket.resume().end()
  await withHost(take, async (sql, taken) => {
    expect(await outcome(sql`select 1 as one`)).toBe('lost')
    await nextTurn()
    await nextTurn()
    expect(taken()).toBe(1)
  })
})

/** Lets anybody in, and tells nothing of itself. */
const WELCOME = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73])

test('a connection that is lost while it is asked whether it leads to the primary is reported', async () => {
  const take = (socket: Socket) =>
    socket.once('data', () => socket.once('data', () => socket.destroy()).write(WELCOME))
  await withHost(take, async (sql) => {
    expect(await outcome(sql`select 1 as one`)).toBe('lost')
  })
})

test('statements that are sent together are one packet, however long they are', async () => {
  await withPool(async (sql) => {
    await sql`select 1 as one`
    const writes = vi.spyOn(Socket.prototype, 'write')
    try {
      await sql.begin(async (sql) => {
        writes.mockClear()
        await Promise.all(
          ['a', 'b', 'c'].map((letter) => sql.unsafe(`select '${letter.repeat(5_000)}' as text`)),
        )
        const sent = writes.mock.contexts.filter((socket) => (socket as Socket).remotePort === proxy.port)
        expect(sent).toHaveLength(1)
      })
    } finally {
      writes.mockRestore()
    }
  })
})

test('a long statement among short ones is sent once, and so are they', async () => {
  await withPool(async (sql) => {
    const texts = ['a', 'b'.repeat(70_000), 'c']
    const answers = await sql.begin((sql) => texts.map((text) => sql.unsafe(`select '${text}' as text`)))
    expect(answers.map(([row]) => row?.text)).toEqual(texts)
  })
})

test('a statement is sent before what else has arrived is handled', async () => {
  await withPool(async (sql) => {
    await sql`select 1 as one`
    const writes = vi.spyOn(Socket.prototype, 'write')
    try {
      let answer: unknown
      const sent = await new Promise((resolve) => {
        setImmediate(() => {
          answer = outcome(sql`select 1 as one`)
        })
        // As a request that has arrived together with the one that the statement is for.
        setImmediate(() => resolve(writes.mock.contexts.length))
      })
      expect(sent).toBe(1)
      expect(await answer).toEqual([{ one: 1 }])
    } finally {
      writes.mockRestore()
    }
  })
})

test.each([
  { what: 'a statement', most: 50, run: (sql: Sql) => sql`select 1 as one` },
  { what: 'a transaction', most: 400, run: (sql: Sql) => sql.begin((sql) => sql`select 1 as one`) },
])(
  'of $what that is over, nothing stays until the old generation of the memory is collected',
  async ({ run, most }) => {
    await withPool(async (sql) => {
      const grown: number[] = []
      for (let round = 0; round < 12; round += 1) {
        const before = oldGeneration()
        for (let times = 0; times < 400; times += 1) await run(sql)
        grown.push((oldGeneration() - before) / 400)
      }
      // What else the process does lasts for some rounds, and a collection for one.
      grown.sort((a, b) => a - b)
      expect(grown[6]).toBeLessThan(most)
    }, database.server)
  },
)

/** Returns the bytes of the objects that V8 believes to live long. */
function oldGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
}

test('of connections that rest, a statement takes the one that was used last', async () => {
  await withPool(
    async (sql) => {
      const ended: number[] = []
      const run = (seconds: number) =>
        sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(${seconds}::float8)`.then(([row]) =>
          ended.push(row?.pid ?? 0),
        )
      await Promise.all([run(0.05), run(0.3), run(0.6)])
      expect(new Set(ended).size).toBe(3)
      for (let times = 0; times < 4; times += 1) await run(0)
      expect(new Set(ended.slice(2))).toEqual(new Set([ended[2]]))
    },
    url,
    3,
  )
})

test.each([
  {
    rule: 'is sent behind none that is under way',
    seconds: { first: 0.1, second: 2, third: 0.1, fourth: 0.1 },
    order: ['first', 'third', 'fourth', 'second'],
  },
  {
    rule: 'takes along none of those that wait',
    seconds: { first: 0.1, second: 0.5, third: 2, fourth: 0.1 },
    order: ['first', 'second', 'fourth', 'third'],
  },
])('of four statements for two connections, one $rule', async ({ seconds, order }) => {
  await withPool(
    async (sql) => {
      const ended: string[] = []
      const run = ([name, time]: [string, number]) =>
        sql`select pg_sleep(${time}::float8)`.then(() => void ended.push(name))
      // Each connection has prepared the statement, which it sends at once from then on.
      await Promise.all(Object.entries({ one: 0.2, other: 0.2 }).map(run))
      ended.length = 0
      await Promise.all(Object.entries(seconds).map(run))
      expect(ended).toEqual(order)
    },
    url,
    2,
  )
})

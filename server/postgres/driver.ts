import { registerHooks } from 'node:module'
import type postgres from 'postgres'

/**
 * What the driver, postgres.js 3.4.9, does wrong, and what mends it. It used what was left of a lost connection on the
 * next one: a pool gave no connection for many seconds, a statement that was never sent returned no rows, and a
 * transaction ran that was never begun. It sent long statements one by one, a refused COPY could wait for ever, and so
 * could a statement behind another's. It refused the certificate of an IP address. It had all connections take turns.
 * It kept statements that had ended in memory for long, and sent nothing until all that had arrived meanwhile was
 * handled. It took from the environment what was meant for other programs. No release mends it. `driver.test.ts` (and
 * `external.test.ts` of certificates) shows each fault but the needless copy, so that it can tell of a later release
 * whether this is still needed.
 */
const MENDS: Record<string, readonly { from: string; to: string }[]> = {
  'connection.js': [
    {
      // What was sent between the 'error' and the 'close' of a socket was not rejected. And a connection that was
      // closed before it was ready was made again at once, for ever.
      from: 'if (initial)\n      return reconnect()\n\n    !hadError && (query || sent.length) && error(',
      to: 'if (initial || query || sent.length) error(',
    },
    {
      // The statement, its rows so far, its error, and bytes that were still to be sent stayed for the next connection.
      // Such bytes kept its start from being sent.
      from: 'closedTime = performance.now()',
      to: `query = results = errorResponse = final = chunk = nextWriteTimer = null
    result = new Result()
    rows = 0
    ended && (ended(), ending = ended = null)
    closedTime = performance.now()`,
    },
    {
      // What is still written to a connection over TLS between its end and the driver's hearing of it fails later.
      // Nobody listened any more, which ended the process.
      from: 'socket.removeAllListeners()\n    socket = null',
      to: "socket.removeAllListeners()\n    socket.on('error', () => {})\n    socket = null",
    },
    {
      // A statement of a transaction whose connection was closed ended the process.
      from: 'if (q.cancelled)\n      return\n',
      to: `if (q.cancelled)
      return

    if (!socket) {
      queryError(q, Errors.connection('CONNECTION_CLOSED', options))
      return true
    }
`,
    },
    {
      // A connection that was lost while it was asked whether it leads to the primary ended the process.
      from: 'query.execute()',
      to: 'query.catch(() => {})',
    },
    {
      // Where a host is an IP address, its certificate was compared with the name 'localhost'.
      from: 'servername: net.isIP(socket.host) ? undefined : socket.host',
      to: 'servername: net.isIP(socket.host) ? undefined : socket.host, host: socket.host',
    },
    {
      // Of statements that are sent together, each of more than a kilobyte was a packet, for which PostgreSQL was
      // woken.
      from: 'chunk.length >= 1024',
      to: 'chunk.length >= 65536',
    },
    {
      // What was to be sent waited until all that had arrived meanwhile, also on other connections, was handled. Now it
      // is sent once what runs has nothing more to send: while the other requests that came with it are read,
      // PostgreSQL is at work.
      from: 'export default Connection\n',
      to: `export default Connection

const setImmediate = send => {
  const timer = { isOver: false }
  process.nextTick(() => timer.isOver || send())
  return timer
}
const clearImmediate = timer => timer && (timer.isOver = true)
`,
    },
    {
      // What PostgreSQL refused only at the end of a COPY, as two rows of one key, left its stream waiting for ever.
      from: 'stream && (stream.destroy(err), stream = null)',
      to: 'stream && (stream.destroy(err), stream = null)\n    final && (final(err), final = null)',
    },
    {
      // A statement was copied before it was sent, also one of many megabytes, which nobody changes any more.
      from: 'Buffer.from(x)',
      to: 'x',
    },
  ],
  // V8 makes a function in the old generation where its source assigns it to a property. There it keeps what it refers
  // to, the whole statement or transaction, until the old generation is collected: a fifth of all memory went through
  // that.
  'query.js': [
    {
      from: `this.resolve = x => (this.active = false, resolve(x))
    this.reject = x => (this.active = false, reject(x))`,
      to: `const fulfil = x => (this.active = false, resolve(x))
    const fail = x => (this.active = false, reject(x))
    this.resolve = fulfil
    this.reject = fail`,
    },
  ],
  'queue.js': [
    {
      // What the next mend needs.
      from: '    shift: () => {',
      to: `    pop: () => {
      const out = xs.pop()
      if (index === xs.length) {
        index = 0
        xs = []
      }
      return out
    },
    shift: () => {`,
    },
  ],
  'index.js': [
    {
      // As in query.js. Nothing of ours prepares a commit in two phases.
      from: 'sql.prepare = x => prepare = x.replace(/[^a-z0-9$-_. ]/gi)\n',
      to: '\n',
    },
    {
      from: 'acc[name] = (x) => new Parameter(x, type.to)',
      to: 'const make = (x) => new Parameter(x, type.to)\n      acc[name] = make',
    },
    {
      from: `c.reserved = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)`,
      to: `const next = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)
      c.reserved = next`,
    },
    {
      // PGHOST, PGPASSWORD, PGTARGETSESSIONATTRS and the like, which an operator sets for psql, changed what
      // DATABASE_URL leaves out, and some stopped even the embedded database.
      from: 'env = process.env',
      to: 'env = {}',
    },
    {
      // The connection that had rested longest was taken. So all took turns, and each process of PostgreSQL found the
      // processor's caches full of what another had left there.
      from: 'return go(open.shift(), query)',
      to: 'return go(open.pop(), query)',
    },
    {
      // Where no connection was free, a statement was sent behind one that was under way, though another connection
      // became free at once: behind a commit that waits for a standby that is gone, it waited as well.
      from: `busy.length
      ? go(busy.shift(), query)
      : queries.push(query)`,
      to: 'queries.push(query)',
    },
    {
      // And of those that waited, the first connection that became free was sent many.
      from: 'let max = Math.ceil(queries.length / (connecting.length + 1))',
      to: 'let max = 1',
    },
  ],
}

/** Marks the driver once it is mended, because the test runner evaluates this file several times in one process. */
const MENDED = Symbol.for('boxtree.mended')

/** The driver, mended as it is loaded. */
export const driver = await load()

async function load(): Promise<typeof postgres> {
  let isMended = false
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const mends = MENDS[/\/postgres\/src\/(\w+\.js)$/.exec(url)?.[1] ?? '']
      if (!mends) return loaded
      isMended = true
      return { ...loaded, source: mends.reduce(mend, String(loaded.source)) }
    },
  })
  const { default: loaded } = await import('postgres')
  hooks.deregister()
  if (isMended) Object.assign(loaded, { [MENDED]: true })
  if (!(MENDED in loaded)) throw new Error('the driver was loaded before it could be mended')
  return loaded
}

function mend(source: string, { from, to }: { from: string; to: string }): string {
  const [before, after, ...more] = source.split(from)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error('the driver is another release than the one whose faults are known')
  }
  return before + to + after
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from '../support/folder.ts'
import { PATH, skipWithout } from '../support/needs.ts'
import { freePort, listen } from '../support/port.ts'

// The proxies of deploy/ before the port of the boxes, as they stand but for addresses, files and what needs a
// certificate: no query of a box is in anything that they write, whether it is answered or not. Debian has them all.

const DEPLOY = join(import.meta.dirname, '../../deploy')
const QUERY = 'type=stb&action=do_auth&login=somebody&password=hidden-word'
const ENV = { PATH }

interface Place {
  folder: string
  port: number
  /** The address and port at which Boxtree would serve the boxes. */
  boxes: string
}

test.for([
  ['nginx.conf', 'nginx', nginx],
  ['Caddyfile', 'caddy', caddy],
  ['ha/Caddyfile', 'caddy', caddy],
  ['ha/haproxy.cfg', 'haproxy', haproxy],
] as const)('no query of a box is in what %s writes', async ([sample, program, argsOf], context) => {
  if (spawnSync(program, ['-v'], { env: ENV }).error) skipWithout(context, program)
  const folder = freshFolder()
  const boxtree = createServer((_, response) => response.end('{"js":true}')).listen(0, '127.0.0.1')
  await once(boxtree, 'listening')
  const boxes = `127.0.0.1:${(boxtree.address() as AddressInfo).port}`
  const place = { folder, port: await freePort(), boxes }
  const args = argsOf(readFileSync(join(DEPLOY, sample), 'utf8'), place)
  const proxy = start(program, args, folder)
  try {
    await expect.poll(() => statusOf(place), { timeout: 20_000 }).toBe(200)
    await send(place, `GET /portal.php?${QUERY} HTTP/1.1\r\nhost: a b\r\nno header\r\n\r\n`)
    boxtree.closeAllConnections()
    boxtree.close()
    await expect.poll(() => statusOf(place), { timeout: 20_000 }).toBeGreaterThanOrEqual(502)
  } finally {
    boxtree.close()
    await end(proxy)
  }
  const written = filesIn(folder)
  expect(written.length).toBeGreaterThan(0)
  for (const [name, text] of written) expect(text, name).not.toMatch(/hidden-word|somebody/)
  rmSync(folder, { recursive: true })
})

test('while no server is ready, haproxy answers a person with a page, and a call with what the console knows', async (context) => {
  if (spawnSync('haproxy', ['-v'], { env: ENV }).error) skipWithout(context, 'haproxy')
  const { url, stop } = await beforeServers(await freePort())
  const answerTo = async (path: string) => {
    const response = await fetch(`${url}${path}`).catch(() => null)
    return response && `${response.status} ${response.headers.get('content-type')} ${await response.text()}`
  }
  try {
    await expect.poll(() => answerTo('/clients'), { timeout: 20_000 }).toMatch(/^503 text\/html <!doctype/)
    expect(await answerTo('/v1/me')).toMatch(/^503 application\/json \{"status":"ERROR","code":"unavailable"/)
  } finally {
    await stop()
  }
})

test('where a server dies before it answers, haproxy asks the other one, but for a change without an Idempotency-Key', async (context) => {
  if (spawnSync('haproxy', ['-v'], { env: ENV }).error) skipWithout(context, 'haproxy')
  const asked: string[] = []
  // All but HAProxy's own check has no answer when it comes first.
  const servers = createServer(({ url = '', socket }, response) => {
    if (url === '/v1/ready' || asked.includes(url)) response.end()
    else socket.destroy()
    asked.push(url)
  })
  const { url, stop } = await beforeServers(await listen(servers))
  const statusAt = (path: string, init: RequestInit) =>
    fetch(url + path, init).then(
      ({ status }) => status,
      () => 0,
    )
  try {
    await expect.poll(() => statusAt('/v1/ready', {}), { timeout: 20_000 }).toBe(200)
    const change = { method: 'POST', body: '{}' }
    expect(await statusAt('/v1/looked', {})).toBe(200)
    expect(await statusAt('/v1/keyed', { ...change, headers: { 'idempotency-key': 'once' } })).toBe(200)
    // HAProxy answers 502, or nothing where it had used the connection before.
    expect([0, 502]).toContain(await statusAt('/v1/bare', change))
    expect(asked.filter((path) => path !== '/v1/ready')).toEqual([
      ...['/v1/looked', '/v1/looked', '/v1/keyed', '/v1/keyed', '/v1/bare'],
    ])
  } finally {
    await stop()
    servers.closeAllConnections()
    servers.close()
  }
})

/** Starts HAProxy before the console of two servers, which are both at one port. */
async function beforeServers(servers: number): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = freshFolder()
  const port = await freePort()
  const sample = withoutUser(readFileSync(join(DEPLOY, 'ha/haproxy.cfg'), 'utf8'))
    .replace('127.0.0.1:8000', `127.0.0.1:${port}`)
    .replace('127.0.0.1:8001', `127.0.0.1:${await freePort()}`)
    .replaceAll(/10\.0\.0\.\d:80\d\d/g, `127.0.0.1:${servers}`)
  const args = configured(join(folder, 'haproxy.cfg'), sample, (file) => ['-db', '-f', file])
  const proxy = start('haproxy', args, folder)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await end(proxy)
      rmSync(folder, { recursive: true })
    },
  }
}

function start(program: string, args: string[], folder: string): ChildProcess {
  const output = openSync(join(folder, 'output'), 'a')
  const env = { ...ENV, HOME: folder }
  return spawn(program, args, { cwd: folder, env, stdio: ['ignore', output, output] })
}

function nginx(sample: string, { folder, port, boxes }: Place): string[] {
  const from = sample.indexOf('# Boxes speak plain HTTP')
  const text = sample
    .slice(from)
    .replaceAll('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll('listen [::]:80;', '')
    .replace('http://127.0.0.1:8088', `http://${boxes}`)
    .replace('/var/log/nginx/boxes.log', 'boxes.log')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = temporary.map((kind) => `${kind}_temp_path ${kind};`).join(' ')
  return configured(
    join(folder, 'nginx.conf'),
    `daemon off; pid pid; events {} http { access_log all; ${paths} ${text} }`,
    (file) => ['-p', folder, '-e', 'errors', '-c', file],
  )
}

function caddy(sample: string, { folder, port, boxes }: Place): string[] {
  const text = sample
    .replace(/^boxtree\.example\.com \{\n[\s\S]*?^\}\n/m, '')
    .replace('{\n\tlog', '{\n\tadmin off\n\tlog')
    .replace('http://boxes.example.com', `http://127.0.0.1:${port}`)
    .replace(/127\.0\.0\.1:80(?:88|01)\b/, boxes)
  return configured(join(folder, 'Caddyfile'), text, (file) => [
    'run',
    ...['--adapter', 'caddyfile', '--config', file],
  ])
}

function haproxy(sample: string, { folder, port, boxes }: Place): string[] {
  const text = withoutUser(sample)
    .replace(/^frontend console[\s\S]*?(?=^frontend boxes)/m, '')
    .replace('127.0.0.1:8001', `127.0.0.1:${port}`)
    .replaceAll(/10\.0\.0\.\d:8088/g, boxes)
  return configured(join(folder, 'haproxy.cfg'), text, (file) => ['-db', '-f', file])
}

/** HAProxy changes to a user of its own, which root alone can do. */
function withoutUser(sample: string): string {
  return sample.replace(/^ +(user|group) haproxy\n/gm, '')
}

function configured(file: string, text: string, argsOf: (file: string) => string[]): string[] {
  expect(text).not.toMatch(/127\.0\.0\.1:80|example\.com \{|10\.0\.0\./)
  writeFileSync(file, text)
  return argsOf(file)
}

/** Asks as a box whose password is in its query. Returns 0 where nobody answers. */
async function statusOf({ port }: Place): Promise<number> {
  const asked = fetch(`http://127.0.0.1:${port}/portal.php?${QUERY}`, { headers: { connection: 'close' } })
  return (await asked.catch(() => ({ status: 0 }))).status
}

/** Sends what no proxy accepts, and waits until that closes the connection. */
async function send({ port }: Place, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.end(text)
  socket.resume()
  await once(socket, 'close')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

function filesIn(folder: string): [string, string][] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')])
}

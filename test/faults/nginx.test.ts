import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../support/box.ts'
import { freshFolder } from '../support/folder.ts'
import { PATH, skipWithout } from '../support/needs.ts'
import { startNginx } from '../support/nginx.ts'
import { givePlaylist } from '../support/playlist.ts'
import { listen } from '../support/port.ts'
import { openWorld } from '../support/world.ts'

// A real nginx with the sample of deploy/, which asks for each piece of a stream. `apt-get install nginx` has it.

test('nginx gives a stream and its segments to who is linked to it, as long as that one may play, also while one of two servers cannot say, or hangs', async (context) => {
  if (spawnSync('nginx', ['-v'], { env: { PATH } }).error) skipWithout(context, 'nginx')
  const world = await openWorld()
  const folder = freshFolder()
  writeStreams(folder)
  let asked = 0
  let hangs = false
  const other = createServer((_, response) => {
    asked += 1
    // One that hangs still takes connections.
    if (!hangs) response.writeHead(503).end()
  })
  const nginx = await startNginx(folder, world.server, `127.0.0.1:${await listen(other)}`)
  try {
    const { dealer } = await world.family({ credits: 10 })
    const address = `${nginx.url}/{token}`
    const playlist = ['one', 'two']
      .map((name) => `#EXTINF:-1,${name}\n${address}/${name}/index.m3u8`)
      .join('\n')
    await givePlaylist(world, playlist)
    const { name, mac } = await world.client(dealer, { months: 1 })
    const box = new Box(world.server, { mac })
    expect(await box.signIn()).toBe(0)
    const [channel] = (await box.call('itv/get_all_channels')).data
    const { cmd } = await box.call('itv/create_link', { cmd: channel?.cmd ?? '' })
    const link = cmd.replace('ffmpeg ', '')
    expect(await statusOf(link)).toBe(200)
    expect(await (await fetch(link)).text()).toBe('the index of one')
    expect(await statusOf(link.replace('index.m3u8', 'piece-1.ts'))).toBe(200)
    expect(await statusOf(link.replace('/one/', '/two/'))).toBe(403)
    expect(await statusOf(link.replace('/one/', '/one/../two/').replaceAll('..', '%2e%2e'))).toBe(403)
    const root = new URL(link).pathname.replace('/one/index.m3u8', '')
    for (const raw of [
      '/one/index.m3u8|/../../two/index.m3u8',
      '/one/x|/../../two/piece-1.ts',
      '/one/../two/index.m3u8',
    ])
      expect(await statusOfRaw(nginx.url, root + raw), raw).toBe(403)
    expect(await statusOfRaw(nginx.url, `${root}/one/index.m3u8`)).toBe(200)
    expect(await statusOf(`${nginx.url}/one/index.m3u8`)).toBe(404)
    expect(await statusOf(`${nginx.url}/stream/check`)).toBe(404)
    hangs = true
    const before = asked
    await expect
      .poll(
        async () => {
          expect(await statusOf(link)).toBe(200)
          return asked - before
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(0)
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    expect(await statusOf(link)).toBe(403)
    expect(asked).toBeGreaterThan(0)
  } finally {
    await nginx.stop()
    other.closeAllConnections()
    other.close()
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function statusOf(address: string): Promise<number> {
  return (await fetch(address).catch(() => ({ status: 0 }))).status
}

/** Asks for a path as it is: `fetch` resolves the `..` in it. */
async function statusOfRaw(url: string, path: string): Promise<number | undefined> {
  const asked = get(url, { path })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

function writeStreams(folder: string): void {
  for (const name of ['one', 'two']) {
    mkdirSync(join(folder, 'streams', name), { recursive: true })
    writeFileSync(join(folder, 'streams', name, 'index.m3u8'), `the index of ${name}`)
    writeFileSync(join(folder, 'streams', name, 'piece-1.ts'), 'a piece')
  }
}

import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { servePlaylist } from '../../../test/support/playlist.ts'
import { allowedBy, downloadPlaylist, isPublic } from './download.ts'

const open = { mayAsk: allowedBy({ minutes: 60, isPrivateAllowed: true }), signal: null }
const closed = { mayAsk: allowedBy({ minutes: 60, isPrivateAllowed: false }), signal: null }

test('a playlist that is compressed with gzip is unpacked, however that is named, and any other coding is refused by name', async () => {
  const served = await servePlaylist('#EXTM3U')
  const download = async (coding: string, body: Uint8Array | string) => {
    served.serve((_, response) => response.setHeader('content-encoding', coding).end(body))
    return (await downloadPlaylist(served.address, open)).toString()
  }
  for (const coding of ['gzip', 'GZIP', 'x-gzip'])
    expect(await download(coding, gzipSync('#EXTM3U')), coding).toBe('#EXTM3U')
  for (const coding of ['identity', '', 'none', 'UTF-8'])
    expect(await download(coding, '#EXTM3U'), coding).toBe('#EXTM3U')
  await expect(download('br', brotliCompressSync('#EXTM3U'))).rejects.toThrow(
    "The playlist is compressed with 'br'. Only gzip or no compression can be read.",
  )
})

test('a playlist is followed through redirects, and unpacked', async () => {
  const last = await servePlaylist((_, response) =>
    response.setHeader('content-encoding', 'gzip').end(gzipSync('#EXTM3U')),
  )
  const first = await servePlaylist((_, response) =>
    response.writeHead(302, { location: last.address }).end(),
  )
  expect((await downloadPlaylist(first.address, open)).toString()).toBe('#EXTM3U')
  // That may have an address at which nobody listens, too.
  expect((await downloadPlaylist(first.address.replace('127.0.0.1', 'localhost'), open)).toString()).toBe(
    '#EXTM3U',
  )
})

test('a name or an address of a private network is refused before anything is asked there', async () => {
  const served = await servePlaylist('#EXTM3U')
  const port = new URL(served.address).port
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
  ])
    await expect(downloadPlaylist(`http://${host}:${port}/`, closed), host).rejects.toThrow('private network')
  expect(served.asked()).toBe(0)
})

test('each redirect is checked: it may lead to no other kind of address, and not on without an end', async () => {
  const served = await servePlaylist('')
  served.serve((_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end())
  await expect(downloadPlaylist(served.address, open)).rejects.toThrow('not valid for a playlist')
  const { address } = served
  served.serve((_, response) => response.writeHead(302, { location: address }).end())
  await expect(downloadPlaylist(address, open)).rejects.toThrow('redirects too often')
  expect(served.asked()).toBe(7)
})

test('an answer without an end is cut at 64 MB, also where it is compressed', async () => {
  const piece = Buffer.alloc(1024 * 1024, '#')
  let sent = 0
  const served = await servePlaylist((_, response) => {
    const write = () => {
      do sent += piece.length
      while (!response.destroyed && response.write(piece))
    }
    response.on('drain', write)
    write()
  })
  await expect(downloadPlaylist(served.address, open)).rejects.toThrow('larger than 64 MB')
  expect(sent).toBeLessThan(100 * piece.length)
  served.serve((_, response) => {
    const packing = createGzip()
    packing.pipe(response.setHeader('content-encoding', 'gzip'))
    const write = () => {
      while (!response.destroyed && packing.write(piece));
    }
    packing.on('drain', write)
    write()
  })
  await expect(downloadPlaylist(served.address, open)).rejects.toThrow('larger than 64 MB')
})

test('a redirect from a public address leads to no private one', async () => {
  const inside = await servePlaylist('#EXTM3U')
  const { port } = new URL(inside.address)
  const outside = await servePlaylist((_, response) =>
    response.writeHead(302, { location: `http://127.0.0.2:${port}/` }).end(),
  )
  const mayAsk = (address: string) => address === '127.0.0.1'
  await expect(downloadPlaylist(outside.address, { ...closed, mayAsk })).rejects.toThrow('private network')
  expect(inside.asked()).toBe(0)
})

test('a password goes to the host that it was given for, and to no other', async () => {
  const sent: (string | undefined)[] = []
  const last = await servePlaylist(({ headers }, response) => {
    sent.push(headers.authorization)
    response.end('#EXTM3U')
  })
  const first = await servePlaylist(({ headers }, response) => {
    sent.push(headers.authorization)
    response.writeHead(302, { location: last.address }).end()
  })
  await downloadPlaylist(first.address.replace('http://', 'http://user:word%21@'), open)
  expect(sent).toEqual([`Basic ${btoa('user:word!')}`, undefined])
})

test('a password may have any character, also a % that stands for itself', async () => {
  const sent: (string | undefined)[] = []
  const served = await servePlaylist(({ headers }, response) => {
    sent.push(headers.authorization)
    response.end('#EXTM3U')
  })
  const passwords = { 'p%s+': 'p%s+', '100%': '100%', '%zz%21é': '%zz!é', 'p%25ss': 'p%ss' }
  for (const typed of Object.keys(passwords))
    await downloadPlaylist(served.address.replace('http://', `http://us%er:${typed}@`), open)
  await downloadPlaylist(served.address.replace('http://', 'http://:word@'), open)
  const logins = [...Object.values(passwords).map((word) => `us%er:${word}`), ':word']
  expect(sent).toEqual(logins.map((login) => `Basic ${Buffer.from(login).toString('base64')}`))
})

test('nobody waits for an address that does not answer or that is broken off', async () => {
  const served = await servePlaylist((_, response) => response.destroy())
  await expect(downloadPlaylist(served.address, open)).rejects.toMatchObject({
    message: 'The address cannot be reached.',
    cause: { code: 'ECONNRESET' },
  })
  const gone = new AbortController()
  served.serve(() => gone.abort())
  await expect(downloadPlaylist(served.address, { ...open, signal: gone.signal })).rejects.toThrow(
    'cannot be reached',
  )
})

test('a fault on our side is not blamed on the address', async () => {
  const { address } = await servePlaylist('#EXTM3U')
  const mayAsk = () => {
    throw new TypeError('a mistake of ours')
  }
  await expect(downloadPlaylist(address, { ...open, mayAsk })).rejects.toThrow('a mistake of ours')
})

test('an address that answers a byte at a time is given up after a minute', async () => {
  const limit = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
  const dripped = Promise.withResolvers<void>()
  const served = await servePlaylist((_, response) => {
    let drops = 0
    const dripping = setInterval(() => {
      response.write('#')
      drops += 1
      if (drops === 5) dripped.resolve()
    }, 50)
    response.on('close', () => clearInterval(dripping))
  })
  const downloading = downloadPlaylist(served.address, open)
  await dripped.promise
  // The minute is over.
  limit.abort()
  await expect(downloading).rejects.toThrow('did not arrive within 60 seconds')
  expect(timeout).toHaveBeenCalledExactlyOnceWith(60_000)
  timeout.mockRestore()
})

test('an address that leaves HTTP is waited for no longer than a playlist', async () => {
  const limit = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
  const left = Promise.withResolvers<void>()
  const served = await servePlaylist((_, { socket }) => {
    socket?.on('close', () => left.resolve())
    socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n')
  })
  const refused = expect(downloadPlaylist(served.address, open)).rejects.toThrow('did not arrive within')
  await left.promise
  limit.abort()
  await refused
  timeout.mockRestore()
})

test('addresses of the public internet are told from all others', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '2a00:1450:4003::1'])
    expect(isPublic(address), address).toBe(true)
  for (const address of [
    ...['10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.1.2.3', '224.0.0.1'],
    ...['255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:8.8.8.8'],
    ...['64:ff9b::808:808', '2002:7f00:1::', '2001::1'],
  ])
    expect(isPublic(address), address).toBe(false)
})

import { describe, expect, test } from 'vitest'
import type { Channel } from '../../../contract/channels.ts'
import { parsePlaylist } from './parse-playlist.ts'

function of(text: string) {
  return parsePlaylist(Buffer.from(text))
}

/** Returns a text in the old encoding of Windows, which has the euro where Latin-1 has none. */
function windows(text: string): Uint8Array {
  return Buffer.from(text.replaceAll('€', '\x80'), 'latin1')
}

test('a playlist from Windows, with a mark at its beginning, gives its channels', () => {
  const { channels, skipped } = of(
    '\uFEFF#EXTM3U url-tvg="http://x"\r\n#EXTINF:-1 tvg-id="um.pt" tvg-logo="http://l.example/1.png" group-title="Notícias, ao vivo",Um, dois HD\r\nhttp://s.example/1?t={token}\r\n',
  )
  expect(skipped).toBe(0)
  expect(channels).toEqual([
    {
      ...{ key: 'id um.pt', name: 'Um, dois HD', number: 1, group: 'Notícias, ao vivo' },
      ...{ logo: 'http://l.example/1.png', address: 'http://s.example/1?t={token}' },
    },
  ])
})

test('a playlist is read in the encoding that it is in: UTF-8, UTF-16, or the old one of Windows', () => {
  const entries = (name: string) => `#EXTM3U\n#EXTINF:-1 group-title="Señal",${name}\nhttp://s.example/1\n`
  const namesOf = (bytes: Uint8Array) => parsePlaylist(bytes).channels.map(({ name, group }) => [name, group])
  for (const name of ['España', 'Café Ñandú', 'Über 20 €'])
    expect(namesOf(windows(entries(name)))).toEqual([[name, 'Señal']])
  const utf16 = Buffer.from(`\uFEFF${entries('Новости 📺')}`, 'utf16le')
  expect(namesOf(utf16)).toEqual([['Новости 📺', 'Señal']])
  expect(namesOf(Buffer.from(utf16).swap16())).toEqual([['Новости 📺', 'Señal']])
  // Whoever wrote it had lost all of its letters with accents already, and cut the last name.
  const lost = Buffer.from(`${entries('Espa\uFFFDa').replace('ñ', '\uFFFD')}#EXTINF:-1,Caf`)
  const cut = Buffer.concat([lost, Buffer.of(0xc3), Buffer.from('\nhttp://s.example/2\n')])
  expect(namesOf(cut)).toEqual([
    ['Espa\uFFFDa', 'Se\uFFFDal'],
    ['Caf\uFFFD', 'Other'],
  ])
})

test('one broken character in UTF-8 is one character, and all other channels and groups keep their names', () => {
  const whole = Array.from(
    { length: 1_000 },
    (_, at) => `#EXTINF:-1 group-title="Notícias ${at % 7}",Canção ${at}\nhttp://s.example/${at}`,
  ).join('\n')
  const before = of(whole)
  // The first byte of 'é', of which a program that cuts after so many bytes has left out the second.
  const broken = Buffer.concat([
    Buffer.from(`${whole}\n#EXTINF:-1 group-title="Notícias 0",Caf`),
    Buffer.of(0xc3),
    Buffer.from('\nhttp://s.example/cut\n'),
  ])
  const after = parsePlaylist(broken)
  expect(after.channels.slice(0, -1)).toEqual(before.channels)
  expect(after.channels.at(-1)?.name).toBe('Caf\uFFFD')
  expect(JSON.stringify(after).split('\uFFFD')).toHaveLength(3) // Once in the name, and once in the key.
  expect(after.groups.map(({ name }) => name)).toEqual(before.groups.map(({ name }) => name))
})

test('a channel without a name is called by its tvg-name, its id or its place, and one without a group is in Other', () => {
  const { channels, groups } = of(
    `#EXTINF:-1 tvg-name="Named",\nhttp://s/1\n#EXTINF:-1 tvg-id="id.pt",\nhttp://s/2\n#EXTINF:-1\nhttp://s/3\n`,
  )
  expect(channels.map(({ name }) => name)).toEqual(['Named', 'id.pt', 'Channel 3'])
  expect(groups).toEqual([{ name: 'Other', channels: 3, unprotected: 3 }])
})

test('channels with one name keep apart, and those with one id too, each with the same key every time', () => {
  const text = `#EXTM3U
#EXTINF:-1 tvg-id="a",A
http://s/1
#EXTINF:-1 tvg-id="a",A HD
http://s/2
#EXTINF:-1,B
http://s/3
#EXTINF:-1,B
http://s/4
#EXTINF:-1,B
http://s/5
`
  const { channels } = of(text)
  expect(channels.map(({ key }) => key)).toEqual([
    'id a\nname A\nOther',
    'id a\nname A HD\nOther',
    'name B\nOther',
    'name B\nOther\n2',
    'name B\nOther\n3',
  ])
  expect(of(text)).toEqual(of(text))
})

describe('channels that share a tvg-id have the same keys', () => {
  const entry = (id: string, name: string, group = 'News') =>
    `#EXTINF:-1 tvg-id="${id}" group-title="${group}",${name}\nhttp://s.example/${name}`
  const keysOf = (entries: readonly string[], inUse: readonly Channel[] = []) =>
    Object.fromEntries(
      parsePlaylist(Buffer.from(entries.join('\n')), inUse).channels.map(({ name, key }) => [name, key]),
    )
  const SD = entry('a', 'SD')
  const HD = entry('a', 'HD')
  const UHD = entry('a', 'UHD', 'Sports')

  test('in whatever order they come', () => {
    const keys = {
      SD: 'id a\nname SD\nNews',
      HD: 'id a\nname HD\nNews',
      UHD: 'id a\nname UHD\nSports',
      Other: 'id b',
    }
    for (const entries of ordersOf([SD, HD, UHD, entry('b', 'Other')])) expect(keysOf(entries)).toEqual(keys)
  })

  test('as those in use, also where one of those has the tvg-id alone', () => {
    const key = (key: string, name: string) => ({
      key,
      name,
      number: 1,
      group: 'News',
      logo: '',
      address: '',
    })
    const inUse = [key('id a', 'SD'), key('id a\nname HD\nNews', 'HD'), key('name SD\nNews', 'SD')]
    const keys = { SD: 'id a', HD: 'id a\nname HD\nNews', UHD: 'id a\nname UHD\nSports' }
    for (const entries of ordersOf([SD, HD, UHD])) expect(keysOf(entries, inUse)).toEqual(keys)
  })

  test('also after another one got the tvg-id, or lost it', () => {
    const { channels: one } = of(SD)
    expect(keysOf([HD, SD], one)).toEqual({ SD: 'id a', HD: 'id a\nname HD\nNews' })
    const { channels: both } = parsePlaylist(Buffer.from(`${HD}\n${SD}`), one)
    expect(keysOf([HD], both)).toEqual({ HD: 'id a\nname HD\nNews' })
    expect(keysOf([SD], both)).toEqual({ SD: 'id a' })
    // A channel that has another name is known by a tvg-id that it has alone.
    expect(keysOf([entry('a', 'Renamed')], one)).toEqual({ Renamed: 'id a' })
  })

  test('also where all of them were away for a reading, as far as that can be told', () => {
    const known = new Set(['id a'])
    const back = (entries: readonly string[], inUse: readonly Channel[] = []) =>
      Object.fromEntries(
        parsePlaylist(Buffer.from(entries.join('\n')), inUse, known).channels.map(({ name, key }) => [
          name,
          key,
        ]),
      )
    expect(back([SD, HD])).toEqual({ SD: 'id a', HD: 'id a\nname HD\nNews' })
    // The one that is in use keeps it, whatever comes before it.
    expect(back([HD, SD], of(SD).channels)).toEqual({ SD: 'id a', HD: 'id a\nname HD\nNews' })
  })

  test('where they are alike in name and group too, each time', () => {
    const alike = `${SD}\n${SD}\n${SD}`
    const { channels: first } = of(alike)
    expect(parsePlaylist(Buffer.from(alike), first).channels).toEqual(first)
    const { channels: one } = of(SD)
    const { channels: next } = parsePlaylist(Buffer.from(alike), one)
    expect(next.map(({ key }) => key)).toEqual(['id a', 'id a\nname SD\nNews', 'id a\nname SD\nNews\n2'])
    expect(parsePlaylist(Buffer.from(alike), next).channels).toEqual(next)
  })
})

/** Returns a list in every order. */
function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}

test('a group keeps the form that its accents have, by which it is known from playlists before', () => {
  const { groups } = of('#EXTINF:-1 group-title="Ne\u0301ws",X\nhttp://s/1\n')
  expect(groups.map(({ name }) => name)).toEqual(['Ne\u0301ws'])
})

test('a channel has the number that it says, if no other has it before, else the next free one', () => {
  const entry = (number: string) => `#EXTINF:-1 ${number},X\nhttp://s/1\n`
  const { channels } = of(
    [entry(''), entry('tvg-chno="1"'), entry('tvg-chno="1"'), entry('tvg-chno="-5"'), entry('')].join(''),
  )
  expect(channels.map(({ number }) => number)).toEqual([2, 1, 3, 4, 5])
})

test('entries that no box could play are left out and counted, and what else is broken is passed over', () => {
  const { channels, skipped } = of(`#EXTM3U
garbage
#EXTINF:-1 tvg-id="unclosed,Half
http://s/1
#EXTINF:-1,No address
  #EXTINF:-1,No address either

#EXTINF:-1,File
file:///etc/passwd
#EXTINF:-1,Script
javascript:alert(1)
#EXTINF:-1,Spaces
http://s/a b
#EXTINF:-1 tvg-logo="javascript:x",Good\u0000
rtsp://s/2
#EXTINF:-1,End`)
  expect(channels.map(({ name, address, logo }) => [name, address, logo])).toEqual([
    ['Half', 'http://s/1', ''],
    ['Good', 'rtsp://s/2', ''],
  ])
  expect(skipped).toBe(6)
})

test('an address has its scheme in any case, and spaces only in the options that follow a |', () => {
  const addresses = ['HTTP://s/1', 'Rtsp://s/2', 'http://s/3.m3u8|User-Agent=Foo&Referer=x y']
  const entries = [...addresses, 'http://s/4 5|a', 'http://|a'].map((address) => `#EXTINF:-1,X\n${address}\n`)
  const { channels, skipped } = of(entries.join(''))
  expect(channels.map(({ address }) => address)).toEqual(addresses)
  expect(skipped).toBe(2)
})

test.each([
  [`tvg-id='a.b' tvg-chno='7' group-title='For Adults, 18+'`, 'Late, "night"', 'For Adults, 18+'],
  ['group-title=Adults tvg-chno=7 tvg-id=a.b', "Bob's group-title='News'", 'Adults'],
  ['tvg-id=a.b group-title=For Adults tvg-chno="7"', '1 + 1 = 2', 'For Adults'],
  [`group-title='Kid's' tvg-id="a.b" tvg-chno=7`, "It's", "Kid's"],
  [`tvg-id="a.b" group-title='The "Best"' tvg-chno=7`, 'x=y', "The 'Best'"],
  [`tvg-id="a.b" tvg-chno=7 group-title='90s`, "Bob's", "'90s"],
  [`tvg-chno=7 tvg-id="a.b" tvg-name="x='y" group-title= foo='`, 'A, B', 'Other'],
])('attributes in single quotes or none are read as in double ones: %s', (attributes, name, group) => {
  const { channels } = of(`#EXTINF:-1 ${attributes},${name}\r\nhttp://s/1\r\n`)
  expect(channels).toEqual([expect.objectContaining({ key: 'id a.b', number: 7, group, name })])
})

test('an entry that is longer than any of a provider takes no time', () => {
  const { channels } = of(
    `#EXTINF:-1 ${"a='a b".repeat(80_000)},Long\nhttp://s/1\n#EXTINF:-1 tvg-id='b',Short\nhttp://s/2\n`,
  )
  expect(channels.map(({ name }) => name)).toEqual([expect.any(String), 'Short'])
})

test('50,000 entries are read, of which thousands have one name', () => {
  const entries = Array.from(
    { length: 50_000 },
    (_, at) => `#EXTINF:-1 group-title="G${at % 3_000}",${at < 20_000 ? 'Same' : at}\nhttp://s/${at}`,
  )
  const { channels, groups } = of(`#EXTM3U\n${entries.join('\n')}`)
  expect(channels).toHaveLength(50_000)
  expect(new Set(channels.map(({ key }) => key)).size).toBe(50_000)
  expect(new Set(channels.map(({ number }) => number)).size).toBe(50_000)
  expect(groups).toHaveLength(1_999)
})

test('100,000 channels and 2,000 groups are read; channels after them are left out and not broken, or are of Other', () => {
  const entries = Array.from(
    { length: 100_002 },
    (_, at) => `#EXTINF:-1 group-title="G${at % 4_000}",${at}\nhttp://s/${at}`,
  )
  const { channels, groups, skipped } = of(`#EXTM3U\n${entries.join('\n')}\n#EXTINF:-1,Broken\nno address`)
  expect([channels.length, groups.length, skipped]).toEqual([100_000, 1_999, 1])
  expect(channels.at(-1)?.name).toBe('99999')
  expect(groups.find(({ name }) => name === 'Other')?.channels).toBe((100_000 / 4_000) * 2_002)
  const whole = of(entries.slice(0, 2_000).join('\n'))
  expect(whole.groups.map(({ name }) => name)).toEqual(Array.from({ length: 2_000 }, (_, at) => `G${at}`))
})

test('of more than 2,000 groups those that the admin has set come first, and those for adults are never in Other', () => {
  const names = Array.from({ length: 2_100 }, (_, at) => `G${at}`)
  const entries = [...names, 'Adults 18+', 'Chosen', 'After midnight'].map(
    (name) => `#EXTINF:-1 group-title="${name}",${name}\nhttp://s/1`,
  )
  const read = (set: readonly { name: string; adult: boolean }[]) =>
    parsePlaylist(Buffer.from(entries.join('\n')), [], new Set(), set)
  const groupOf = ({ channels }: ReturnType<typeof read>, name: string) =>
    channels.find((channel) => channel.name === name)?.group
  const first = read([])
  expect(first.groups).toHaveLength(2_000)
  expect(groupOf(first, 'Chosen')).toBe('Other')
  expect(groupOf(first, 'Adults 18+')).toBe('Other, adults')
  const set = read([
    { name: 'Chosen', adult: false },
    { name: 'After midnight', adult: true },
    { name: 'Not in this playlist', adult: true },
  ])
  expect(set.groups).toHaveLength(2_000)
  expect(set.groups.at(-1)?.name).toBe('After midnight')
  expect(['G1995', 'G1996', 'Chosen', 'Adults 18+'].map((name) => groupOf(set, name))).toEqual([
    ...['G1995', 'Other', 'Chosen', 'Other, adults'],
  ])
  // More of them than there is room for.
  const marked = read(entries.map((_, at) => ({ name: names[at] ?? 'After midnight', adult: at >= 2_000 })))
  expect(['G1997', 'G2000', 'Chosen', 'After midnight'].map((name) => groupOf(marked, name))).toEqual([
    ...['G1997', 'Other, adults', 'Other', 'Other, adults'],
  ])
})

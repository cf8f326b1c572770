import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ANSWERS, isCall } from '../../server/boxes/wire/answers.ts'
import { Box } from '../support/box.ts'
import { givePlaylist, letHold, playlistOf } from '../support/playlist.ts'
import { storedIn, suiteWorld, uniqueMac } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

// Whatever a stranger sends, a box gets a declared answer or one of a few sentences, nothing of a client is told to
// another, and nothing of the request is in the log.

const world = await suiteWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })

/** Gives a playlist of which the two packages have nothing in common. */
async function keepApart(): Promise<void> {
  const playlist = playlistOf(3, 'of-package-one') + playlistOf(3, 'of-package-three')
  await givePlaylist(world, playlist)
  await letHold(world, 1, ['of-package-one'])
  await letHold(world, 3, ['of-package-three'])
}

/** A text that no answer and no log may have. */
const MARK = 'mark-of-this-query'

const SENTENCES = [
  'Authorization failed.',
  'Unauthorized request.',
  'There is no such call.',
  'This is no call of a box.',
]

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '\0',
    "' or ''='",
    '../../etc/passwd',
    '[object Object]',
    '1e999',
    'null',
    ...['1', '2', '4', '5', '6'].map((id) => `ffmpeg http://localhost/ch/${id}_`),
    '1,2,3,4,5,6',
    '1001',
    '1002',
    '%',
  ),
)
const field = fc.constantFrom(
  ...['token', 'sn', 'device_id', 'device_id2', 'stb_type', 'ver', 'login', 'password', 'metrics', 'prehash'],
  ...[
    ...['cmd', 'genre', 'p', 'fav', 'fav_ch', 'sortby', 'itv_id', 'ch_id', 'real_action', 'tmp_type'],
    'init',
    'cur_play_type',
    'JsHttpRequest',
    '__proto__',
    'constructor',
    'type',
    'action',
    'toString',
    'mac',
  ],
)
/** What the first box asks with its own token, and the second with its own. */
const RIGHT = [
  { who: 'the box', token: 'own' },
  { who: 'a thief', token: 'of another' },
] as const
const request = fc.record({
  call: fc.oneof(
    { arbitrary: fc.constantFrom(...Object.keys(ANSWERS)), weight: 6 },
    { arbitrary: fc.tuple(hostile, hostile).map(([type, action]) => `${type}/${action}`), weight: 1 },
  ),
  fields: fc.array(fc.tuple(field, hostile), { maxLength: 6 }),
  // Half of the requests are of a box that is in, since what is refused could tell nothing of another.
  sender: fc.oneof(
    fc.constantFrom(...RIGHT),
    fc.record({
      who: fc.constantFrom('the box', 'a thief', 'a stranger', 'nobody'),
      token: fc.constantFrom('own', 'of another', 'made up', 'none'),
    }),
  ),
  method: fc.constantFrom<'GET' | 'POST'>('GET', 'POST'),
})

/** Every call, as each of the two boxes makes it. */
const plain = Object.keys(ANSWERS).flatMap((call) =>
  RIGHT.map((sender) => ({ call, fields: [], sender, method: 'GET' as const })),
)
const TRIES = runs(200, 3_000)

test('any request of a box is answered as declared', { timeout: 3_600_000 }, async () => {
  const { dealer } = await world.family({ credits: 10 })
  const secrets = { phone: '5145550199', desc: 'secret-description' }
  const made = await world.client(dealer, { months: 1, ...secrets })
  const other = await world.client(dealer, { months: 1, package_selection: 3, ...secrets })
  await keepApart()
  const box = new Box(world.server, { mac: made.mac, address: '203.0.113.1' })
  const victim = new Box(world.server, { mac: other.mac, address: '203.0.113.2' })
  /** The calls that a box which is in was answered; and how often with a channel of its package. */
  const answered: string[] = []
  let withChannels = 0
  await fc.assert(
    fc.asyncProperty(request, async ({ call, fields, sender: { who, token }, method }) => {
      expect(await Promise.all([box.signIn(), victim.signIn()])).toEqual([0, 0])
      const macs = { 'the box': made.mac, 'a thief': other.mac, 'a stranger': uniqueMac(), nobody: '' }
      const sender = new Box(world.server, { mac: macs[who], address: '203.0.113.3' })
      sender.token = { own: box.token, 'of another': victim.token, 'made up': 'AB'.repeat(24), none: '' }[
        token
      ]
      const isRight = RIGHT.some((one) => one.who === who && one.token === token)
      const [type = '', action = ''] = call.split('/')
      const sent = { ...Object.fromEntries(fields), type, action, extra: MARK }
      const { status, text } = await sender.ask(call, sent, { method })
      if (SENTENCES.includes(text)) {
        expect([200, 404, 400, 415]).toContain(status)
        if (isRight) expect(text).not.toBe('Unauthorized request.')
      } else {
        expect(status, text).toBe(200)
        const body = JSON.parse(text) as { js: unknown }
        expect(isCall(call) && ANSWERS[call].safeParse(body.js).success, `${call} answered ${text}`).toBe(
          true,
        )
        if (isRight) {
          answered.push(call)
          if (text.includes(who === 'the box' ? 'of-package-one' : 'of-package-three')) withChannels += 1
        }
        const opens = ['stb/handshake', 'stb/get_localization', 'stb/get_modules'].includes(call)
        expect(isRight || opens || who === 'a stranger', `${who} with the token ${token} got ${text}`).toBe(
          true,
        )
      }
      if (who === 'the box') expect(text).not.toContain('of-package-three')
      if (who === 'a thief') expect(text).not.toContain('of-package-one')
      expect(text).not.toMatch(/secret-description|5145550199|mark-of-this-query/)
    }),
    { numRuns: TRIES, seed: seedOf('hostile boxes'), examples: plain.map((one): [typeof one] => [one]) },
  )
  expect(new Set(answered)).toEqual(new Set(Object.keys(ANSWERS)))
  // Far more are expected; so few would say that hardly anything but the plain calls was answered.
  expect(answered.length).toBeGreaterThan(plain.length + TRIES / 8)
  expect(withChannels).toBeGreaterThan(TRIES / 30)
  expect(world.server.logged.join('\n')).not.toContain(MARK)
  expect(world.server.logged.filter((line) => line.includes('"level":50'))).toEqual([])
  const stored = [...(await storedIn(world.server)).values()].join('\n')
  expect(stored).not.toContain(MARK)
  expect(stored).not.toContain(box.token)
})

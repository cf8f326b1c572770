import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { KEY_LIFE_MS } from '../../contract/time.ts'

/** Who is signed in. */
let signedIn: string | null

vi.mock('../session.tsx', () => ({ signedInAs: () => signedIn }))

const STATUS: Record<string, number> = { no_session: 401, insufficient_credits: 400 }
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const INPUT = { name: 'tv-1', months: 1 }

/** The Idempotency-Keys of the requests. */
let keys: (string | null)[]
/** Whether requests are answered. */
let isAnswered: boolean
/** Whether they get neither an answer nor an error. */
let isSilent: boolean
/** What the server refuses them with. */
let refusal: { code: string; unchanged?: true; once?: true } | null

beforeEach(() => {
  signedIn = 'mia'
  vi.useFakeTimers({ now: new Date('2026-05-10T12:00:00Z') })
  keys = []
  isAnswered = false
  isSilent = false
  refusal = null
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  })
  vi.stubGlobal('fetch', async (_: string, { headers, signal }: RequestInit) => {
    keys.push(new Headers(headers).get('idempotency-key'))
    if (isSilent)
      await new Promise((_, refuse) => signal?.addEventListener('abort', () => refuse(signal.reason)))
    const refused = refusal
    if (refused?.once) refusal = null
    if (refused) return Response.json(refused, { status: STATUS[refused.code] ?? 503 })
    if (!isAnswered) throw new TypeError('Failed to fetch')
    return Response.json({ status: 'OK', expiry: '2026-06-10T23:59:59.000Z', credits: 1 })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** What a new load of the page does. */
async function load() {
  vi.resetModules()
  return import('./submits.ts')
}

type Page = Awaited<ReturnType<typeof load>>

/** Submits, and waits until the person is told that there is no answer. Returns the one key of all its tries. */
async function keyOf({ submitOnce }: Page, options?: { again: boolean }) {
  keys = []
  const end = expect(submitOnce(calls.clients.renew, INPUT, 'mia', options)).rejects.toThrow(
    'nothing is ever',
  )
  await vi.advanceTimersByTimeAsync(10_000)
  await end
  expect(keys).toHaveLength(4)
  expect(new Set(keys).size).toBe(1)
  return keys[0]
}

const X = { name: 'casa' }
const suspend = { call: calls.tree.suspend, input: { ...X, reason: '', service_too: false } }
const lift = { call: calls.tree.lift, input: X }
const switchOff = { call: calls.clients.save, input: { login: 'tv-1', status: false } }
const switchOn = { call: calls.clients.save, input: { login: 'tv-1', status: true } }
const givePassword = (password: string) => ({ call: calls.clients.save, input: { login: 'tv-1', password } })
const switchSeveralOff = {
  call: calls.clients.multisave,
  input: { clients: ['tv-2', 'tv-1'], status: false },
}
const renewed = { call: calls.clients.save, input: { login: 'tv-1', months: 1 } }
const moveTo = (to: string) => ({ call: calls.tree.move, input: { ...X, to } })
const childPassword = (password: string) => ({ call: calls.tree.password, input: { ...X, password } })
const look = (settings: object) => ({ call: calls.desk.dealer.saveSettings, input: settings })
const askFor = { call: calls.requests.ask, input: { credits: 10, note: '' } }
const withdraw = { call: calls.requests.withdraw, input: { id: 1 } }
const addCredits = { call: calls.level.dealer.save, input: { ...X, credits: 1, transaction: 0 } }
const describeAs = (desc: string, credits = 0) => ({
  call: calls.level.dealer.save,
  input: { ...X, credits, transaction: 0, desc },
})
const ownPassword = (old_password: string, password: string) => ({
  call: calls.session.password,
  input: { old_password, password },
})
const lowBelow = (below: number | null) => ({ call: calls.lowBalance.own, input: { below } })
const childLowBelow = (below: number | null) => ({ call: calls.lowBalance.ofChild, input: { ...X, below } })
const prefer = (shortcuts: boolean) => ({ call: calls.session.savePreferences, input: { shortcuts } })
const publish = (message: string) => ({ call: calls.admin.setMessage, input: { message } })
const withdrawMessage = { call: calls.admin.removeMessage, input: {} }
const mark = (adult: boolean) => ({ call: calls.channels.saveGroup, input: { group: 7, adult } })
const none = { packages: [], groups: [] }
const pairs = { packages: [1], groups: [7] }
const giveGroup = { call: calls.channels.assign, input: { give: pairs, take: none } }
const takeGroup = { call: calls.channels.assign, input: { give: none, take: pairs } }
const usePlayer = (player: string) => ({ call: calls.channels.savePlayers, input: { player } })
const readAt = (address: string) => ({ call: calls.channels.giveAddress, input: { address } })
const takeFile = { call: calls.channels.giveFile, input: { name: 'tv.m3u', file: 'H4sI' } }
const readAgain = { call: calls.channels.fetch, input: {} }
const moveClient = (from: string, to: string) => ({
  call: calls.tree.moveClients,
  input: { from, to, clients: ['tv-1'] },
})
const remind = (reminded: boolean) => ({ call: calls.clients.remind, input: { name: 'tv-1', reminded } })

interface Change {
  call: Call
  input: object
}

/**
 * Makes a change that gets no answer, another one that gets one, and the first again: is that taken for a repetition?
 */
async function isRepeated(first: Change, other: Change) {
  const { submitOnce } = await load()
  const submit = ({ call, input }: Change) => submitOnce(call, input, 'mia')
  const end = expect(submit(first)).rejects.toThrow('nothing is ever')
  await vi.advanceTimersByTimeAsync(10_000)
  await end
  isAnswered = true
  expect((await submit(other)).isRepeat).toBe(false)
  return (await submit(first)).isRepeat
}

/** Lets time pass from the first submit on. */
function until(milliseconds: number) {
  vi.setSystemTime(Date.parse('2026-05-10T12:00:00Z') + milliseconds)
}

describe('a submit without an answer', () => {
  test('keeps its key for 23 hours in the form that was told so, less than the server does', async () => {
    const page = await load()
    const key = await keyOf(page)
    until(23 * HOUR - 1)
    expect(await keyOf(page, { again: true })).toBe(key)
    until(23 * HOUR)
    expect(await keyOf(page, { again: true })).not.toBe(key)
    expect(23 * HOUR).toBeLessThan(KEY_LIFE_MS)
  })

  test('keeps its key also where the browser has no room to store it', async () => {
    vi.spyOn(sessionStorage, 'setItem').mockImplementation(() => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    })
    const page = await load()
    const key = await keyOf(page)
    expect(await keyOf(page, { again: true })).toBe(key)
  })

  test('is told to the person once nothing has come for half a minute, and not sent again by itself', async () => {
    const page = await load()
    const key = await keyOf(page)
    keys = []
    isSilent = true
    const end = expect(page.submitOnce(calls.clients.renew, INPUT, 'mia')).rejects.toThrow('nothing is ever')
    await vi.advanceTimersByTimeAsync(30_000)
    await end
    await vi.advanceTimersByTimeAsync(120_000)
    expect(keys).toEqual([key])
  })

  test('can be stopped, and keeps its key for when it is sent again', async () => {
    const page = await load()
    isSilent = true
    const stopper = new AbortController()
    const { signal } = stopper
    const end = expect(page.submitOnce(calls.clients.renew, INPUT, 'mia', { signal })).rejects.toThrow(
      'It was stopped',
    )
    await vi.advanceTimersByTimeAsync(1_000)
    stopper.abort()
    await end
    const [key] = keys
    isSilent = false
    isAnswered = true
    expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(true)
    expect(keys).toEqual([key, key])
  })

  test.for([
    ['suspended', suspend, lift],
    [
      'suspended for another reason',
      suspend,
      { ...suspend, input: { ...X, reason: 'Late', service_too: false } },
    ],
    ['lifted', lift, suspend],
    ['suspended, in capitals', suspend, { ...lift, input: { ...lift.input, name: X.name.toUpperCase() } }],
    ['chosen for the appearance', look({ mode: 'dark' }), look({ mode: 'light', preset: 'red' })],
    ['asked for', askFor, withdraw],
    ['moved', moveTo('north'), moveTo('south')],
    ['given a password by its parent', childPassword('first-one'), childPassword('other-one')],
    [
      'chosen as the own password',
      ownPassword('first-one', 'other-one'),
      ownPassword('other-one', 'first-one'),
    ],
    ['set as the own threshold', lowBelow(50), lowBelow(null)],
    ["set as a child's threshold", childLowBelow(50), childLowBelow(null)],
    ['preferred', prefer(false), prefer(true)],
    ['told to all', publish('Hello'), publish('Bye')],
    ['told to all, and then removed', publish('Hello'), withdrawMessage],
    ['described', describeAs('North'), describeAs('South')],
    ['described, and then with credits', describeAs('North'), describeAs('South', 1)],
    ['marked as for adults', mark(true), mark(false)],
    ['given to a package', giveGroup, takeGroup],
    ['chosen as the player', usePlayer('ffmpeg'), usePlayer('auto')],
    ['read at an address', readAt('https://one.example'), readAt('https://two.example')],
    ['read at an address, and then from a file', readAt('https://one.example'), takeFile],
    ['read anew', readAgain, takeFile],
    ['moved to another dealer', moveClient('casa', 'nord'), moveClient('nord', 'casa')],
    ['noted as reminded', remind(true), remind(false)],
    ['switched off', switchOff, switchOn],
    ['switched off as one of several', switchSeveralOff, switchOn],
    ['given a password', givePassword('first-one'), givePassword('other-one')],
    ['switched off, and on with months', switchOff, { ...switchOn, input: { ...switchOn.input, months: 1 } }],
  ] as const)('of what was %s is another change once it was set otherwise', async ([, first, other]) => {
    expect(await isRepeated(first, other)).toBe(false)
  })

  test('is another change once what was shown since says that it is over, and not before', async () => {
    const page = await load()
    const first = page.submitOnce(askFor.call, askFor.input, 'mia')
    const end = expect(first).rejects.toThrow('nothing is ever')
    const asked = Date.now()
    await vi.advanceTimersByTimeAsync(10_000)
    await end
    isAnswered = true
    page.forgetGivenUp('mia', calls.requests.ask, asked)
    page.forgetGivenUp('tom', calls.requests.ask, Date.now())
    page.forgetGivenUp('mia', calls.requests.withdraw, Date.now())
    expect(page.isUnanswered('mia', askFor.call, () => true)).toBe(true)
    page.forgetGivenUp('mia', calls.requests.ask, Date.now())
    expect((await page.submitOnce(askFor.call, askFor.input, 'mia')).isRepeat).toBe(false)
  })

  test.for([
    ['sets something else', switchOff, { ...switchOn, input: { login: 'tv-1', desc: 'Hall' } }],
    ['sets something else of the appearance', look({ mode: 'dark' }), look({ preset: 'red' })],
    ['is of another client', switchOff, { ...switchOn, input: { login: 'tv-2', status: true } }],
    ['was paid for', renewed, { ...renewed, input: { login: 'tv-1', months: 2 } }],
    ['was paid for with a setting', { ...switchOff, input: { ...switchOff.input, months: 1 } }, switchOn],
    ['moved credits', addCredits, { ...addCredits, input: { ...addCredits.input, credits: 2 } }],
    ['moved credits with a description', describeAs('North', 1), describeAs('South')],
    [
      'is of another child',
      childLowBelow(50),
      { ...childLowBelow(null), input: { name: 'nord', below: null } },
    ],
    ['prefers something else', prefer(false), { ...prefer(true), input: { reminder: 'Hello' } }],
  ] as const)('stays the same change after another one, where it %s', async ([, first, other]) => {
    expect(await isRepeated(first, other)).toBe(true)
  })

  test('may have been done, though its last try is said to have changed nothing', async () => {
    const page = await load()
    const busy = { code: 'unavailable', unchanged: true } as const
    const isOpen = () => page.isUnanswered('mia', calls.clients.renew, () => true)
    const refused = async () => {
      refusal = busy
      const end = expect(page.submitOnce(calls.clients.renew, INPUT, 'mia')).rejects.toMatchObject({
        unchanged: !wasLost,
      })
      await vi.advanceTimersByTimeAsync(10_000)
      await end
      refusal = null
    }
    let wasLost = false
    await refused()
    expect(isOpen()).toBe(false)
    await keyOf(page)
    wasLost = true
    await refused()
    expect(isOpen()).toBe(true)
  })

  test('as the session ends is told of once after the next sign-in, with whether it may have been done', async () => {
    const page = await load()
    for (const mayBeDone of [false, true]) {
      refusal = { code: 'no_session' }
      await expect(page.submitOnce(calls.clients.renew, INPUT, 'mia')).rejects.toThrow()
      expect(page.takeCutOff('tom')).toEqual([])
      expect(page.takeCutOff('mia')).toEqual([{ call: expect.anything(), input: INPUT, mayBeDone }])
      expect(page.takeCutOff('mia')).toEqual([])
      refusal = null
      await keyOf(page)
    }
  })

  test.each([null, 'tom'])(
    'is also one whose answer comes once %s is signed in: nobody else hears of it, and its own person is told',
    async (next) => {
      const page = await load()
      const told = { call: expect.anything(), input: INPUT, mayBeDone: true }
      for (const refused of [{ code: 'insufficient_credits' }, { code: 'internal' }, null]) {
        signedIn = 'mia'
        refusal = refused
        isAnswered = true
        const end = expect(page.submitOnce(calls.clients.renew, INPUT, 'mia')).rejects.toMatchObject({
          code: 'no_session',
        })
        signedIn = next
        await end
        // What was refused for good was not done.
        expect(page.takeCutOff('mia')).toEqual(refused?.code === 'insufficient_credits' ? [] : [told])
      }
      signedIn = 'mia'
      expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(true)
    },
  )

  test('is sent once more, under its key, where another session of the same person has taken the place of its own', async () => {
    const page = await load()
    refusal = { code: 'no_session', once: true }
    isAnswered = true
    expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(false)
    expect(keys).toEqual([keys[0], keys[0]])
    expect(page.takeCutOff('mia')).toEqual([])

    keys = []
    refusal = { code: 'no_session' }
    await expect(page.submitOnce(calls.clients.renew, INPUT, 'mia')).rejects.toMatchObject(refusal)
    expect(keys).toHaveLength(2)
  })

  test('is told from one that is sent for the first time', async () => {
    const page = await load()
    await keyOf(page)
    isAnswered = true
    expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(true)
    expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(false)
  })

  test('keeps its key for 15 minutes in another form and after a reload', async () => {
    const key = await keyOf(await load())
    const page = await load()
    until(15 * MINUTE - 1)
    expect(await keyOf(page)).toBe(key)
    until(15 * MINUTE)
    expect(await keyOf(page)).not.toBe(key)
  })

  test('is sent again by itself for 15 minutes after a reload before its answer', async () => {
    const { submitOnce } = await load()
    void submitOnce(calls.clients.renew, INPUT, 'mia').catch(() => {})
    await vi.advanceTimersByTimeAsync(0)
    until(15 * MINUTE - 1)
    expect((await load()).takeUnanswered('mia')).toEqual([
      { call: expect.anything(), input: INPUT, isWhole: true },
    ])
    until(15 * MINUTE)
    expect((await load()).takeUnanswered('mia')).toEqual([])
  })

  test('that an older build stored is sent again where it has its input, and only told of where not', async () => {
    const stored = { by: 'mia', call: calls.clients.renew.name, print: '', at: Date.now(), givenUp: false }
    const all = [
      { ...stored, key: '1', input: INPUT },
      { ...stored, key: '2' },
    ]
    sessionStorage.setItem('submits', JSON.stringify(all))
    expect((await load()).takeUnanswered('mia')).toEqual([
      { call: expect.anything(), input: INPUT, isWhole: true },
      { call: expect.anything(), input: {}, isWhole: false },
    ])
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { PACKAGES } from '../../../contract/packages.ts'
import {
  Clock,
  type NewClient,
  newClient,
  openWorld,
  type Person,
  unique,
  uniqueMac,
  type World,
} from '../../../test/support/world.ts'

const { create, save, detail, list, history, remove, reset } = calls.clients

let world: World
let dealer: Person
beforeAll(async () => {
  world = await openWorld({ env: { TRIALS_PER_DAY: '1000' } })
  dealer = (await world.family({ credits: 500 })).dealer
})
afterAll(() => world.close())

describe('a new client', () => {
  test('has every field as typed', async () => {
    const input = newClient({
      months: 3,
      desc: 'Living room',
      phone: '(416) 555-0199',
      package_selection: 13,
    })
    const before = await balance(dealer)
    const made = await dealer.call(create, input)
    expect(made).toEqual({
      status: 'OK',
      name: input.login,
      expiry: '2026-08-15T23:59:59.000Z',
      credits: before - 3,
    })
    expect(await dealer.call(detail, { name: input.login })).toEqual({
      name: input.login,
      password: input.password,
      description: 'Living room',
      mac: input.stb_mac,
      o_mac: input.stb_mac,
      ministra: false,
      alt_player: false,
      status: true,
      locked: false,
      expiry: '2026-08-15T23:59:59.000Z',
      phone: '4165550199',
      package_selection: 13,
      tariff_plan: 'English/Sports/No Adults',
      channels: null,
      created: world.clock.now.toISOString(),
      retrievable: 3,
      retrievals: ['2026-07-15T23:59:59.000Z', '2026-06-15T23:59:59.000Z', '2026-05-15T23:59:59.000Z'],
      trial_retrieval: 3,
      online: false,
      box_refusal: null,
      box_answered: null,
      near_box: null,
      wrong_login: null,
      ...NO_DEVICE,
    })
  })

  test('needs no description and no phone', async () => {
    const { name } = await world.client(dealer)
    expect(await dealer.call(detail, { name })).toMatchObject({ description: '', phone: '' })
  })

  test.each(PACKAGES)('may have package $value, $label', async ({ value, label }) => {
    const { name } = await world.client(dealer, { package_selection: value })
    expect(await dealer.call(detail, { name })).toMatchObject({
      package_selection: value,
      tariff_plan: label,
    })
  })

  const LOGIN = 'Login should be between 5 and 15 characters'
  const CHARACTERS =
    "Login may have only the letters A to Z, digits 0 to 9, '.', '_' and '-', without accents or spaces"
  const SECRET = 'Password should be between 5 and 15 characters'
  const MAC = 'MAC address should be 17 characters long'
  const MAKER = 'This is not a MAC of our boxes: they begin with 00:1A:79'
  const PAIRS = `${MAKER}, then have three pairs of 0 to 9 and A to F`
  const PHONE = 'Phone number should be less than 15 characters'
  const MONTHS = "Credits must be 0, '2d' or a whole number from 1 to 12"
  const PACKAGE = 'Please choose a package from the list'
  test.each<[string, unknown, string]>([
    ['login', 'abcd', LOGIN],
    ['login', 'a'.repeat(16), LOGIN],
    ['login', 'with space', CHARACTERS],
    ['login', 'Zürich', CHARACTERS],
    ['login', undefined, 'This field is required'],
    ['password', 'abcd', SECRET],
    ['password', 'a'.repeat(16), SECRET],
    ['password', 'tab\tbed', 'Password may not have control characters'],
    ['desc', 'x'.repeat(101), 'Description cannot exceed 100 characters'],
    ['desc', 'two\nlines', 'Description may not have control characters'],
    ['stb_mac', undefined, MAC],
    ['stb_mac', null, MAC],
    ['stb_mac', '', MAC],
    ['stb_mac', '00:1A:79:00:00:0', MAC],
    ['stb_mac', '00:1A:79:00:00:000', MAC],
    ['stb_mac', '001A79000000', MAC],
    ['stb_mac', '00:1B:79:00:00:00', MAKER],
    ['stb_mac', '00-1A-79-00-00-00', MAC],
    ['stb_mac', '00:1A:79:00:00:0G', PAIRS],
    ['phone', '1'.repeat(16), PHONE],
    ['phone', `+${'1'.repeat(16)}`, PHONE],
    ['phone', 'call me', 'Phone number may have digits, spaces, brackets, + and -'],
    ['months', -1, MONTHS],
    ['months', 13, MONTHS],
    ['months', 1.5, MONTHS],
    ['months', '3d', MONTHS],
    ['months', '1', MONTHS],
    ['package_selection', 6, PACKAGE],
    ['package_selection', '1', PACKAGE],
    ['ministra', 'yes', 'This must be true or false'],
  ])('cannot have %s %j', async (field, value, message) => {
    const input = { ...newClient(), [field]: value }
    const answer = await dealer.send(create, input)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'invalid_input', errors: { [field]: message } })
    await dealer.refused('not_found', detail, { name: String(input.login) })
  })

  test.each<Partial<NewClient>>([
    { password: 'a'.repeat(15) },
    { password: 'pa ßw' },
    { desc: 'é'.repeat(100) },
    { phone: '123 (456) 789-012.345' },
    { phone: '' },
  ])('can have %j', async (more) => {
    const { name } = await world.client(dealer, more)
    const client = await dealer.call(detail, { name })
    expect(client.password).toBe(more.password ?? 'secret-tv')
    expect(client.description).toBe(more.desc ?? '')
    expect(client.phone).toBe((more.phone ?? '').replace(/\D/g, ''))
  })

  test('has its MAC in upper case, in whatever case it was typed', async () => {
    const mac = uniqueMac().replace('00:00', 'ab:cD')
    const { name } = await world.client(dealer, { stb_mac: mac.toLowerCase() })
    expect(await dealer.call(detail, { name })).toMatchObject({
      mac: mac.toUpperCase(),
      o_mac: mac.toUpperCase(),
    })
  })

  test.each([undefined, null, '', 'nonsense', '00:1A:79:00:00:01'])(
    'with Ministra has no MAC, and one sent is ignored: %j',
    async (stb_mac) => {
      const { name } = await world.client(dealer, {
        ministra: true,
        ...(stb_mac !== undefined && { stb_mac }),
      })
      expect(await dealer.call(detail, { name })).toMatchObject({ ministra: true, mac: null, o_mac: null })
    },
  )

  test('costs its months, and is not created where the dealer has fewer credits', async () => {
    const { dealer } = await world.family({ credits: 3 })
    const input = newClient({ months: 12 })
    const { message } = await dealer.refused('insufficient_credits', create, input)
    expect(message).toBe('You have 3 credits; this needs 12.')
    await dealer.refused('not_found', detail, { name: input.login })
    expect(await balance(dealer)).toBe(3)
    expect((await dealer.call(create, { ...input, months: 3 })).credits).toBe(0)
  })

  test("cannot have another client's login or MAC, in any case, nor another dealer's client's", async () => {
    const other = (await world.family()).dealer
    const taken = await world.client(dealer)
    for (const login of [taken.name, taken.name.toUpperCase()]) {
      const { errors } = await other.refused('name_taken', create, newClient({ login }))
      expect(errors).toEqual({ login: 'This login is taken.' })
    }
    for (const stb_mac of [taken.mac, taken.mac.toLowerCase()]) {
      const { errors } = await other.refused('mac_taken', create, newClient({ stb_mac }))
      expect(errors).toEqual({ stb_mac: 'This MAC address is taken.' })
    }
  })

  test("is told which of the dealer's own clients has its login or MAC, and nothing of anybody else's", async () => {
    const { dealer } = await world.family()
    const taken = await world.client(dealer)
    const login = await dealer.refused('name_taken', create, newClient({ login: taken.name.toUpperCase() }))
    expect(login.errors).toEqual({ login: `This login is taken by your client ${taken.name}.` })
    const mac = await dealer.refused('mac_taken', create, newClient({ stb_mac: taken.mac.toLowerCase() }))
    expect(mac.errors).toEqual({ stb_mac: `This MAC address is taken by your client ${taken.name}.` })
    const other = (await world.family()).dealer
    for (const same of [{ login: taken.name }, { stb_mac: taken.mac }]) {
      const { text } = await other.send(create, newClient({ login: unique(), ...same }))
      expect(text).toContain('is taken.')
    }
    await world.setExpiry(taken.name, '2026-05-14T23:59:59.000Z')
    await dealer.call(calls.clients.remove, { name: taken.name })
    await world.client(dealer, { login: taken.name })
  })

  test('is told at once that both its login and its MAC are taken, whoever has them', async () => {
    const { dealer } = await world.family()
    const [own, others] = [await world.client(dealer), await world.client((await world.family()).dealer)]
    const ofOwn = (what: string) => `This ${what} is taken by your client ${own.name}.`
    const [login, stb_mac] = ['This login is taken.', 'This MAC address is taken.']
    for (const [byName, byMac, errors] of [
      [own, own, { login: ofOwn('login'), stb_mac: ofOwn('MAC address') }],
      [own, others, { login: ofOwn('login'), stb_mac }],
      [others, own, { login, stb_mac: ofOwn('MAC address') }],
      [others, others, { login, stb_mac }],
    ] as const) {
      const input = newClient({ login: byName.name.toUpperCase(), stb_mac: byMac.mac })
      const message = `${errors.login} ${errors.stb_mac}`
      expect(await dealer.refused('name_taken', create, input)).toMatchObject({ message, errors })
    }
  })

  test('may have the login of an account', async () => {
    const { dealer } = await world.family({ credits: 1 })
    await world.client(dealer, { login: dealer.name })
  })
})

describe('the expiry of a new client', () => {
  const day = (months: NewClient['months'], at: string, ends: string, zone = 'UTC') => ({
    months,
    at,
    ends,
    zone,
  })
  const cases = [
    day(0, '2026-05-15T10:00:00Z', '2026-05-15T23:59:59.000Z'),
    day(0, '2026-05-15T23:59:59.000Z', '2026-05-15T23:59:59.000Z'),
    day(1, '2026-05-15T23:59:59.999Z', '2026-06-15T23:59:59.000Z'),
    day('2d', '2026-05-31T00:00:00Z', '2026-06-01T23:59:59.000Z'),
    day(1, '2026-01-31T12:00:00Z', '2026-02-28T23:59:59.000Z'),
    day(1, '2028-01-31T12:00:00Z', '2028-02-29T23:59:59.000Z'),
    day(12, '2028-02-29T12:00:00Z', '2029-02-28T23:59:59.000Z'),
    day(3, '2026-11-30T12:00:00Z', '2027-02-28T23:59:59.000Z'),
    // Two hours before midnight in UTC it is tomorrow in Nicosia, and today in Toronto two hours after it.
    day(0, '2026-07-15T22:00:00Z', '2026-07-16T20:59:59.000Z', 'Asia/Nicosia'),
    day('2d', '2026-07-16T02:00:00Z', '2026-07-17T03:59:59.000Z', 'America/Toronto'),
    // Lisbon is on winter time again when these months end.
    day(3, '2026-08-15T12:00:00Z', '2026-11-15T23:59:59.000Z', 'Europe/Lisbon'),
    day(1, '2026-08-15T12:00:00Z', '2026-09-15T22:59:59.000Z', 'Europe/Lisbon'),
  ]
  const worlds = new Map<string, Promise<World>>()
  afterAll(async () => {
    for (const open of worlds.values()) await (await open).close()
  })

  test.each(cases)('with months $months at $at in $zone is $ends', async ({ months, at, ends, zone }) => {
    const opened = worlds.get(zone) ?? openWorld({ env: { TIME_ZONE: zone } })
    worlds.set(zone, opened)
    const world = await opened
    world.clock.set(at)
    const { dealer } = await world.family({ credits: 12 })
    expect((await world.client(dealer, { months })).expiry).toBe(ends)
    const cost = typeof months === 'number' ? months : 0
    expect(await balance(dealer)).toBe(12 - cost)
    const [row] = await dealer.call(calls.desk.dealer.transactions)
    expect(row).toMatchObject(cost > 0 ? { type: 'USED', credits: cost } : { type: 'TRIAL', credits: 0 })
    expect(row).toMatchObject({ expiry: ends, actor: dealer.name })
  })
})

describe('trials', () => {
  let trials: World
  beforeAll(async () => {
    trials = await openWorld({
      env: { TRIALS_PER_DAY: '3', TIME_ZONE: 'America/Toronto' },
      clock: new Clock(),
    })
  })
  afterAll(() => trials.close())

  test('are limited to TRIALS_PER_DAY for a dealer and day of its time zone, even if their clients are removed', async () => {
    const { dealer } = await trials.family({ credits: 1 })
    trials.clock.set('2026-05-15T12:00:00Z')
    await trials.client(dealer)
    await trials.client(dealer, { months: '2d' })
    const third = await trials.client(dealer, { ministra: true })
    await trials.admin.call(calls.admin.remove, { name: third.name })
    // Almost midnight in Toronto, and the next day already in UTC.
    trials.clock.set('2026-05-16T03:59:59Z')
    for (const more of [{ months: 0 }, { months: '2d' }, { months: 0, ministra: true }] as const) {
      const { message, errors } = await dealer.refused('trials_used_up', create, newClient(more))
      expect(message).toBe('You have given 3 trials today; the limit is 3 a day.')
      expect(errors).toHaveProperty('months')
    }
    await trials.client(dealer, { months: 1 })
    await trials.client((await trials.family()).dealer)
    trials.clock.set('2026-05-16T04:00:00Z')
    await trials.client(dealer)
  })

  test('are limited to one in 30 days for a MAC, whichever dealer gives it', async () => {
    const one = (await trials.family()).dealer
    const two = (await trials.family({ credits: 1 })).dealer
    const { name, mac } = await trials.client(one)
    await trials.admin.call(calls.admin.remove, { name })
    for (const dealer of [one, two]) {
      const again = newClient({ stb_mac: mac.toLowerCase() })
      const { errors } = await dealer.refused('mac_had_trial', create, again)
      expect(errors).toEqual({ stb_mac: 'This MAC address had a trial within the last 30 days.' })
    }
    const paid = await trials.client(two, { stb_mac: mac, months: 1 })
    await trials.admin.call(calls.admin.remove, { name: paid.name })
    trials.clock.pass({ days: 30, seconds: -1 })
    await two.refused('mac_had_trial', create, newClient({ stb_mac: mac }))
    trials.clock.pass({ seconds: 1 })
    await trials.client(two, { stb_mac: mac })
  })

  describe('of a MAC that is moved to a client on a trial', () => {
    /** Returns a MAC that had a trial with a client that was deleted since. */
    const triedMac = async () => {
      const { name, mac } = await trials.client((await trials.family()).dealer)
      await trials.admin.call(calls.admin.remove, { name })
      return mac
    }
    const setMac = (login: string, o_mac: string | null, stb_mac: string) =>
      [save, { login, stb_mac, o_mac, ministra: false }] as const

    test('are refused if the MAC had one, from a made-up MAC and from Ministra', async () => {
      const { dealer } = await trials.family()
      for (const start of [{}, { months: '2d' }, { ministra: true }] as const) {
        const { name, mac } = await trials.client(dealer, start)
        const tried = await triedMac()
        const { errors } = await dealer.refused('mac_had_trial', ...setMac(name, mac || null, tried))
        expect(errors).toEqual({ stb_mac: 'This MAC address had a trial within the last 30 days.' })
        expect(await dealer.call(detail, { name })).toMatchObject({ mac: mac || null })
        trials.clock.pass({ days: 30 })
      }
    })

    test('are recorded: the MAC gets no other for 30 days, and the dealer may give as many a day as before', async () => {
      const { dealer } = await trials.family()
      const other = (await trials.family()).dealer
      const mac = uniqueMac()
      const { name, mac: madeUp } = await trials.client(dealer, { months: '2d' })
      await dealer.call(...setMac(name, madeUp, mac))
      await dealer.call(...setMac(name, mac, uniqueMac()))
      await other.refused('mac_had_trial', create, newClient({ stb_mac: mac }))
      const { name: next, mac: another } = await trials.client(other)
      await other.refused('mac_had_trial', ...setMac(next, another, mac))
      // The day allows three: the MACs that were moved used up none.
      await trials.client(dealer)
      await trials.client(dealer)
      await dealer.refused('trials_used_up', create, newClient())
      trials.clock.pass({ days: 30, seconds: -1 })
      await other.refused('mac_had_trial', create, newClient({ stb_mac: mac }))
      trials.clock.pass({ seconds: 1 })
      await trials.client(other, { stb_mac: mac })
    })

    test('allow a switch to Ministra and back for the client that had the trial', async () => {
      const { dealer } = await trials.family()
      const { name, mac } = await trials.client(dealer)
      await dealer.call(save, { login: name, ministra: true })
      await dealer.refused('mac_had_trial', create, newClient({ stb_mac: mac }))
      await dealer.call(...setMac(name, null, mac))
      expect(await dealer.call(detail, { name })).toMatchObject({ mac, ministra: false })
    })

    test('do not count while months are paid, until these are taken back', async () => {
      const { dealer } = await trials.family({ credits: 5 })
      for (const start of [{ months: 0 }, { months: '2d' }, { ministra: true }] as const) {
        const { name, mac } = await trials.client(dealer, start)
        const tried = await triedMac()
        await dealer.call(save, {
          login: name,
          stb_mac: tried,
          o_mac: mac || null,
          ministra: false,
          months: 1,
        })
        expect(await dealer.call(detail, { name })).toMatchObject({ retrievable: 0, retrievals: [] })
        const retrieving = { login: name, credits: 1 }
        const { errors } = await dealer.refused('mac_had_trial', calls.clients.retrieve, retrieving)
        expect(errors).toHaveProperty('credits')
        // With another MAC they can be taken back, and that MAC has had its trial then.
        const fresh = uniqueMac()
        await dealer.call(save, { login: name, stb_mac: fresh, o_mac: tried })
        await dealer.call(calls.clients.retrieve, retrieving)
        await trials.admin.call(calls.admin.remove, { name })
        const other = (await trials.family()).dealer
        await other.refused('mac_had_trial', create, newClient({ stb_mac: fresh }))
        trials.clock.pass({ days: 30 })
      }
    })

    test('include a client of which all but today was taken back, though a month is paid', async () => {
      trials.clock.set('2027-03-15T12:00:00Z')
      const { dealer } = await trials.family({ credits: 2 })
      const { name, mac } = await trials.client(dealer, { months: 2 })
      trials.clock.set('2027-04-15T12:00:00Z')
      const tried = await triedMac()
      await dealer.call(...setMac(name, mac, tried))
      await dealer.refused('mac_had_trial', calls.clients.retrieve, { login: name, credits: 1 })
      const fresh = uniqueMac()
      await dealer.call(...setMac(name, tried, fresh))
      await dealer.call(calls.clients.retrieve, { login: name, credits: 1 })
      await dealer.refused('mac_had_trial', ...setMac(name, fresh, tried))
    })
  })

  test('given at the same time do not exceed the limit of the day', async () => {
    const { dealer } = await trials.family()
    const answers = await Promise.all(Array.from({ length: 6 }, () => dealer.send(create, newClient())))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  })

  test('are 20 a day where TRIALS_PER_DAY is not set', async () => {
    const usual = await openWorld()
    try {
      const { dealer } = await usual.family()
      for (let given = 0; given < 20; given += 1) await usual.client(dealer, { ministra: true })
      await dealer.refused('trials_used_up', create, newClient())
    } finally {
      await usual.close()
    }
  })
})

describe("a client's password", () => {
  test('can be read only by its own dealer, and is stored nowhere in clear', async () => {
    const { name } = await world.client(dealer, { password: 'planted-secret' })
    expect((await dealer.call(detail, { name })).password).toBe('planted-secret')
    await dealer.call(save, { login: name, password: 'planted-other' })
    expect((await dealer.call(detail, { name })).password).toBe('planted-other')
    for (const answer of [
      await dealer.send(list, { search: name }),
      await dealer.send(history, { name }),
      await world.admin.send(calls.admin.clients, { search: name }),
    ]) {
      expect(answer.text).toContain(name)
      expect(answer.text).not.toContain('planted')
    }
    expect([...(await world.stored()).values()].join()).not.toContain('planted')
    expect(world.server.logged.join()).not.toContain('planted')
  })

  test('is encrypted with a new nonce each time, so that equal passwords look different', async () => {
    const names = [await world.client(dealer), await world.client(dealer)].map(({ name }) => name)
    const rows = await world.server.sql<
      { password: Buffer }[]
    >`select password from client where name = any (${names})`
    expect(rows.map(({ password }) => password.length)).toEqual([42, 42])
    expect(rows[0]?.password.equals(rows[1]?.password ?? Buffer.alloc(0))).toBe(false)
  })
})

describe('a saved client', () => {
  const changes = [
    [{ password: 'new-secret' }, { password: 'new-secret' }],
    [{ desc: 'Kitchen' }, { description: 'Kitchen' }],
    [{ desc: '' }, { description: '' }],
    [{ phone: '+44 20 7946-0000' }, { phone: '+442079460000' }],
    [{ phone: '0044 20 7946-0000' }, { phone: '+442079460000' }],
    [{ phone: '+1 (416) 555-0199' }, { phone: '4165550199' }],
    [{ phone: '' }, { phone: '' }],
    [{ alt_player: true }, { alt_player: true }],
    [{ status: false }, { status: false }],
    [{ locked: true }, { locked: true }],
    [{ package_selection: 7 }, { package_selection: 7, tariff_plan: 'All Packages/No Adults' }],
    [{ ministra: true }, { ministra: true, mac: null, o_mac: null }],
    [
      { ministra: true, stb_mac: 'ignored' },
      { ministra: true, mac: null, o_mac: null },
    ],
    [{}, {}],
    [{ months: 0 }, {}],
  ] as const

  test.each(changes)('changes what is sent and nothing else: %j', async (change, expected) => {
    const { name, expiry } = await world.client(dealer, { desc: 'Hall', phone: '4165550199' })
    const before = await dealer.call(detail, { name })
    const credits = await balance(dealer)
    expect(await dealer.call(save, { login: name, ...change })).toEqual({
      status: 'OK',
      name,
      expiry,
      credits,
    })
    expect(await dealer.call(detail, { name })).toEqual({ ...before, ...expected })
    expect(await dealer.call(history, { name })).toHaveLength(1)
  })

  test.each<[string, unknown]>([
    ['password', 'abcd'],
    ['desc', 'x'.repeat(101)],
    ['phone', '1'.repeat(16)],
    ['package_selection', 6],
    ['months', 13],
    ['months', -1],
    ['months', '2d'],
    ['months', 0.5],
    ['status', 1],
    ['locked', null],
    ['alt_player', 'true'],
    ['ministra', 0],
    ['expiry', '2030-01-01'],
    ['created', '2030-01-01T00:00:00.000Z'],
  ])('has the limits of a new client: not %s %j', async (field, value) => {
    const { name } = await world.client(dealer)
    const before = await dealer.call(detail, { name })
    const answer = await dealer.send(save, { login: name, desc: 'Changed', [field]: value })
    expect(answer.body).toMatchObject({ code: 'invalid_input', errors: { [field]: expect.any(String) } })
    expect(await dealer.call(detail, { name })).toEqual(before)
  })

  test('gets paid months, by a row with the fields that were changed in the same call', async () => {
    const { name } = await world.client(dealer, { months: 1 })
    const before = await balance(dealer)
    const saved = await dealer.call(save, { login: name, months: 2, desc: 'Bought' })
    expect(saved).toEqual({ status: 'OK', name, expiry: '2026-08-15T23:59:59.000Z', credits: before - 2 })
    const [row] = await dealer.call(history, { name })
    expect(row).toMatchObject({ type: 'USED', credits: 2, description: 'Bought', expiry: saved.expiry })
  })

  test('keeps every field where the expiry is not the one that the editor saw', async () => {
    const { name, expiry } = await world.client(dealer, { months: 1 })
    const before = await balance(dealer)
    const saved = await dealer.call(save, { login: name, months: 1, expiry })
    for (const more of [{ months: 1 }, { months: 0 }, {}]) {
      const { message } = await dealer.refused('changed_since', save, {
        login: name,
        desc: 'Late',
        expiry,
        ...more,
      })
      expect(message).toContain(name)
    }
    expect(await dealer.call(detail, { name })).toMatchObject({ expiry: saved.expiry, description: '' })
    expect(await balance(dealer)).toBe(before - 1)
    await dealer.call(save, { login: name, desc: 'In time', expiry: saved.expiry })
  })

  test('changes nothing where the dealer has too few credits', async () => {
    const { dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer)
    const { message } = await dealer.refused('insufficient_credits', save, {
      login: name,
      months: 2,
      desc: 'Bought',
    })
    expect(message).toBe('You have 1 credit; this needs 2.')
    expect(await dealer.call(detail, { name })).toMatchObject({ description: '' })
  })

  test('takes a new MAC only together with the old one that the editor saw', async () => {
    const { name, mac } = await world.client(dealer)
    const other = uniqueMac()
    const { errors } = await dealer.refused('invalid_input', save, { login: name, stb_mac: other })
    expect(errors).toHaveProperty('o_mac')
    for (const o_mac of [uniqueMac(), '', null]) {
      const { message } = await dealer.refused('changed_since', save, {
        login: name,
        stb_mac: other,
        o_mac,
        desc: 'No',
      })
      expect(message).toBe(`The MAC address was changed in the meantime, to ${mac}. Please look again.`)
    }
    expect(await dealer.call(detail, { name })).toMatchObject({ mac, description: '' })
    await dealer.call(save, { login: name, stb_mac: other.toLowerCase(), o_mac: mac.toLowerCase() })
    expect(await dealer.call(detail, { name })).toMatchObject({ mac: other, o_mac: other })
  })

  test('loses no MAC to a switch to Ministra by an editor who saw another one', async () => {
    const { name, mac } = await world.client(dealer)
    const seen = { login: name, ministra: true, stb_mac: mac, o_mac: uniqueMac() }
    expect((await dealer.refused('changed_since', save, seen)).message).toContain(mac)
    expect(await dealer.call(detail, { name })).toMatchObject({ mac, ministra: false })
    await dealer.call(save, { ...seen, o_mac: mac })
    expect(await dealer.call(detail, { name })).toMatchObject({ mac: null, ministra: true })
  })

  test.each([null, '', '00:1B:79:00:00:00', 'short'])('cannot have the MAC %j', async (stb_mac) => {
    const { name, mac } = await world.client(dealer)
    const { errors } = await dealer.refused('invalid_input', save, { login: name, stb_mac, o_mac: mac })
    expect(errors).toHaveProperty('stb_mac')
  })

  test("cannot have another client's MAC", async () => {
    const taken = await world.client((await world.family()).dealer)
    const { name, mac } = await world.client(dealer)
    const { errors } = await dealer.refused('mac_taken', save, {
      login: name,
      stb_mac: taken.mac,
      o_mac: mac,
    })
    expect(errors).toEqual({ stb_mac: 'This MAC address is taken.' })
  })

  test("is told which of the dealer's own clients has the MAC, and can keep its own", async () => {
    const other = await world.client(dealer)
    const { name, mac } = await world.client(dealer)
    const { errors } = await dealer.refused('mac_taken', save, {
      login: name,
      stb_mac: other.mac,
      o_mac: mac,
    })
    expect(errors).toEqual({ stb_mac: `This MAC address is taken by your client ${other.name}.` })
    await dealer.call(save, { login: name, stb_mac: mac, o_mac: mac })
  })

  test('that leaves Ministra needs a MAC', async () => {
    const { name } = await world.client(dealer, { ministra: true })
    const { errors } = await dealer.refused('invalid_input', save, { login: name, ministra: false })
    expect(errors).toHaveProperty('stb_mac')
    for (const o_mac of [null, ''] as const) {
      const stb_mac = uniqueMac()
      await dealer.call(save, { login: name, ministra: false, stb_mac, o_mac })
      expect(await dealer.call(detail, { name })).toMatchObject({ ministra: false, mac: stb_mac })
      await dealer.call(save, { login: name, ministra: true })
    }
  })

  test('that has expired can only be renewed, and its other fields stay', async () => {
    const { name } = await world.client(dealer, { desc: 'Hall' })
    await world.setExpiry(name, '2026-05-01T23:59:59.000Z')
    const before = await dealer.call(detail, { name })
    for (const more of [{}, { months: 0 }, { desc: 'Changed' }] as const) {
      const { errors } = await dealer.refused('client_expired', save, { login: name, ...more })
      expect(errors).toHaveProperty('months')
    }
    const everything = {
      desc: 'Changed',
      password: 'changed',
      status: false,
      locked: true,
      ministra: true,
      phone: '1',
    }
    const { expiry } = await dealer.call(save, { login: name, months: 1, ...everything })
    expect(expiry).toBe('2026-06-15T23:59:59.000Z')
    expect(await dealer.call(detail, { name })).toEqual({ ...before, expiry, retrievable: 0 })
  })
})

describe("a client's device", () => {
  test('stays as it is while the client has expired', async () => {
    const { name } = await world.client(dealer)
    await plugIn(name)
    await world.setExpiry(name, '2026-05-01T23:59:59.000Z')
    await dealer.refused('client_expired', reset, { name })
    expect(await dealer.call(detail, { name })).toMatchObject(DEVICE)
  })

  test('is shown as its box reported it, and as online for five minutes after its last poll', async () => {
    const { name } = await world.client(dealer)
    await plugIn(name)
    expect(await dealer.call(detail, { name })).toMatchObject({ ...DEVICE, online: true })
    await world.server.sql`
      update presence set polled = ${new Date(world.clock.now.getTime() - 300_000)}
      where client = (select id from client where name = ${name})`
    expect(await dealer.call(detail, { name })).toMatchObject({ online: false })
  })

  test.each([
    ['a reset', true, (name: string) => dealer.call(reset, { name })],
    ['a switch to Ministra', true, (name: string) => dealer.call(save, { login: name, ministra: true })],
    [
      'a new MAC',
      true,
      async (name: string) => {
        const { mac } = await dealer.call(detail, { name })
        await dealer.call(save, { login: name, stb_mac: uniqueMac(), o_mac: mac })
      },
    ],
    [
      'the same MAC',
      false,
      async (name: string) => {
        const { mac } = await dealer.call(detail, { name })
        await dealer.call(save, { login: name, stb_mac: mac, o_mac: mac, desc: 'Same' })
      },
    ],
    ['a renewal', false, (name: string) => dealer.call(save, { login: name, months: 1 })],
  ])('after %s is forgotten: %s', async (_what, forgotten, change) => {
    const { name } = await world.client(dealer)
    await plugIn(name)
    await change(name)
    expect(await dealer.call(detail, { name })).toMatchObject(
      forgotten ? { ...NO_DEVICE, online: false } : DEVICE,
    )
  })

  async function plugIn(name: string): Promise<void> {
    const { sql } = world.server
    const [client] = await sql<{ id: number }[]>`select id from client where name = ${name}`
    const { watching, last_active: polled, last_address: address, ...told } = DEVICE
    await sql`insert into device ${sql({ client: client?.id ?? 0, ...told })}`
    const seen = { client: client?.id ?? 0, watching, address, polled, answered: polled }
    await sql`insert into presence ${sql(seen)}`
  }
})

describe('a removed client', () => {
  test('has expired: one that has not is not removed', async () => {
    const { name, expiry } = await world.client(dealer)
    const { message } = await dealer.refused('client_not_expired', remove, { name })
    expect(message).toBe('Only an expired client can be deleted.')
    expect((await dealer.call(detail, { name })).expiry).toBe(expiry)
  })

  test('must have the MAC that the person saw, where the call sends one', async () => {
    const { name, mac } = await world.client(dealer)
    await world.setExpiry(name, '2026-05-01T23:59:59.000Z')
    const { message } = await dealer.refused('changed_since', remove, { name, mac: uniqueMac() })
    expect(message).toBe(`The MAC address of ${name} is ${mac} now.`)
    await dealer.refused('changed_since', remove, { name, mac: null })
    expect((await dealer.call(detail, { name })).mac).toBe(mac)
    await dealer.call(remove, { name, mac: mac.toLowerCase() })
    await dealer.refused('not_found', detail, { name })
  })

  test('must have the expiry that the person saw, where the call sends one', async () => {
    const { name, expiry } = await world.client(dealer)
    const expired = '2026-05-01T23:59:59.000Z'
    await world.setExpiry(name, expired)
    await dealer.refused('changed_since', remove, { name, expiry })
    await dealer.call(remove, { name, expiry: expired })
  })

  test('is on no list, frees its login and MAC, and keeps its history', async () => {
    const { dealer, reseller } = await world.family({ credits: 1 })
    const { name, mac } = await world.client(dealer, { months: 1, desc: 'Hall', phone: '912345678' })
    await world.setExpiry(name, '2026-05-01T23:59:59.000Z')
    await dealer.call(remove, { name: name.toUpperCase() })
    await dealer.refused('not_found', detail, { name })
    await dealer.refused('not_found', history, { name })
    await dealer.refused('not_found', remove, { name })
    expect((await dealer.call(list)).count).toBe(0)
    const rows = await reseller.call(calls.desk.reseller.transactions)
    expect(rows.slice(0, 2)).toEqual([
      expect.objectContaining({
        type: 'DELETE',
        credits: 0,
        login: name,
        mac,
        description: 'Hall',
        actor: dealer.name,
        expiry: '2026-05-01T23:59:59.000Z',
      }),
      expect.objectContaining({ type: 'USED', credits: 1, login: name, mac, description: 'Hall' }),
    ])
    const [row] = await world.server.sql`
      select password, phone, description from client where name = ${name}`
    expect(row).toEqual({ password: null, phone: '', description: '' })
    // A new client with the old login starts empty.
    await world.client(dealer, { login: name, stb_mac: mac, ministra: false })
    expect(await dealer.call(history, { name })).toEqual([expect.objectContaining({ type: 'TRIAL' })])
    expect(await dealer.call(detail, { name })).toMatchObject({ description: '', retrievable: 0 })
    await dealer.refused('not_retrievable', calls.clients.retrieve, { login: name, credits: 1 })
  })
})

test("another dealer's client is not found by any call", async () => {
  const { name } = await world.client(dealer, { months: 1 })
  const stranger = (await world.family({ credits: 5 })).dealer
  for (const client of [name, unique()]) {
    await stranger.refused('not_found', detail, { name: client })
    await stranger.refused('not_found', history, { name: client })
    await stranger.refused('not_found', save, { login: client, desc: 'Mine' })
    await stranger.refused('not_found', remove, { name: client })
    await stranger.refused('not_found', reset, { name: client })
  }
})

const DEVICE = {
  stb_sn: '092018N000001',
  stb_type: 'MAG322',
  version: '2.20.05',
  watching: 'RTP 1',
  locked_to_ip: '203.0.113.7',
  last_address: '203.0.113.7',
  last_active: '2026-05-15T09:58:00.000Z',
  time_last_play_tv: '2026-05-15T09:57:00.000Z',
  time_last_play_video: '2026-05-14T20:00:00.000Z',
  last_played_tv_content: 'RTP 1',
  last_played_vod_content: 'Night Ferry',
}
const NO_DEVICE = Object.fromEntries(Object.keys(DEVICE).map((field) => [field, null]))

async function balance(person: Person): Promise<number> {
  return (await person.call(calls.credits.dealer)).credits
}

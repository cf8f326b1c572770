import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../support/box.ts'
import { expect, fill, test } from '../support/browser.ts'
import { givePlaylist, letHold } from '../support/playlist.ts'
import { type Person, uniqueMac, type World } from '../support/world.ts'

/** How often a box polls, in milliseconds. */
const POLL = 120_000
/** How soon a box that is refused, and still gets messages, asks for them. */
const AGAIN = 30_000
/** How often it polls while it is refused before it asks for the reason again. */
const POLLS_OUT = 5

const PLAYLIST = `#EXTM3U
#EXTINF:-1 tvg-id="one" tvg-chno="1" group-title="News",News One
http://streams.example/one?token={token}
#EXTINF:-1 tvg-id="two" tvg-chno="2" group-title="News",<b>Two</b> & more
http://streams.example/two
#EXTINF:-1 tvg-id="far" tvg-chno="123456" group-title="News",Far away
http://streams.example/far
`

/** The same with another channel before the second one. */
const LONGER = PLAYLIST.replace(
  '#EXTINF:-1 tvg-id="two" tvg-chno="2"',
  `#EXTINF:-1 tvg-id="added" tvg-chno="2" group-title="News",Added
http://streams.example/added
#EXTINF:-1 tvg-id="two" tvg-chno="3"`,
)

interface Opener {
  open(url: string): Promise<Page>
}

declare global {
  interface Window {
    /** What the stand-in for a box's player was told to play; 'stopped' where it was stopped. */
    played: string[]
    /** What else it was told. */
    told: string[]
    /** What its player calls when a picture begins, ends or fails. */
    stbEvent: { onEvent(event: number): void }
  }
}

describe('on the page of the boxes, a box', () => {
  test('signs in, plays, goes up and down, and to a number', async ({ windows, world }) => {
    const { page } = await openPlaying(windows, world)
    await expect.poll(() => played(page)).toEqual([expect.stringMatching(/^ffmpeg http:.+one\?token=\S+$/)])
    await page.keyboard.press('ArrowUp')
    await expect(page.getByRole('status')).toHaveText('2 <b>Two</b> & more')
    await expect.poll(() => played(page).then((all) => all.at(-1))).toBe('ffmpeg http://streams.example/two')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('status')).toHaveText('123456 Far away')
    await page.keyboard.press('2')
    await expect(page.getByRole('status')).toHaveText('2')
    await forward(page, 2_000)
    await expect(page.getByRole('status')).toHaveText('2 <b>Two</b> & more')
    await forward(page, 4_000)
    await expect(page.getByRole('status')).toHaveText('')
    await page.keyboard.type('123456')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('123456 Far away')
  })

  test('signs in with older firmware too, which knows fewer questions and ends each answer with a new line', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world, { isOld: true })
    await expect.poll(() => played(page)).toHaveLength(1)
    expect(await dealer.call(calls.clients.detail, { name })).toMatchObject({
      stb_sn: '012010N0250438',
      stb_type: 'MAG250',
      version: 'ImageDescription: 0.2.18-r23; ImageDate: Tue Nov 1',
    })
  })

  test('is made louder and silent by the keys of a remote, and put to standby, in which it plays and shows nothing', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    const { detail, tell, told: toldBy } = calls.clients
    await expect.poll(() => played(page)).toHaveLength(1)
    for (const [key, says] of [
      [LOUDER, 'Volume 95'],
      [LOUDER, 'Volume 100'],
      [LOUDER, 'Volume 100'],
      [MUTE, 'Sound off'],
      [QUIETER, 'Volume 95'],
      [MUTE, 'Sound off'],
      [MUTE, 'Volume 95'],
    ] as const) {
      await page.keyboard.press(key)
      await expect(page.getByRole('status')).toHaveText(says)
    }
    await page.keyboard.press(POWER)
    expect((await told(page)).at(-1)).toBe('StandBy true')
    expect((await played(page)).at(-1)).toBe('stopped')
    await dealer.call(tell, { clients: [name], event: 'message', message: 'Good morning' })
    world.clock.pass({ seconds: 5 })
    await page.keyboard.press('ArrowUp')
    await answered(page, 'get_events', () => forward(page, POLL))
    await world.server.gateway.write()
    expect(await dealer.call(detail, { name })).toMatchObject({ watching: null, online: true })
    expect(await dealer.call(toldBy, { name })).toMatchObject([{ state: 'sent' }])
    expect((await played(page)).slice(1)).toEqual(['stopped'])
    const message = page.getByRole('dialog', { name: 'Good morning' })
    await expect(message).toBeHidden()
    await page.keyboard.press(POWER)
    expect((await told(page)).at(-1)).toBe('StandBy false')
    await expect(message).toBeVisible()
    await expect.poll(() => played(page).then((all) => all.at(-1))).toMatch(/one\?token=/)
    await expect.poll(async () => (await dealer.call(toldBy, { name }))[0]?.state).toBe('shown')
    await page.keyboard.press(POWER)
    // As where its dealer has it reload.
    await answered(page, 'get_all_channels', async () => {
      await page.reload()
    })
    expect(await played(page)).toEqual([])
    await page.keyboard.press(POWER)
    await expect.poll(() => played(page)).toHaveLength(1)
    // A box that the television woke, or that never tells that it is in standby, is woken all the same.
    await page.keyboard.press(POWER)
    await page.evaluate(() => sessionStorage.setItem('asleep', 'false'))
    await page.keyboard.press(POWER)
    expect((await told(page)).at(-1)).toBe('StandBy false')
    await expect.poll(() => played(page).then((all) => all.at(-1))).toMatch(/one\?token=/)
  })

  test('stays with its channel where the list changes: at the end of a picture, up and down, and let in again', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    const polls = async () => {
      world.clock.pass({ seconds: 5 })
      await forward(page, POLL)
    }
    const last = () => played(page).then((all) => all.at(-1))
    await page.keyboard.press('ArrowUp')
    await expect.poll(last).toBe('ffmpeg http://streams.example/two')

    await givePlaylist(world, LONGER)
    const listed = countOf(page, 'get_all_channels')
    // It is told of the list once, and asks until that has come.
    await abortFirst(page, 'get_all_channels')
    await polls()
    await expect.poll(listed).toBe(1)
    await forward(page, 30_000)
    await expect.poll(listed).toBe(2)
    await settle(page)
    await tellOf(page, ENDED)
    await forward(page, 3_000)
    await expect(page.getByRole('status')).toHaveText('3 <b>Two</b> & more')
    await page.keyboard.press('ArrowUp')
    await expect.poll(last).toBe('ffmpeg http://streams.example/far')

    // A list that comes while a link is under way makes nothing of it.
    await givePlaylist(world, PLAYLIST)
    // Its next poll tells of the list.
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL - 5_000)
    const answer = await holdNext(page, 'create_link')
    await page.keyboard.press('ArrowDown')
    await page.clock.fastForward(5_000)
    await expect.poll(listed).toBe(3)
    await answer()
    await expect.poll(last).toBe('ffmpeg http://streams.example/two')

    await dealer.call(calls.clients.save, { login: name, status: false })
    await polls()
    await expect.poll(last).toBe('stopped')
    await givePlaylist(world, LONGER)
    await dealer.call(calls.clients.save, { login: name, status: true })
    await polls()
    await expect.poll(last).toBe('ffmpeg http://streams.example/two')
  })

  test('that has expired reads so, and is let in by itself once it was renewed', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    world.clock.pass({ days: 40 })
    await forward(page, POLL)
    await expect(page.getByRole('alert').first()).toHaveText(
      'Your subscription has expired. Please contact your provider.',
    )
    expect((await played(page)).at(-1)).toBe('stopped')
    const { token } = await world.signIn(dealer.name)
    await world.nobody(token).call(calls.clients.renew, { name, months: 1 })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByRole('status')).toHaveText('1 News One')
    await expect.poll(() => played(page).then((all) => all.at(-1))).toMatch(/one\?token=/)
  })

  test('shows a message over the picture and says so, and is cut off and let in again by its polls', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    const { tell, told, save } = calls.clients
    await dealer.call(tell, { clients: [name], event: 'message', message: '<i>Pay</i> by Friday' })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByText('<i>Pay</i> by Friday')).toBeVisible()
    await expect.poll(async () => (await dealer.call(told, { name }))[0]?.state).toBe('shown')
    const signIns = countOf(page, 'get_profile')
    await dealer.call(save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByRole('alert').first()).toHaveText(/^Your service is switched off/)
    const polled = page.waitForResponse('**/load.php')
    await forward(page, POLL)
    await polled
    expect(signIns()).toBe(1)
    await dealer.call(save, { login: name, status: true })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByRole('status')).toHaveText('1 News One')
    expect(signIns()).toBe(2)
  })

  test('shows messages one after the other, each once the one before was read, and says so only then', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    const { tell, told } = calls.clients
    const states = async () => (await dealer.call(told, { name })).map(({ state }) => state).reverse()
    for (const message of ['first', 'second', 'third'])
      await dealer.call(tell, { clients: [name], event: 'message', message })
    world.clock.pass({ seconds: 5 })
    for (const others of [
      ['waiting', 'waiting'],
      ['sent', 'waiting'],
      ['sent', 'sent'],
    ]) {
      await answered(page, 'get_events', () => forward(page, POLL))
      await expect(page.getByRole('dialog', { name: 'first' })).toBeVisible()
      await expect.poll(states).toEqual(['shown', ...others])
    }
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'second' })).toBeVisible()
    await expect.poll(states).toEqual(['shown', 'shown', 'sent'])
    await page.getByRole('button', { name: 'OK' }).click()
    await expect(page.getByRole('dialog', { name: 'third' })).toBeVisible()
    await expect.poll(states).toEqual(['shown', 'shown', 'shown'])
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeHidden()
  })

  test('loses no message that nobody has read by a reload, and shows none again that somebody has', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    const { tell } = calls.clients
    for (const message of ['first', 'second'])
      await dealer.call(tell, { clients: [name], event: 'message', message })
    await dealer.call(tell, { clients: [name], event: 'reload' })
    world.clock.pass({ seconds: 5 })
    for (let event = 0; event < 2; event += 1) await answered(page, 'get_events', () => forward(page, POLL))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'second' })).toBeVisible()
    await answered(page, 'get_all_channels', () => forward(page, POLL))
    await expect(page.getByRole('dialog', { name: 'second' })).toBeVisible()
    await page.keyboard.press('Enter')
    await answered(page, 'get_all_channels', async () => {
      await page.reload()
    })
    await expect(page.getByRole('dialog')).toBeHidden()
  })

  test.for(['goes on', 'is switched off and on'])(
    'shows no message of its last client to the next one, whose it is while it %s',
    async (how, { windows, world }) => {
      const { dealer, name, mac } = await newClient(world)
      const page = await openBox(windows, world, { mac })
      await expect(page.getByRole('status')).toHaveText('1 News One')
      await settle(page)
      await dealer.call(calls.clients.tell, { clients: [name], event: 'message', message: 'You owe us' })
      world.clock.pass({ seconds: 5 })
      await answered(page, 'get_events', () => forward(page, POLL))
      const message = page.getByRole('dialog', { name: 'You owe us' })
      await expect(message).toBeVisible()
      await dealer.call(calls.clients.save, { login: name, o_mac: mac, stb_mac: uniqueMac() })
      const { dealer: other } = await world.family({ credits: 1 })
      await world.client(other, { stb_mac: mac })
      world.clock.pass({ seconds: 5 })
      await answered(page, 'get_all_channels', async () => {
        if (how === 'goes on') await forward(page, POLL)
        else await page.reload()
      })
      await expect(message).toBeHidden()
    },
  )

  test('that is switched on while it is refused gets its messages, and reads the reason of now', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    const { save, tell, told } = calls.clients
    const polls = async () => {
      world.clock.pass({ seconds: 5 })
      await answered(page, 'get_events', () => forward(page, POLL))
    }
    await dealer.call(save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    await page.reload()
    const reason = page.getByRole('alert').first()
    await expect(reason).toHaveText(/^Your service is switched off/)
    await dealer.call(tell, { clients: [name], event: 'message', message: 'Please call us' })
    // Soon after it was refused: a reboot waits for four minutes only.
    world.clock.pass({ seconds: 5 })
    await answered(page, 'get_events', () => forward(page, AGAIN))
    const message = page.getByRole('dialog', { name: 'Please call us' })
    await expect(message).toBeVisible()
    await expect.poll(async () => (await dealer.call(told, { name }))[0]?.state).toBe('shown')
    await world.setExpiry(name, world.clock.now.toISOString())
    await dealer.call(save, { login: name, status: true })
    for (let more = 1; more < POLLS_OUT; more += 1) await polls()
    await answered(page, 'get_profile', () => forward(page, POLL))
    await expect(reason).toHaveText(/^Your subscription has expired/)
    await expect(message).toBeVisible()
    await page.keyboard.press('Enter')
    await dealer.call(calls.clients.renew, { name, months: 1 })
    await polls()
    await expect(page.getByRole('status')).toHaveText('1 News One')
  })

  test('of a Ministra client asks for its login, by the keys of a remote', async ({ windows, world }) => {
    await givePlaylist(world, PLAYLIST)
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'by-login', password: 'tv-secret', months: 1, ministra: true })
    const page = await openBox(windows, world)
    const [login, password] = [page.getByLabel('Login'), page.getByLabel('Password')]
    await expect(login).toBeFocused()
    const keyboards = () =>
      told(page).then((all) => all.filter((word) => word === 'ShowVirtualKeyboard').length)
    expect(await told(page)).toContain('EnableVKButton true')
    // A remote has no letters, so that OK opens the keyboard of the box, into which somebody types.
    await page.keyboard.press('Enter')
    expect(await keyboards()).toBe(1)
    await page.keyboard.type('by-loginn')
    const tries = countOf(page, 'do_auth')
    await page.keyboard.press('Enter')
    await expect(password).toBeFocused()
    await page.keyboard.press('Enter')
    expect(await keyboards()).toBe(2)
    await page.keyboard.press('ArrowUp')
    await expect(login).toBeFocused()
    await page.keyboard.press(KEYBOARD)
    expect(await keyboards()).toBe(3)
    await page.keyboard.press('End')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(password).toBeFocused()
    expect(tries()).toBe(0)
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await expect(page.getByText('The login or the password is wrong.')).toBeVisible()
    await expect(password).toBeFocused()
    // It is typed anew, and OK makes no try of what was wrong.
    await page.keyboard.press('Enter')
    expect([await keyboards(), tries()]).toEqual([4, 1])
    await fill(page.locator('form'), { Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('1 News One')
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain('tv-secret')
    // As after the power was off, or where the dealer has it rebooted.
    await page.reload()
    await expect(page.getByRole('status')).toHaveText('1 News One')
    await expect(page.getByLabel('Login')).toBeHidden()
  })

  test('whose login has expired is taken to another one by OK, and back to what it reads by Exit', async ({
    windows,
    world,
  }) => {
    await givePlaylist(world, PLAYLIST)
    const { dealer } = await world.family({ credits: 5 })
    const ministra = { password: 'tv-secret', months: 1, ministra: true }
    const { name: expired } = await world.client(dealer, ministra)
    const { name: next } = await world.client(dealer, ministra)
    const page = await openBox(windows, world)
    const [login, password] = [page.getByLabel('Login'), page.getByLabel('Password')]
    await fill(page.locator('form'), { Login: expired, Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('1 News One')
    await world.setExpiry(expired, world.clock.now.toISOString())
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    const reason = page.getByText(
      'Your subscription has expired. Please contact your provider. To sign in with another login, press OK.',
    )
    await expect(reason).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(login).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(reason).toBeVisible()
    await expect(login).toBeHidden()
    await page.keyboard.press('Enter')
    await fill(page.locator('form'), { Login: next, Password: 'wrong' })
    await page.keyboard.press('Enter')
    await expect(page.getByText('The login or the password is wrong.')).toBeVisible()
    // The form stays, also where it asks by itself.
    await answered(page, 'get_profile', () => forward(page, POLL))
    await expect(password).toBeFocused()
    await expect(login).toHaveValue(next)
    await fill(page.locator('form'), { Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('1 News One')
    await expect(login).toBeHidden()
  })

  test('that is out closes a message by OK, and only then asks for another login', async ({
    windows,
    world,
  }) => {
    const { page, dealer, login, name } = await openLoggedIn(windows, world)
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    const reason = page.getByText(
      /^Your service is switched off.* To sign in with another login, press OK\.$/,
    )
    await expect(reason).toBeVisible()
    await dealer.call(calls.clients.tell, { clients: [name], event: 'message', message: 'Please call us' })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    const message = page.getByRole('dialog', { name: 'Please call us' })
    await expect(message).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(message).toBeHidden()
    await expect(reason).toBeVisible()
    await expect(login).toBeHidden()
    await page.keyboard.press('Enter')
    await expect(login).toBeFocused()
  })

  test('that is out goes on to a client that was reset since it signed in, by a new token', async ({
    windows,
    world,
  }) => {
    const { page, dealer, login, name } = await openLoggedIn(windows, world)
    const next = await resetClient(world, dealer)
    await world.setExpiry(name, world.clock.now.toISOString())
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByText(/^Your subscription has expired.* press OK\.$/)).toBeVisible()
    await page.keyboard.press('Enter')
    await fill(page.locator('form'), { Login: next, Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('1 News One')
    await expect(login).toBeHidden()
  })

  test('that is out reads why it may not go on to a client that was reset since it signed in', async ({
    windows,
    world,
  }) => {
    const { page, dealer, login, name } = await openLoggedIn(windows, world)
    const next = await resetClient(world, dealer)
    await dealer.call(calls.clients.save, { login: name, locked: true })
    await world.server.ownerSql`
      update device set locked_to_ip = '203.0.113.9' where client = (select id from client where name = ${name})`
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByText(/^Your service is locked to another connection.* press OK\.$/)).toBeVisible()
    await page.keyboard.press('Enter')
    await fill(page.locator('form'), { Login: next, Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert').first()).toHaveText(
      'This box is signed in to another service. Please contact your provider.',
    )
    await expect(login).toBeHidden()
  })

  test('that is asked for a login is let in by itself once its MAC is registered, and keeps what was typed until then', async ({
    windows,
    world,
  }) => {
    await givePlaylist(world, PLAYLIST)
    const { dealer } = await world.family({ credits: 5 })
    const mac = uniqueMac()
    const page = await openBox(windows, world, { mac })
    const [login, password] = [page.getByLabel('Login'), page.getByLabel('Password')]
    await expect(login).toBeFocused()
    const which = `This box is not signed in (${mac}). Sign in, or tell your provider this number.`
    await expect(page.getByText(which)).toBeVisible()
    await fill(page.locator('form'), { Login: 'somebody', Password: 'half a pass' })
    const asked = countOf(page, 'get_profile')
    const keeps = async () => {
      await expect(login).toHaveValue('somebody')
      await expect(password).toHaveValue('half a pass')
      await expect(password).toBeFocused()
    }
    await answered(page, 'get_profile', () => forward(page, POLL))
    await keeps()
    await abortFirst(page, 'handshake')
    const lost = page.waitForEvent('requestfailed')
    await forward(page, POLL)
    await lost
    const away = page.getByText('The service cannot be reached. This box keeps trying.')
    await expect(away).toBeVisible()
    await answered(page, 'get_profile', () => forward(page, 30_000))
    await expect(away).toBeHidden()
    await keeps()
    expect(asked()).toBe(2)
    await world.client(dealer, { months: 1, stb_mac: mac })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByRole('status')).toHaveText('1 News One')
    await expect(login).toBeHidden()
  })

  test('that logs in while it asks by itself whether it is known is in, whichever answer comes last', async ({
    windows,
    world,
  }) => {
    await givePlaylist(world, PLAYLIST)
    const { dealer } = await world.family({ credits: 5 })
    const { name } = await world.client(dealer, { password: 'tv-secret', months: 1, ministra: true })
    const page = await openBox(windows, world)
    await expect(page.getByLabel('Login')).toBeFocused()
    const answer = await holdNext(page, 'handshake')
    await forward(page, POLL)
    await fill(page.locator('form'), { Login: name, Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('1 News One')
    const signIns = countOf(page, 'get_profile')
    await answer()
    await answered(page, 'get_events', () => forward(page, POLL))
    await expect(page.getByLabel('Login')).toBeHidden()
    expect(signIns()).toBe(0)
  })

  test('whose right login comes too early after wrong ones reads why, and is asked again once it may try', async ({
    windows,
    world,
  }) => {
    await givePlaylist(world, PLAYLIST)
    const { dealer } = await world.family({ credits: 5 })
    const { name } = await world.client(dealer, { password: 'tv-secret', months: 1, ministra: true })
    const mac = uniqueMac()
    const page = await openBox(windows, world, { mac })
    await expect(page.getByLabel('Login')).toBeFocused()
    const neighbour = new Box(world.server, { mac })
    for (const status of [2, 2, 1]) expect(await neighbour.logIn(name, 'guessed')).toBe(status)
    const form = page.locator('form')
    await fill(form, { Login: name, Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert').first()).toHaveText(
      'There were too many tries to log in. Please try again in 15 minutes.',
    )
    await expect(form).toBeHidden()
    world.clock.pass({ minutes: 15 })
    await forward(page, POLL)
    await expect(page.getByLabel('Login')).toBeFocused()
    await fill(form, { Login: name, Password: 'tv-secret' })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText('1 News One')
  })

  test('that cannot reach the service goes on playing, and says so only where it is not in', async ({
    windows,
    world,
  }) => {
    const { page } = await openPlaying(windows, world)
    await page.route('**/load.php', (route) => route.abort())
    const lost = page.waitForEvent('requestfailed')
    await forward(page, POLL)
    await lost
    await settle(page)
    await expect(page.getByRole('alert').first()).toHaveText('')
    expect(await played(page)).not.toContain('stopped')
    await page.reload()
    await expect(page.getByRole('alert').first()).toHaveText(
      'The service cannot be reached. This box keeps trying.',
    )
    await page.unrouteAll()
    await forward(page, 30_000)
    await expect(page.getByRole('status')).toHaveText('1 News One')
  })

  test('plays on, and asks with pauses, while something on the way answers every call by a page of its own', async ({
    windows,
    world,
  }) => {
    const { page } = await openPlaying(windows, world)
    await expect.poll(() => played(page)).toHaveLength(1)
    await page.route('**/load.php', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>Welcome to this network</p>' }),
    )
    const answers = answersOf(page)
    await forward(page, POLL)
    for (let pause = 1; pause <= 4; pause += 1) {
      // A poll, and a handshake at once.
      await expect.poll(answers).toBe(2 * pause)
      await forward(page, 30_000)
    }
    await expect.poll(answers).toBe(10)
    await page.unrouteAll()
    await forward(page, 30_000)
    await expect.poll(answers).toBe(11)
    expect(await played(page)).toHaveLength(1)
  })

  test('signs in at once only once between two polls, though its calls are refused all the same', async ({
    windows,
    world,
  }) => {
    const { page } = await openPlaying(windows, world)
    await expect.poll(() => played(page)).toHaveLength(1)
    let hasNoList = false
    await page.route('**/load.php', (route) => {
      const body = route.request().postData()
      if (body?.includes('action=create_link'))
        return route.fulfill({ contentType: 'text/plain', body: 'Authorization failed.' })
      return hasNoList && body?.includes('action=get_all_channels') ? route.abort() : route.continue()
    })
    const [signIns, links] = [countOf(page, 'get_profile'), answersOf(page, 'create_link')]
    for (let polls = 1; polls <= 3; polls += 1) {
      await page.keyboard.press('ArrowUp')
      await expect.poll(links).toBe(2 * polls)
      await answered(page, 'get_events', () => forward(page, 30_000))
      expect(signIns()).toBe(polls)
    }
    // The list that it asks for once it is in may be another one, and is asked for until it has come.
    hasNoList = true
    const lost = page.waitForEvent('requestfailed')
    await page.keyboard.press('ArrowUp')
    await lost
    hasNoList = false
    await answered(page, 'get_all_channels', () => forward(page, 30_000))
  })

  test('plays by itself after its first list of channels or its first link has failed', async ({
    windows,
    world,
  }) => {
    for (const lost of ['get_all_channels', 'create_link']) {
      const { mac } = await newClient(world)
      const page = await openBox(windows, world, { mac, loses: lost })
      expect(await played(page), lost).toEqual([])
      await forward(page, 30_000)
      await expect(page.getByRole('status')).toHaveText('1 News One')
      await expect.poll(() => played(page), lost).toEqual([expect.stringMatching(/one\?token=/)])
    }
  })

  test('begins a picture again by itself once its channel is back, or all channels are', async ({
    windows,
    world,
  }) => {
    const { page } = await openPlaying(windows, world)
    const last = () => played(page).then((all) => all.at(-1))
    const polls = async () => {
      world.clock.pass({ seconds: 5 })
      await forward(page, POLL)
    }
    await page.keyboard.press('ArrowUp')
    await expect.poll(last).toBe('ffmpeg http://streams.example/two')
    // Its list still has the channel.
    await letHold(world, 1, [])
    world.clock.pass({ seconds: 5 })
    await tellOf(page, ENDED)
    await forward(page, 3_000)
    await expect(page.getByRole('status')).toHaveText(
      '<b>Two</b> & more: This channel cannot be played at the moment.',
    )
    await expect.poll(last).toBe('stopped')
    await letHold(world, 1, ['News'])
    await polls()
    await expect.poll(last).toBe('ffmpeg http://streams.example/two')

    await letHold(world, 1, [])
    const listed = countOf(page, 'get_all_channels')
    await polls()
    await expect.poll(listed).toBe(1)
    await tellOf(page, ENDED)
    await forward(page, 6_000)
    await expect.poll(last).toBe('stopped')
    await letHold(world, 1, ['News'])
    await polls()
    await expect.poll(last).toMatch(/streams\.example/)
  })

  test('begins a picture that ended again by a new link, after a pause that grows until one has played for a while', async ({
    windows,
    world,
  }) => {
    const { page } = await openPlaying(windows, world)
    const links = async (many: number) => {
      await expect.poll(() => played(page)).toHaveLength(many)
      // The next link is another one.
      world.clock.pass({ seconds: 1 })
    }
    await links(1)
    for (const [event, pause, many] of [
      [ENDED, 3_000, 2],
      [FAILED, 6_000, 3],
    ] as const) {
      await tellOf(page, event)
      await tellOf(page, FAILED)
      await forward(page, pause - 2_900)
      await settle(page)
      expect(await played(page)).toHaveLength(many - 1)
      await forward(page, 2_900)
      await links(many)
    }
    expect(new Set(await played(page)).size).toBe(3)
    // One that goes on by itself is left alone.
    await tellOf(page, ENDED)
    await expect(page.getByRole('status')).toHaveText(
      'News One: This channel cannot be played at the moment.',
    )
    await tellOf(page, PLAYS)
    await expect(page.getByRole('status')).toHaveText('')
    await forward(page, 60_000)
    await settle(page)
    expect(await played(page)).toHaveLength(3)
    // The server of its link is away too, at first.
    await abortFirst(page, 'create_link')
    const lost = page.waitForEvent('requestfailed')
    await tellOf(page, ENDED)
    await forward(page, 3_000)
    await lost
    await forward(page, 6_000)
    await links(4)
  })

  test('says on its screen that the channel cannot be played while its picture fails again and again', async ({
    windows,
    world,
  }) => {
    const { page } = await openPlaying(windows, world)
    await expect.poll(() => played(page)).toHaveLength(1)
    await tellOf(page, FAILED)
    world.clock.pass({ seconds: 1 })
    await forward(page, 3_000)
    await expect.poll(() => played(page)).toHaveLength(2)
    await tellOf(page, FAILED)
    await expect(page.getByRole('status')).toHaveText(
      'News One: This channel cannot be played at the moment.',
    )
    await forward(page, 6_000)
    await expect.poll(() => played(page)).toHaveLength(3)
    await expect(page.getByRole('status')).toHaveText('1 News One')
  })

  test('without a player of its own begins a picture again as well, and not once it was stopped', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world, { hasPlayer: false })
    const links = countOf(page, 'create_link')
    const isLoaded = () =>
      page
        .locator('#picture')
        .evaluate(({ networkState }: HTMLVideoElement) => networkState !== HTMLMediaElement.NETWORK_EMPTY)
    expect(await isLoaded()).toBe(true)
    const fails = () => page.locator('#picture').dispatchEvent('error')
    await fails()
    await forward(page, 3_000)
    await expect.poll(links).toBe(1)
    await fails()
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(page.getByRole('alert').first()).toHaveText(/^Your service is switched off/)
    // What is loaded would else play on unseen.
    expect(await isLoaded()).toBe(false)
    const before = links()
    await fails()
    await forward(page, 60_000)
    await settle(page)
    expect(links()).toBe(before)
  })

  test('of a Ministra client stops once it is put out, and asks for the login', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name, login } = await openLoggedIn(windows, world)
    await expect.poll(() => played(page).then((all) => all.at(-1))).toMatch(/one\?token=/)
    await dealer.call(calls.clients.save, { login: name, password: 'tv-another' })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await expect(login).toBeFocused()
    expect((await played(page)).at(-1)).toBe('stopped')
  })

  test('stops once it is cut off, also where it cannot ask for the reason', async ({ windows, world }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    await expect.poll(() => played(page)).toHaveLength(1)
    const lost = page.waitForEvent('requestfailed')
    await abortFirst(page, 'get_profile')
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    await forward(page, POLL)
    await lost
    expect((await played(page)).at(-1)).toBe('stopped')
    await forward(page, 30_000)
    await expect(page.getByRole('alert').first()).toHaveText(/^Your service is switched off/)
  })

  test('stops, and is let in again, though the answer that tells it so is lost', async ({
    windows,
    world,
  }) => {
    const { page, dealer, name } = await openPlaying(windows, world)
    const loseAnswer = () =>
      page.route(
        '**/load.php',
        async (route) => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )
    const turn = async (status: boolean) => {
      await dealer.call(calls.clients.save, { login: name, status })
      world.clock.pass({ seconds: 5 })
      await loseAnswer()
      const lost = page.waitForEvent('requestfailed')
      await forward(page, POLL)
      await lost
      await forward(page, 30_000)
    }
    await turn(false)
    await expect(page.getByRole('alert').first()).toHaveText(/^Your service is switched off/)
    expect((await played(page)).at(-1)).toBe('stopped')
    await turn(true)
    await expect(page.getByRole('status')).toHaveText('1 News One')
  })
})

test('the page of the boxes tells an ordinary browser that it is for set-top boxes', async ({
  windows,
  world,
}) => {
  const page = await windows.open(world.server.url)
  await page.goto('/c/')
  await expect(page.getByRole('alert').first()).toHaveText(
    'This page is for set-top boxes. Open it on a box.',
  )
})

/** Opens the page on the box of a new client, which plays the first channel. */
async function openPlaying(windows: Opener, world: World, options: Stand = {}) {
  const { dealer, name, mac } = await newClient(world)
  const page = await openBox(windows, world, { ...options, mac })
  await expect(page.getByRole('status')).toHaveText('1 News One')
  // The name is shown before the link of its picture has come.
  await settle(page)
  return { page, dealer, name }
}

/** Opens the page on a box that has logged in to a Ministra client, and plays the first channel. */
async function openLoggedIn(windows: Opener, world: World) {
  await givePlaylist(world, PLAYLIST)
  const { dealer } = await world.family({ credits: 5 })
  const { name } = await world.client(dealer, { password: 'tv-secret', months: 1, ministra: true })
  const page = await openBox(windows, world)
  await fill(page.locator('form'), { Login: name, Password: 'tv-secret' })
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status')).toHaveText('1 News One')
  await settle(page)
  return { page, dealer, name, login: page.getByLabel('Login') }
}

/** Makes a Ministra client whose box has just been reset. */
async function resetClient(world: World, dealer: Person): Promise<string> {
  const { name } = await world.client(dealer, { password: 'tv-secret', months: 1, ministra: true })
  expect(await new Box(world.server).logIn(name, 'tv-secret')).toBe(0)
  world.clock.pass({ seconds: 5 })
  await dealer.call(calls.clients.reset, { name })
  return name
}

async function newClient(world: World) {
  await givePlaylist(world, PLAYLIST)
  const { dealer } = await world.family({ credits: 5 })
  const { name, mac } = await world.client(dealer, { months: 1 })
  world.clock.pass({ seconds: 5 })
  return { dealer, name, mac }
}

/** A stand-in for a box. Its first call of the name `loses` fails. */
type Stand = { mac?: string; loses?: string; hasPlayer?: boolean; isOld?: boolean }

/** What a box tells of itself, each where older firmware reads it. */
const FACTS = {
  SerialNumber: '012010N0250438',
  Model: 'MAG250',
  ImageVersion: '218',
  ImageDescription: '0.2.18-r23',
  ImageDate: 'Tue Nov 1',
  HardwareVersion: '1.7-BD-00',
}

/** Opens the page on a stand-in for a box, whose clock the test turns. */
async function openBox(
  windows: Opener,
  world: World,
  { mac = uniqueMac(), loses, hasPlayer = true, isOld = false }: Stand = {},
): Promise<Page> {
  const page = await windows.open(world.server.url)
  await page.addInitScript(`
    window.played = []
    window.told = []
    window.underWay = 0
    const { send } = XMLHttpRequest.prototype
    XMLHttpRequest.prototype.send = function (body) {
      window.underWay += 1
      this.addEventListener('loadend', () => (window.underWay -= 1))
      send.call(this, body)
    }
    window.gSTB = {
      ...(${isOld} ? {} : {
        GetDeviceMacAddress: () => '${mac}',
        GetDeviceSerialNumber: () => '012010N0250438',
        GetDeviceModelExt: () => 'MAG322',
      }),
      RDir: (what) => (${JSON.stringify({ ...FACTS, MACAddress: mac })}[what] || '') + '\\n',
      InitPlayer: () => {},
      Play: ${hasPlayer ? '(cmd) => window.played.push(cmd)' : 'undefined'},
      Stop: () => window.played.push('stopped'),
      EnableVKButton: (isOn) => window.told.push('EnableVKButton ' + isOn),
      ShowVirtualKeyboard: () => window.told.push('ShowVirtualKeyboard'),
      volume: 90,
      GetVolume() { return this.volume },
      SetVolume(volume) { this.volume = volume },
      isMute: 0,
      GetMute() { return this.isMute },
      SetMute(isMute) { this.isMute = isMute },
      GetStandByStatus: () => sessionStorage.getItem('asleep') === 'true',
      StandBy: (isAsleep) => {
        sessionStorage.setItem('asleep', isAsleep)
        window.told.push('StandBy ' + isAsleep)
      },
    }`)
  await page.clock.install()
  // Its time passes only by `forward`: a text that goes after seconds stays for as long as a slow machine takes to read.
  await page.clock.pauseAt(Date.now() + 10_000)
  // Where calls begin to be held while the page is open, Chromium still lets one through at times.
  await page.route('**/load.php', (route) => route.continue())
  if (loses !== undefined) await abortFirst(page, loses)
  const lost = loses === undefined ? null : page.waitForEvent('requestfailed')
  await page.goto('/c/')
  await lost
  return page
}

/** Lets the next call of this name fail, as where the network is away. */
async function abortFirst(page: Page, action: string): Promise<void> {
  let isLost = false
  await page.route('**/load.php', (route) => {
    if (isLost || !route.request().postData()?.includes(`action=${action}`)) return route.continue()
    isLost = true
    return route.abort()
  })
}

/** Holds the next call of this name back until the function that is returned is called. */
async function holdNext(page: Page, action: string): Promise<() => Promise<void>> {
  let goOn = () => {}
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let isHeld = false
  await page.route('**/load.php', async (route) => {
    if (!isHeld && route.request().postData()?.includes(`action=${action}`)) {
      isHeld = true
      await released
    }
    await route.continue()
  })
  return () => answered(page, action, goOn)
}

/** Does something, and waits until a call of this name is answered, and what it leads to. */
async function answered(page: Page, action: string, act: () => void | Promise<void>): Promise<void> {
  const answer = page.waitForResponse(
    (response) => response.request().postData()?.includes(`action=${action}`) === true,
  )
  await act()
  await answer
  await settle(page)
}

/** Waits until the page has dealt with the answers to all its calls. */
async function settle(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('window.underWay')).toBe(0)
}

/** Sets the page's clock forward while no call is under way: its limit would be reached, and the call be lost. */
async function forward(page: Page, ms: number): Promise<void> {
  await settle(page)
  await page.clock.fastForward(ms)
}

/** Counts the calls of this name from now on. */
function countOf(page: Page, action: string): () => number {
  let calls = 0
  page.on('request', (request) => {
    if (request.postData()?.includes(`action=${action}`)) calls += 1
  })
  return () => calls
}

/** Counts the calls of this name, or all, that are answered from now on. */
function answersOf(page: Page, action = ''): () => number {
  let answers = 0
  page.on('requestfinished', (request) => {
    if (request.postData()?.includes(`action=${action}`)) answers += 1
  })
  return () => answers
}

/** Keys of a MAG's remote, as its browser tells them. */
const [LOUDER, QUIETER, MUTE] = ['NumpadAdd', 'NumpadSubtract', 'Alt+Backquote']
const [POWER, KEYBOARD] = ['Alt+KeyU', 'Alt+KeyL']

/** What the player of a box says by a number. */
const [ENDED, PLAYS, FAILED] = [1, 4, 5]

function tellOf(page: Page, event: number): Promise<void> {
  return page.evaluate((event) => window.stbEvent.onEvent(event), event)
}

function played(page: Page): Promise<string[]> {
  return page.evaluate(() => window.played)
}

function told(page: Page): Promise<string[]> {
  return page.evaluate(() => window.told)
}

import type { Locator, Page } from 'playwright-core'
import { decodeQR } from 'qr/decode.js'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import {
  countActs,
  expect,
  expectAccessible,
  fill,
  noticesOn,
  press,
  readNotice,
  rows,
  stopClock,
  test,
  turn,
  typeIn,
} from '../support/browser.ts'

// A dealer's day: the jobs that are done most, each with the clicks, taps and keys that it needs.

const PHONE = { width: 390, height: 844, touch: true }

/** Returns what was copied last in a window, which must be on a secure origin. */
async function copied(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return page.evaluate(() => navigator.clipboard.readText())
}

/** Fills the form of a new client and submits it. */
async function makeClient(page: Page, login: string, more: Record<string, string> = {}): Promise<void> {
  await fill(page, { 'Login Name': login, Password: 'tv-1234', ...more })
  await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
  await press(page, 'Submit')
  await expect(page.getByRole('region', { name: `Credentials of ${login}` })).toBeVisible()
}

const TEXT = `Login: is-new
Password: tv-1234
MAC: 00:1A:79:A1:B2:C3
Package: English/Sports/Adults
Expiry: 2026-05-15`

describe('the credentials of a new client', () => {
  test('are copied with one click, or one tap, right after the client was made', async ({ open, world }) => {
    const { dealer } = await world.family()
    for (const [login, look] of [
      ['is-new', {}],
      ['is-new-2', PHONE],
    ] as const) {
      const page = await open({ as: dealer, at: '/new-client', ...look })
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await fill(page, { 'Login Name': login, Password: 'tv-1234', Package: '2' })
      await typeIn(page.getByLabel('MAC Address'), login === 'is-new' ? 'A1B2C3' : 'A1B2C4')
      await stopClock(page)
      await press(page, 'Submit')
      const acts = await countActs(page)
      const button = page.getByRole('button', { name: 'Copy all' })
      await expect(button).toBeFocused()
      await ('touch' in look ? button.tap() : button.click())
      const line = page.getByText('Copied')
      await expect(line).toBeVisible()
      // It has as much room above as below, though the button beside it is higher.
      const notice = noticesOn(page).filter({ hasText: 'Copied' })
      await expect.poll(() => fromMiddle(line, notice)).toBeLessThanOrEqual(1)
      await page.clock.resume()
      expect(await acts()).toEqual({
        clicks: 'touch' in look ? 0 : 1,
        taps: 'touch' in look ? 1 : 0,
        keys: 0,
      })
      if (login === 'is-new') expect(await copied(page)).toBe(TEXT)
    }
  })

  test('are copied with one key, and on a page without HTTPS as well', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    // Browsers have no clipboard for pages that came over plain HTTP.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await stopClock(page)
    await makeClient(page, 'is-new', { Package: '2' })
    const acts = await countActs(page)
    await page.keyboard.press('Enter')
    await page.clock.resume()
    await readNotice(page, 'Copied')
    expect((await acts()).keys).toBe(1)
    await page.reload()
    expect(await copied(page)).toBe(TEXT)
  })

  test('give way to the list, unless the person points, types or stays', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    await stopClock(page)
    await makeClient(page, 'is-first')
    await expect(page.getByText('The clients open in')).toBeVisible()
    await page.clock.resume()
    await expect(page).toHaveURL('/clients')
    await expect(rows(page, 'Clients')).toHaveCount(1)
    const ways: [string, (page: Page) => Promise<unknown>][] = [
      ['points', (page) => page.getByText('00:1A:79').first().hover()],
      ['types', (page) => page.keyboard.press('Shift')],
      // The pointer on its way would have stopped it already.
      ['stays', (page) => page.getByRole('button', { name: 'Stay' }).dispatchEvent('click')],
    ]
    for (const [at, [name, stay]] of ways.entries()) {
      await page.goto('/new-client')
      await fill(page, { 'Login Name': `who-${name}`, Password: 'tv-1234' })
      await typeIn(page.getByLabel('MAC Address'), `A1B2D${at}`)
      await stopClock(page)
      await press(page, 'Submit')
      await expect(page.getByText('The clients open in')).toBeVisible()
      const link = page.getByRole('link', { name: 'Show all clients' })
      const before = await link.boundingBox()
      await stay(page)
      await page.clock.resume()
      await expect(page.getByText('The clients open in')).toHaveCount(0)
      // Else it could come beneath the finger that stays.
      expect(await link.boundingBox(), name).toEqual(before)
      await page.clock.fastForward(60_000)
      await expect(page, name).toHaveURL('/new-client')
    }
    await press(page, 'Another client')
    await expect(page.getByLabel('Login Name')).toBeFocused()
    await expect(page.getByLabel('Login Name')).toHaveValue('')
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  })

  test('can be suggested, and a suggestion is kept as if it had been typed', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    await press(page, 'Suggest a login')
    await press(page, 'Suggest a password')
    await press(page, 'Show password')
    const login = await page.getByLabel('Login Name').inputValue()
    expect(login).toMatch(/^[a-z347]{8}$/)
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue(/^[a-z347]{10}$/)
    await page.reload()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await expect(page.getByLabel('Login Name')).toHaveValue(login)
    await press(page, 'Suggest a password')
    await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    await stopClock(page)
    await press(page, 'Submit')
    await expect(page.getByRole('region', { name: `Credentials of ${login}` })).toBeVisible()
  })
})

describe("a client's credentials", () => {
  test('go to another service with the password only after that was chosen, and without referrer and opener', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 1 })
    await world.client(dealer, { login: 'has-number', phone: '4165550123', password: 'tv-1234' })
    const page = await open({ as: dealer, at: '/update-client/has-number' })
    await page.addInitScript(() => {
      Object.assign(navigator, { share: async (what: unknown) => Object.assign(window, { shared: what }) })
    })
    await page.reload()
    await press(page, 'Credentials')
    const dialog = page.getByRole('dialog', { name: 'Credentials of has-number' })
    await expect(dialog).toContainText('tv-1234')
    const link = dialog.getByRole('link', { name: 'WhatsApp' })
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('href', /^https:\/\/wa\.me\/14165550123\?text=Login%3A%20has-number/)
    await press(dialog, 'Share')
    const shared = () => page.evaluate(() => (window as unknown as { shared: { text: string } }).shared.text)
    expect(await shared()).toContain('has-number')
    expect((await shared()) + (await link.getAttribute('href'))).not.toContain('tv-1234')
    await dialog.getByRole('switch', { name: 'With password' }).check()
    await expect(link).toHaveAttribute('href', /Password%3A%20tv-1234/)
    await press(dialog, 'Share')
    expect(await shared()).toContain('Password: tv-1234')
  })

  test('lead to the field of a number without its country, to which nothing can be sent', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'half-number', phone: '912345678' })
    const page = await open({ as: dealer, at: '/update-client/half-number' })
    await press(page, 'Credentials')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Type the number with + and its country' })).toBeVisible()
    await expect(dialog.getByRole('link', { name: 'WhatsApp' })).toHaveCount(0)
    await press(dialog, 'Type the number with + and its country')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByLabel('Phone Number')).toBeFocused()
  })

  test('are drawn as a QR code in the browser, and printed alone, black on white', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'is-drawn', password: 'tv-1234', stb_mac: '00:1A:79:A1:B2:C3' })
    const page = await open({ as: dealer, at: '/' })
    // Before the page is opened, which asks for its client again every 15 seconds: a clock stops only its own intervals.
    await page.clock.install()
    await page.goto('/update-client/is-drawn')
    await press(page, 'Credentials')
    await expect(page.getByRole('dialog')).toBeVisible()
    await stopClock(page)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await press(page, 'QR code')
    const code = page.getByRole('dialog').getByRole('img', { name: 'QR code of these credentials' })
    await expect(code).toBeVisible()
    // Nothing leaves the browser: what is fetched are scripts of the console, that of the code among them. The other
    // pages' scripts may be on their way too.
    expect(asked.filter((url) => !url.startsWith(`${world.server.url}/assets/`))).toEqual([])
    expect(asked.join()).toMatch(/\/assets\/qr-/)
    await page.clock.resume()
    expect(decodeQR(await imageOf(page, await code.screenshot()))).toBe(
      TEXT.replace('is-new', 'is-drawn').replace('English/Sports/Adults', 'All Packages'),
    )
    await turn(page, 'dark')
    await expect(page.locator('html')).toHaveCSS('color-scheme', 'dark')
    await page.emulateMedia({ media: 'print' })
    await expect(page.locator('#root')).toBeHidden()
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(page.locator('.printed')).toContainText('Passwordtv-1234')
    await expect(page.locator('.printed svg')).toBeVisible()
    // A browser may print backgrounds, too.
    await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)')
    await expect(page.locator('html')).toHaveCSS('color-scheme', 'light')
    await page.emulateMedia({ media: 'screen' })
    await expect(page.locator('html')).toHaveCSS('color-scheme', 'dark')
    await press(page, 'Close')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.emulateMedia({ media: 'print' })
    await expect(page.locator('#root')).toBeVisible()
  })

  test('are printed in the light mode also by the button, whose click has not ended by then', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'is-paper', password: 'tv-1234' })
    const page = await open({ as: dealer, at: '/update-client/is-paper' })
    await turn(page, 'dark')
    await press(page, 'Credentials')
    await page.evaluate(() => {
      window.print = () => {
        window.dispatchEvent(new Event('beforeprint'))
        document.title = `printed ${document.documentElement.dataset.mode}`
        window.dispatchEvent(new Event('afterprint'))
      }
    })
    await press(page, 'Print')
    await expect(page).toHaveTitle('printed light')
    await expect(page.locator('html')).toHaveAttribute('data-mode', 'dark')
  })

  test('are copied without HTTPS also where the focus is beside the dialog, and where they cannot be, that is said', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'is-plain', password: 'tv-1234' })
    const page = await open({ as: dealer, at: '/update-client/is-plain' })
    const withoutHttps = () =>
      Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })
    await page.evaluate(withoutHttps)
    await press(page, 'Credentials')
    const button = page.getByRole('button', { name: 'Copy the password' })
    await expect(button).toBeVisible()
    const click = () => button.evaluate((element) => (element as HTMLElement).click())
    // A click on the dialog's text leaves the focus there. Safari leaves it there with a click on a button, too.
    const frame = page.locator('.MuiDialog-container')
    await frame.evaluate((element) => element.focus())
    await expect(frame).toBeFocused()
    await click()
    await readNotice(page, 'Copied')
    await page.evaluate(() => Reflect.deleteProperty(navigator, 'clipboard'))
    expect(await copied(page)).toBe('tv-1234')

    await page.evaluate(withoutHttps)
    await page.evaluate(() => {
      document.addEventListener('focusin', ({ target }) => (target as HTMLElement).blur())
    })
    await click()
    await expect(page.getByText('Error copying. Please try again.')).toBeVisible()
  })

  test('can be read and copied after the client has expired', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'is-over', password: 'tv-expired' })
    await world.setExpiry('is-over', '2026-05-14T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/update-client/is-over' })
    await press(page, 'Credentials')
    await press(page, 'Copy the password')
    await readNotice(page, 'Copied')
    expect(await copied(page)).toBe('tv-expired')
  })
})

describe("a client's page begins with its verdict", () => {
  test('that it has expired, and renews it with one click and a key', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 2 })
    await world.client(dealer, { login: 'is-over' })
    await world.setExpiry('is-over', '2026-03-18T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/update-client/is-over' })
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await expect(verdict).toContainText('Expired 58 days ago')
    const acts = await countActs(page)
    await press(verdict, 'Renew')
    await expect(page.getByRole('button', { name: 'Renew for 1 credit' })).toBeEnabled()
    await page.keyboard.press('Enter')
    await expect(verdict).toContainText('Served until 2026-06-15, in 31 days')
    expect(await acts()).toEqual({ clicks: 1, taps: 0, keys: 1 })
  })

  test('that it is switched off or locked, with the button that mends it', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 2 })
    await world.client(dealer, { login: 'is-off', months: 1 })
    await dealer.call(calls.clients.save, { login: 'is-off', status: false, locked: true })
    await world.server.ownerSql`
      insert into device (client, locked_to_ip) select id, '203.0.113.7' from client where name = 'is-off'`
    await world.server.ownerSql`
      insert into presence (client, refusal, answered)
      select id, 'other_address', ${world.clock.now} from client where name = 'is-off'`
    const page = await open({ as: dealer, at: '/update-client/is-off' })
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await expect(verdict.getByRole('strong')).toHaveText('Switched off')
    await expect(verdict).toContainText('Locked to 203.0.113.7')
    await expect(verdict).toContainText('Paid until 2026-06-15, in 31 days')
    await press(verdict, 'Switch on')
    await readNotice(page, 'Client is-off updated successfully!')
    await expect(verdict.getByRole('strong')).toHaveText(
      'Its box was refused this minute: it came from another address',
    )
    await press(verdict, 'Forget the lock')
    await press(page.getByRole('alertdialog', { name: 'Forget the lock?' }), 'Forget the lock')
    await expect(verdict.getByRole('strong')).toHaveText('Served until 2026-06-15, in 31 days')
    await expectAccessible(page)
  })
})

describe('a first day', () => {
  test('has three steps, each a button, until they are put away', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer })
    const steps = page.getByRole('region', { name: 'First steps' })
    await expect(steps.getByRole('listitem')).toHaveCount(3)
    await expect(steps).toContainText('A trial costs nothing; you can give 20 today.')
    await expect(steps.getByRole('button', { name: 'Show the login' })).toBeDisabled()
    await expectAccessible(page)
    await steps.getByRole('link', { name: 'Ask for credits' }).click()
    await expect(page).toHaveURL('/credit-requests')
    await page.goBack()
    await steps.getByRole('link', { name: 'Make a trial client' }).click()
    await expect(page.getByText("Costs nothing; 20 of today's 20 trials left")).toBeVisible()
    await stopClock(page)
    await makeClient(page, 'is-first')
    await page.keyboard.press('Shift')
    await page.clock.resume()
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await steps.getByRole('link', { name: 'Show the login' }).click()
    await expect(page).toHaveURL('/update-client/is-first')
    await page.goBack()
    await press(steps, 'Hide')
    await expect(steps).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('region', { name: 'Spent' })).toContainText('1 trial')
    await expect(steps).toHaveCount(0)
  })

  test('says before a submit that the trials are used up, or that a MAC had one', async ({ open, world }) => {
    const { dealer } = await world.family()
    const other = (await world.family()).dealer
    const { name, mac } = await world.client(other)
    await world.setExpiry(name, '2026-05-14T23:59:59.000Z')
    await other.call(calls.clients.remove, { name })
    const page = await open({ as: dealer, at: '/new-client' })
    const field = page.getByLabel('MAC Address')
    await fill(page, { 'Login Name': 'is-new', Password: 'tv-1234', 'MAC Address': mac })
    const reason = 'This MAC address had a trial within the last 30 days.'
    await expect(field).toHaveAccessibleDescription(reason)
    await fill(page, { Credits: '1' })
    await expect(field).not.toHaveAccessibleDescription(reason)
    await fill(page, { Credits: '0' })
    await press(page, 'Submit')
    await readNotice(page, reason)
    await expect(field).toHaveAccessibleDescription(reason)
    await fill(page, { Credits: '1' })
    await expect(field).not.toHaveAccessibleDescription(reason)
    await expect(field).toHaveAttribute('aria-invalid', 'false')
    for (let given = 0; given < 20; given += 1) await world.client(dealer)
    await page.reload()
    await fill(page, { Credits: '0' })
    await expect(page.getByText("Today's 20 trials are used up")).toBeVisible()
  })
})

test('on the dashboard a zero is grey, and any other number stands out', async ({ open, world }) => {
  const { dealer } = await world.family()
  await world.client(dealer)
  const page = await open({ as: dealer })
  const colour = (at: Locator) => at.evaluate((element) => getComputedStyle(element).color)
  const due = page.getByRole('region', { name: 'Due' }).getByRole('listitem').locator('strong')
  await expect(due).toHaveText(['1', '0', '1'])
  const [some, none] = [await colour(due.nth(0)), await colour(due.nth(1))]
  expect(some).not.toBe(none)
  const tiles = page.getByRole('main').getByRole('list').first().getByRole('listitem')
  expect(await colour(tiles.filter({ hasText: 'Expired' }).locator('strong'))).toBe(none)
  expect(await colour(tiles.filter({ hasText: 'All Clients' }).locator('strong'))).not.toBe(none)
  const spent = page.getByRole('region', { name: 'Spent' }).locator('dd strong')
  await expect(spent).toHaveText(['0', '0'])
  expect(await colour(spent.first())).toBe(none)
})

describe('what was spent', () => {
  test('stands on the dashboard: this month and last, with what was retrieved, the trials and the packages', async ({
    open,
    world,
  }) => {
    world.clock.set('2026-04-20T10:00:00.000Z')
    const { dealer } = await world.family({ credits: 30 })
    await world.client(dealer, { login: 'of-april', months: 7, package_selection: 13 })
    world.clock.set('2026-05-15T10:00:00.000Z')
    await world.client(dealer, { login: 'of-may', months: 5 })
    await world.client(dealer)
    await dealer.call(calls.clients.retrieve, { login: 'of-april', credits: 2 })
    const page = await open({ as: dealer })
    const card = page.getByRole('region', { name: 'Spent' })
    await expect(card).toContainText('This month35 credits used, 2 retrieved, 1 trial')
    await expect(card).toContainText('Last month77 credits used, 0 trials')
    await card.getByText('By package').click()
    await expect(card.getByRole('row')).toHaveText([
      'PackageThis monthLast month',
      'All Packages50',
      'English/Sports/No Adults−27',
    ])
    await expectAccessible(page)
  })

  test('is nothing at first, and says why where it could not be loaded', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer })
    const card = page.getByRole('region', { name: 'Spent' })
    await expect(card).toContainText('This month00 credits used, 0 trials')
    await expect(card.getByText('By package')).toHaveCount(0)
    const json = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' }
    await page.route('**/v1/api/spent', (route) => route.fulfill({ status: 500, json }))
    await page.reload()
    await expect(card).toContainText(`Error: ${json.message}`)
    await page.unrouteAll()
    await press(card, 'Retry')
    await expect(card).toContainText('0 credits used')
  })
})

test('asking for credits says why it cannot be done, and can be done after Retry', async ({
  open,
  world,
}) => {
  const { dealer, reseller } = await world.family()
  const page = await open({ as: dealer })
  const json = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' }
  await page.route('**/v1/credit-requests/own', (route) => route.fulfill({ status: 500, json }))
  await page.goto('/credit-requests')
  const card = page.getByRole('region', { name: 'Ask for Credits' })
  await expect(card).toContainText(`Error: ${json.message}`)
  await page.unrouteAll()
  await press(card, 'Retry')
  await expect(page.getByRole('region', { name: `Ask ${reseller.name} for Credits` })).toBeVisible()
})

/** Returns the pixels of a PNG, which the browser itself reads. */
async function imageOf(page: Page, png: Buffer) {
  const { width, height, pixels } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    const context = canvas.getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    const { data } = context?.getImageData(0, 0, bitmap.width, bitmap.height) ?? { data: [] }
    return { width: bitmap.width, height: bitmap.height, pixels: [...data] }
  }, png.toString('base64'))
  return { width, height, data: Uint8Array.from(pixels) }
}

/** Returns how far the middle of a part is above or below that of the whole. */
async function fromMiddle(part: Locator, whole: Locator): Promise<number> {
  const [one, other] = [await part.boundingBox(), await whole.boundingBox()]
  return Math.abs((one?.y ?? 0) + (one?.height ?? 0) / 2 - (other?.y ?? 0) - (other?.height ?? 0) / 2)
}

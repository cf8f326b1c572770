import type { Locator, Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { countCalls, expect, fill, holdBack, press, signIn, test, typeIn } from '../support/browser.ts'
import { PASSWORD, type World } from '../support/world.ts'

const LOGIN = '**/v1/authenticate'
const CAPTCHA = '**/v1/captcha'

describe('on the login page', () => {
  test('a visitor without a session arrives from any address, and returns to it after signing in', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open({ at: '/dealers?search=north' })
    await expect(page).toHaveURL('/login')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await signIn(page, reseller.name)
    await expect(page).toHaveURL('/dealers?search=north')
    await expect(page.getByRole('searchbox')).toHaveValue('north')
  })

  test('a visitor with a session is sent to their dashboard', async ({ open, world }) => {
    const page = await open({ as: world.admin, at: '/login' })
    await expect(page).toHaveURL('/admin')
  })

  test('a visitor whose scripts do not come is told so after a while, and can load the page again', async ({
    windows,
    world,
  }) => {
    const page = await windows.open(world.server.url)
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto('/')
    const late = page.getByText('Boxtree has not loaded yet.')
    await expect(late).toBeHidden()
    // The wait is an animation, since there is no script.
    await page.evaluate(() => {
      for (const wait of document.getAnimations()) wait.finish()
    })
    await expect(late).toBeVisible()
    await page.unrouteAll()
    await page.getByRole('link', { name: 'Reload' }).click()
    await expect(page.getByLabel('Username')).toBeVisible()
  })

  test('a visitor loads the login ahead also where the browser says that the first script has failed, as Firefox always does', async ({
    windows,
    world,
  }) => {
    const page = await windows.open(world.server.url)
    await page.route('**/assets/index-*.js', (route) => route.abort())
    const asked = page.waitForRequest('**/assets/forms-*.js')
    await page.goto('/')
    await asked
  })

  test('a visitor whose browser lets the page store nothing is told what to do', async ({
    windows,
    world,
  }) => {
    const page = await windows.open(world.server.url)
    await page.addInitScript(() => {
      const blocked = {
        get() {
          throw new DOMException('Access is denied for this document', 'SecurityError')
        },
      }
      Object.defineProperties(window, { localStorage: blocked, sessionStorage: blocked })
    })
    await page.goto('/')
    await expect(page.getByText('Please allow cookies and site data for this address')).toBeVisible()
    await expect(page.getByRole('link', { name: 'reload' })).toBeVisible()
  })

  test('a visitor whose browser has no room for a session is told so before the sign-in, and somebody signed in goes on', async ({
    open,
    windows,
    world,
  }) => {
    const fill = () => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    }
    const stranger = await windows.open(world.server.url)
    await stranger.addInitScript(fill)
    await stranger.goto('/')
    await expect(stranger.getByText('make room if its storage is full')).toBeVisible()
    // It may also become full later, by another tab.
    const { dealer } = await world.family()
    const sessions = () => world.server.ownerSql`select from session`
    const before = (await sessions()).length
    const late = await open()
    await late.evaluate(fill)
    await typeIn(late.getByLabel('Username'), dealer.name)
    await typeIn(late.getByLabel('Password', { exact: true }), PASSWORD)
    await press(late, 'Sign in')
    await expect(late.getByText('This browser could not store your session.')).toBeVisible()
    await expect.poll(sessions).toHaveLength(before)
    const page = await open({ as: dealer })
    await page.addInitScript(fill)
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
    await expect(page.getByText('No dealer transactions found')).toBeVisible()
  })

  test('a button shows and hides the password', async ({ open }) => {
    const page = await open()
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('a secret')
    await expect(password).toHaveAttribute('type', 'password')
    await press(page, 'Show password')
    await expect(password).toHaveAttribute('type', 'text')
    await press(page, 'Hide password')
    await expect(password).toHaveAttribute('type', 'password')
  })

  test('a username with the space behind it that a keyboard adds signs in', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ at: '/login' })
    await typeIn(page.getByLabel('Username'), `${dealer.name} `)
    await typeIn(page.getByLabel('Password', { exact: true }), PASSWORD)
    await press(page, 'Sign in')
    await expect(page.getByRole('banner')).toContainText('Dealer Panel')
  })

  test("a wrong login shows the server's message and keeps the username", async ({ open, world }) => {
    const page = await open()
    await fill(page, { Username: world.admin.name, Password: 'not this one' })
    await press(page, 'Sign in')
    await expect(page.getByRole('alert')).toHaveText('The username or the password is wrong.')
    await expect(page.getByLabel('Username')).toHaveValue(world.admin.name)
    // The button waits for another captcha, so that the password has the focus.
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  })

  test('a failure without a message is shown as an unknown error, with the code of its request', async ({
    open,
  }) => {
    const page = await open()
    await page.route(LOGIN, (route) =>
      route.fulfill({ status: 500, body: 'Out of order', headers: { 'x-request-id': '3f9a0c1b2d4e' } }),
    )
    await fill(page, { Username: 'somebody', Password: 'something' })
    await press(page, 'Sign in')
    await expect(page.getByRole('alert')).toHaveText(
      'An unknown error occurred. Tell whoever runs Boxtree this code: 3f9a0c1b2d4e',
    )
  })

  test('the page with which a proxy answers while Boxtree is away is told as a lost connection', async ({
    open,
  }) => {
    const page = await open()
    await page.route(LOGIN, (route) =>
      route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Service Unavailable</h1>' }),
    )
    await fill(page, { Username: 'somebody', Password: 'something' })
    await press(page, 'Sign in')
    await expect(page.getByRole('alert')).toHaveText('The connection to Boxtree is lost. Please try again.')
  })

  test('an empty field shows its message, and nothing is sent', async ({ open }) => {
    const page = await open()
    const sent = countCalls(page, calls.session.login.path)
    await press(page, 'Sign in')
    await expect(page.getByText('Please type your username')).toBeVisible()
    await expect(page.getByText('Please type your password')).toBeVisible()
    expect(sent()).toBe(0)
  })
})

describe('the captcha', () => {
  test.override({ env: { CAPTCHA_PROVIDER: 'altcha' } })

  test('disables the button until it is solved', async ({ open, world }) => {
    const page = await open({ at: '/login' })
    await page.route(CAPTCHA, () => {})
    await page.reload()
    const sent = countCalls(page, calls.session.login.path)
    const enter = page.getByRole('button', { name: 'Sign in' })
    await fill(page, { Username: world.admin.name, Password: PASSWORD })
    await expect(page.getByText('Checking that you are human…')).toBeVisible()
    await expect(enter).toBeDisabled()
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await page.unroute(CAPTCHA)
    await page.reload()
    await expect(page.getByText('Verified')).toBeVisible()
    await expect(enter).toBeEnabled()
    expect(sent()).toBe(0)
  })

  test('can be tried again after it failed to load, and says why it did', async ({ open }) => {
    const page = await open({ at: '/login' })
    const message = 'Too many people are signing in at the moment. Please try again in a moment.'
    const json = { status: 'ERROR', code: 'unavailable', message }
    await page.route(CAPTCHA, (route) => route.fulfill({ status: 503, json }))
    await page.reload()
    await expect(page.getByText('The check could not be made.')).toBeVisible()
    await expect(page.getByText(message)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeDisabled()
    await page.unroute(CAPTCHA)
    await press(page, 'Try again')
    await expect(page.getByText('Verified')).toBeVisible()
  })

  test('is solved again after a wrong login, which can then succeed', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ at: '/login' })
    await expect(page.getByText('Verified')).toBeVisible()
    const asked = countCalls(page, calls.session.captcha.path)
    await fill(page, { Username: dealer.name, Password: 'not this one' })
    await press(page, 'Sign in')
    await expect(page.getByRole('alert')).toHaveText('The username or the password is wrong.')
    await signIn(page, dealer.name)
    expect(asked()).toBe(1)
  })

  test('is solved anew after the machine has slept, also in the midst of solving it, so that the first try signs in', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const page = await open({ at: '/login' })
    await page.clock.install()
    const challenges = countCalls(page, calls.session.captcha.path)
    // As after a sleep: the clock jumps, and no timer has run meanwhile.
    const sleep = async () => {
      world.clock.pass({ hours: 1 })
      await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + 3_600_000)
    }
    const release = await holdBack(page, '**/captchaWorker*')
    const solvingFirst = page.waitForRequest('**/captchaWorker*')
    await page.reload()
    await expect.poll(challenges).toBe(1)
    await expect(page.getByText('Checking that you are human')).toBeVisible()
    // The age of a challenge counts from its answer, which may still be under way.
    await solvingFirst
    await sleep()
    await expect.poll(challenges).toBe(2)
    release()
    await expect(page.getByText('Verified')).toBeVisible()
    const solvingAnew = page.waitForEvent('worker')
    await sleep()
    await expect.poll(challenges).toBe(3)
    await solvingAnew
    // Nor does it become younger by a form that comes late.
    const show = await holdBack(page, '**/assets/Login*.js')
    const solving = page.waitForEvent('worker')
    await page.reload({ waitUntil: 'commit' })
    await expect.poll(challenges).toBe(4)
    await solving
    await sleep()
    show()
    await expect.poll(challenges).toBe(5)
    await expect(page.getByText('Verified')).toBeVisible()
    await signIn(page, dealer.name)
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  })
})

describe('a username with many wrong logins', () => {
  test.override({ env: { CAPTCHA_PROVIDER: 'altcha' } })

  test('makes nobody work whose form has gone by then, since somebody else has signed in in another tab', async ({
    open,
    world,
  }) => {
    const { dealer, reseller } = await world.family()
    await plantWrong(world, dealer.name, 10)
    const page = await open({ at: '/login' })
    // Signing in once tells the page what the time of the test is.
    await signIn(page, reseller.name)
    await press(page, 'Logout')
    await expect(page.getByText('Verified')).toBeVisible()
    const release = await holdBack(page, LOGIN)
    await typeAll(page, dealer.name, 'not this one')
    const other = await page.context().newPage()
    await other.goto('/login')
    await signIn(other, reseller.name)
    await expect(page).toHaveURL('/reseller')
    const answered = page.waitForResponse(LOGIN)
    release()
    expect((await answered).status()).toBe(429)
    await page.getByRole('link', { name: 'Dealers', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Dealers' })).toBeVisible()
    expect(page.workers()).toEqual([])
  })

  test('is signed in by itself once the device has solved a longer challenge, and is told why it waits', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await plantWrong(world, dealer.name, 10)
    const page = await open({ at: '/login' })
    // With luck it is solved in no time, so that what was told is gone.
    const told = new Set<string>()
    await page.exposeFunction('tell', (what: string) => told.add(what))
    await page.evaluate(() => {
      new MutationObserver(() => {
        const work = document.querySelector('[role=progressbar]')?.getAttribute('aria-label')
        const [wait] = document.body.textContent.match(/this device has to work for about \d+ seconds/) ?? []
        for (const what of [work, wait]) if (what) Reflect.get(window, 'tell')(what)
      }).observe(document.body, { childList: true, subtree: true, characterData: true })
    })
    await typeAll(page, dealer.name, PASSWORD)
    await expect(page).toHaveURL('/', { timeout: 60_000 })
    await expect(page.getByRole('banner')).toContainText('Dealer Panel')
    expect([...told].sort()).toEqual(['Work done', 'this device has to work for about 5 seconds'])
  })

  test('is told after the longer challenge that the password is wrong', async ({ open, world }) => {
    const { dealer } = await world.family()
    await plantWrong(world, dealer.name, 10)
    const page = await open({ at: '/login' })
    await typeAll(page, dealer.name, 'not this one')
    await expect(page.getByRole('alert')).toHaveText('The username or the password is wrong.', {
      timeout: 60_000,
    })
    await expect(page.getByLabel('Username')).toHaveValue(dealer.name)
    await expect(page.getByText('Verified')).toBeVisible()
  })

  test('can stop the longer challenge, which enables the form again without signing in', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await plantWrong(world, dealer.name, 60)
    const page = await open({ at: '/login' })
    await expect(page.getByText('Verified')).toBeVisible()
    // With luck it would be solved before it can be stopped.
    const release = await holdBack(page, '**/captchaWorker*')
    await typeAll(page, dealer.name, PASSWORD)
    await expect(page.getByText('this device has to work for about a minute')).toBeVisible()
    // A contrast theme, too, shows how far it is.
    await page.emulateMedia({ forcedColors: 'active' })
    const work = page.getByRole('progressbar', { name: 'Work done' })
    const fillOf = (one: Locator) => one.evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(await fillOf(work.locator('span').first())).not.toBe(await fillOf(work))
    await page.emulateMedia({ forcedColors: 'none' })
    await expect(page.getByLabel('Username')).toBeDisabled()
    await press(page, 'Stop')
    release()
    await expect(page.getByLabel('Username')).toBeEnabled()
    await expect(page.getByLabel('Username')).toHaveValue(dealer.name)
    await expect(page.getByText('Verified')).toBeVisible()
    await expect(page).toHaveURL('/login')
  })

  async function typeAll(page: Page, name: string, password: string): Promise<void> {
    await expect(page.getByText('Verified')).toBeVisible()
    await typeIn(page.getByLabel('Username'), name)
    await typeIn(page.getByLabel('Password', { exact: true }), password)
    await press(page, 'Sign in')
  }
})

describe.each([
  { provider: 'turnstile', script: 'https://challenges.cloudflare.com/**', global: 'turnstile' },
  { provider: 'hcaptcha', script: 'https://js.hcaptcha.com/**', global: 'hcaptcha' },
  { provider: 'recaptcha', script: 'https://www.google.com/**', global: 'grecaptcha' },
])('the widget of $provider', ({ provider, script, global }) => {
  test.override({
    env: { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: 'our-site', CAPTCHA_SECRET_KEY: 'our-secret' },
  })

  test('is rendered by its own script, if that is not blocked, and its solution is sent with the login', async ({
    windows,
    world,
  }) => {
    const page = await windows.open(world.server.url)
    await page.route(script, (route) => route.abort())
    await page.goto('/login')
    await expect(page.getByText('The verification service cannot be reached.')).toBeVisible()
    await page.unroute(script)
    // Before the page is opened: it would load the real script otherwise.
    await page.route(script, (route) => {
      expect(new URL(route.request().url()).searchParams.get('render')).toBe('explicit')
      return route.fulfill({ contentType: 'text/javascript', body: widget(global) })
    })
    await press(page, 'Try again')
    const enter = page.getByRole('button', { name: 'Sign in' })
    await fill(page, { Username: 'somebody', Password: 'something' })
    await expect(page.getByRole('button', { name: 'I am human at our-site' })).toBeVisible()
    await expect(enter).toBeDisabled()
    await page.getByRole('button', { name: 'I am human at our-site' }).click()
    await page.route(LOGIN, (route) => route.fulfill({ status: 500, body: '' }))
    const request = page.waitForRequest(LOGIN)
    await enter.click()
    expect((await request).postDataJSON()).toEqual({
      login_username: 'somebody',
      login_password: 'something',
      g_recaptcha_response: `solved for ${global}`,
    })
  })
})

/** Inserts failed logins of an account, from an address that is not the browser's. */
async function plantWrong(world: World, name: string, count: number): Promise<void> {
  await world.server.sql`
    insert into login_try (name, address, tried, succeeded)
    select ${name}, 'planted', ${world.clock.now}::timestamptz, false from generate_series(1, ${count}::int)`
}

/** Returns a stand-in for a provider's script, whose widget is a button that solves it. */
function widget(global: string): string {
  return `
    window.${global} = {
      render(place, options) {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = 'I am human at ' + options.sitekey
        button.onclick = () => options.callback('solved for ${global}')
        place.append(button)
      },
    }
    window.captchaLoaded()`
}

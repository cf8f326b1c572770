import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { expect, fill, holdBack, press, readNotice, signIn, test } from '../support/browser.ts'
import { PASSWORD, type World } from '../support/world.ts'

describe('a session', () => {
  test('survives a reload, with the same screen and URL parameters', async ({ open, world }) => {
    const { reseller } = await world.family()
    const page = await open()
    await signIn(page, reseller.name)
    await page.goto('/dealers?sort=name&order=asc')
    await expect(page.getByRole('banner')).toContainText('Reseller Panel')
    await page.reload()
    await expect(page).toHaveURL('/dealers?sort=name&order=asc')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dealers')
  })

  test('shows a loading state while it is being restored', async ({ open, world }) => {
    const page = await open({ as: world.admin })
    await page.route('**/v1/api/user', () => {})
    await page.reload()
    await expect(page.getByText('Loading...')).toBeVisible()
    await page.unroute('**/v1/api/user')
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
  })

  test('can be extended by an hour five minutes before its end, and nothing typed is lost', async ({
    open,
    world,
  }) => {
    const { page } = await signedInAt('/add-dealer', open, world)
    await fill(page, { Login: 'half-typed' })
    await advance(page, world, 54)
    const dialog = page.getByRole('dialog', { name: 'Your session ends in' })
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await advance(page, world, 1)
    await expect(dialog).toContainText('Your session ends in 5 minutes')
    await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused()
    await fill(dialog, { Password: 'not this one' })
    await press(dialog, 'Sign in again')
    await expect(dialog.getByRole('alert')).toHaveText('The username or the password is wrong.')
    await fill(dialog, { Password: PASSWORD })
    await press(dialog, 'Sign in again')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByLabel('Login', { exact: true })).toHaveValue('half-typed')

    await advance(page, world, 30)
    await fill(page, { Password: PASSWORD })
    await press(page, 'Add Dealer')
    await readNotice(page, 'Dealer added successfully!')
  })

  test('shows its reminder once a pause in typing comes, and takes no letter', async ({ open, world }) => {
    const { page } = await signedInAt('/add-dealer', open, world)
    await advance(page, world, 54)
    const login = page.getByLabel('Login', { exact: true })
    await login.click()
    const { clock } = page.context()
    await clock.pauseAt((await page.evaluate(() => Date.now())) + 66_000)
    await page.keyboard.type('typed-on')
    await expect(login).toHaveValue('typed-on')
    const dialog = page.getByRole('dialog', { name: 'Your session ends in' })
    await expect(dialog).toHaveCount(0)
    await clock.resume()
    await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused()
    await expect(dialog.getByLabel('Password', { exact: true })).toHaveValue('')
  })

  test('shows its reminder again in the last minute, whatever was sent before it was put off, and ends after its hour', async ({
    open,
    world,
  }) => {
    const { page, other, reseller } = await signedInInTwoTabs(open, world)
    await advance(page, world, 56)
    const dialog = page.getByRole('dialog', { name: 'Your session ends in' })
    // Whoever puts it off while it signs in has given that up: what comes of it does not replace the session.
    const answer = await holdBack(page, '**/v1/authenticate')
    await fill(dialog, { Password: PASSWORD })
    await press(dialog, 'Sign in again')
    await press(dialog, 'Later')
    await expect(dialog).toHaveCount(0)
    const ended = page.waitForResponse('**/v1/logout')
    answer()
    await ended
    await advance(page, world, 3)
    await expect(dialog).toContainText('Your session ends in a minute')
    await advance(page, world, 1.5)
    for (const tab of [page, other]) {
      await expect(tab).toHaveURL('/login')
      await expect(tab.getByText('Your session has ended. Please sign in again.')).toBeVisible()
    }
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()

    await awaitCheck(page)
    await fill(page, { Username: reseller.name, Password: PASSWORD })
    await press(page, 'Sign in')
    await expect(page).toHaveURL('/dealers?search=north')
    await expect(page.getByRole('searchbox')).toHaveValue('north')
    await expect(other).toHaveURL('/add-dealer')
  })

  test('that ended in two tabs leads nobody else to the screen of either', async ({ open, world }) => {
    const { page, other, reseller } = await signedInInTwoTabs(open, world)
    await advance(page, world, 61)
    for (const tab of [page, other]) {
      await expect(tab).toHaveURL('/login')
      await expect(tab.getByLabel('Username')).toHaveValue(reseller.name)
    }
    const next = await world.child(reseller)
    await awaitCheck(other)
    await signIn(other, next.name)
    await expect(other).toHaveURL('/')
  })

  test('that ended leads to the dashboard where that is asked for next', async ({ open, world }) => {
    const { page, reseller } = await signedInInTwoTabs(open, world)
    await advance(page, world, 61)
    await expect(page).toHaveURL('/login')
    await page.goto('/')
    await awaitCheck(page)
    await signIn(page, reseller.name)
    await expect(page).toHaveURL('/reseller')
  })

  test('that the server has ended leads to the login page at the next call', async ({ open, world }) => {
    const { reseller } = await world.family()
    const page = await open({ at: '/add-dealer' })
    await signIn(page, reseller.name)
    await page.route(
      '**/v1/reseller/dealer',
      async (route) => {
        await world.server.ownerSql`delete from session where account = ${reseller.id}`
        await route.continue()
      },
      { times: 1 },
    )
    await fill(page, { Login: 'a-new-dealer', Password: PASSWORD })
    await press(page, 'Add Dealer')
    await expect(page).toHaveURL('/login')
    await signIn(page, reseller.name)
    await expect(page).toHaveURL('/add-dealer')
    await readNotice(
      page,
      'Error adding Dealer. Please try again.',
      'Your session had ended, so this was not done. It was about a-new-dealer.',
    )
  })

  test('ends in all tabs when one of them signs out, and no sign-in that is answered late takes the place of the next', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open()
    await signIn(page, reseller.name)
    const other = await page.context().newPage()
    await other.goto('/dealers')
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Dealers')
    await press(page, 'Logout')
    await expect(other).toHaveURL('/login')
    const answer = await holdBack(page, '**/v1/authenticate')
    await fill(page, { Username: reseller.name, Password: PASSWORD })
    await press(page, 'Sign in')
    await signIn(other, world.admin.name, 'admin-password')
    await expect(page).toHaveURL('/admin')
    const ended = page.waitForResponse('**/v1/logout')
    answer()
    expect((await ended).status()).toBe(200)
    await expect(page.getByRole('banner')).toContainText('Admin Panel')
    expect(await page.evaluate(() => localStorage.getItem('name'))).toBe(world.admin.name)
  })

  test('of another account is followed by a page from the back/forward cache, and is not ended by it', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller, at: '/dealers' })
    const other = await page.context().newPage()
    await other.goto('/dealers')
    // A page in the back/forward cache hears nothing of other tabs.
    await page.evaluate(() => {
      window.addEventListener('storage', (event) => event.stopImmediatePropagation(), { capture: true })
    })
    const aside = await page.context().newPage()
    await aside.addInitScript(() => {
      window.addEventListener('storage', (event) => event.stopImmediatePropagation(), { capture: true })
    })
    await aside.goto('/dealers')
    await expect(aside.getByRole('heading', { level: 1 })).toHaveText('Dealers')
    await press(other, 'Logout')
    await signIn(other, world.admin.name, 'admin-password')
    await fill(other, { 'Search Transactions': 'typed' })
    // One notices it by a refused call, the other when it is shown again.
    await aside.getByRole('link', { name: 'Transactions' }).click()
    await expect(aside).toHaveURL('/admin')
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await expect(page.getByRole('banner')).toContainText('Admin Panel')
    await expect(other).toHaveURL('/admin?search=typed')
    await expect(other.getByRole('searchbox', { name: 'Search Transactions' })).toHaveValue('typed')
  })

  test('of the next account knows nothing of what the last one searched', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const other = await world.child(reseller)
    await world.client(other, { login: 'client-1' })
    const page = await open({ as: dealer, at: '/clients' })
    await page.getByRole('searchbox').fill('miller')
    await expect(page).toHaveURL('/clients?search=miller')
    await page.getByRole('link', { name: 'Transactions' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Transactions')
    await press(page, 'Logout')
    await signIn(page, other.name)
    await page.getByRole('link', { name: 'client-1' }).click()
    await fill(page, { Description: 'Cellar' })
    await press(page, 'Update Client')
    await readNotice(page, 'Client client-1 updated successfully!')
    await expect(page).toHaveURL('/clients')
  })

  test("uses the server's clock where the machine's own is wrong", async ({ open, world }) => {
    const { reseller } = await world.family()
    const page = await open()
    // By a clock that is two hours fast, every session has expired before it begins.
    await page.clock.install({ time: new Date(world.clock.now.getTime() + 2 * 3_600_000) })
    await page.reload()
    await signIn(page, reseller.name)
    await page.reload()
    await expect(page).toHaveURL('/reseller')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await advance(page, world, 61)
    await expect(page).toHaveURL('/login')
  })

  test('ends in all other browsers when its account changes the password', async ({ open, world }) => {
    const { reseller } = await world.family()
    const [here, there] = [await open(), await open()]
    await signIn(here, reseller.name)
    await signIn(there, reseller.name)
    await press(here, 'Settings')
    const drawer = here.getByRole('dialog', { name: 'Settings' })
    await fill(drawer, { 'Present password': 'not this one', 'New password': 'another-password' })
    await fill(drawer, { 'Confirm new password': 'another-password' })
    await press(drawer, 'Change password')
    await readNotice(here, 'Error changing password. Please try again.', 'The present password is not right.')
    await fill(drawer, { 'Present password': PASSWORD })
    await press(drawer, 'Change password')
    // The settings keep the focus, and call no field of the emptied form wrong.
    await expect(drawer).toBeFocused()
    await readNotice(here, 'Password changed successfully!')
    await expect(drawer.locator('[aria-invalid=true]')).toHaveCount(0)
    await press(drawer, 'Close settings')
    await here.reload()
    await expect(here).toHaveURL('/reseller')
    await there.reload()
    await expect(there).toHaveURL('/login')
  })
})

type Open = (visit?: object) => Promise<Page>

/** Signs a reseller in and opens a screen, in a browser whose clock the test controls. */
async function signedInAt(path: string, open: Open, world: World) {
  const { reseller } = await world.family()
  const page = await open()
  await page.context().clock.install({ time: world.clock.now })
  await page.goto(path)
  await signIn(page, reseller.name)
  await expect(page).toHaveURL(path)
  return { page, reseller }
}

async function signedInInTwoTabs(open: Open, world: World) {
  const { page, reseller } = await signedInAt('/dealers?search=north', open, world)
  const other = await page.context().newPage()
  await other.goto('/add-dealer')
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Add Dealer')
  return { page, other, reseller }
}

/**
 * Waits for the check of the login page, and asks for it again where it failed: one tab led the other there before the
 * clock of that tab was advanced, by more than its request for the check may take.
 */
async function awaitCheck(page: Page): Promise<void> {
  await expect(page.getByText('Checking that you are human')).toHaveCount(0)
  const again = page.getByRole('button', { name: 'Try again' })
  if (await again.isVisible()) await again.click()
}

/** Advances the clock of the server and of all tabs of a browser. */
async function advance(page: Page, world: World, minutes: number): Promise<void> {
  world.clock.pass({ minutes })
  await page.context().clock.fastForward(minutes * 60_000)
}

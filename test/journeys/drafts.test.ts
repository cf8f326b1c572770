import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import {
  comeBackFromCache,
  expect,
  fill,
  holdBack,
  press,
  pressAndConfirm,
  readNotice,
  signIn,
  test,
  typeIn,
} from '../support/browser.ts'
import { PASSWORD } from '../support/world.ts'
import { openExpired } from './expired.ts'

describe('a draft', () => {
  const TYPED = { 'Login Name': 'half-typed', Password: 'tv-secret', Description: 'Attic', Credits: '2' }

  test('survives a reload and Back without its password, until it is discarded', async ({ open, world }) => {
    const page = await open({ as: (await world.family({ credits: 3 })).dealer, at: '/new-client' })
    await fill(page, { ...TYPED, 'MAC Address': 'A1B2C3' })
    await expect(page.getByText('Your unsent entries')).toHaveCount(0)
    const back = async () => {
      await expect(page.getByText('Your unsent entries')).toBeVisible()
      await expect(page.getByLabel('Login Name')).toHaveValue('half-typed')
      await expect(page.getByLabel('MAC Address')).toHaveValue('00:1A:79:A1:B2:C3')
      await expect(page.getByLabel('Credits')).toHaveValue('2')
      await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('tv-secret')
    }
    await page.reload()
    await back()
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(page).toHaveURL('/clients')
    await page.goBack()
    await back()
    await press(page, 'Discard')
    await press(page.getByRole('alertdialog'), 'Keep')
    await back()
    await pressAndConfirm(page, 'Discard')
    await expect(page.getByText('Your unsent entries')).toHaveCount(0)
    await expect(page.getByLabel('Login Name')).toHaveValue('')
    await expect(page.getByLabel('Login Name')).toBeFocused()
    await page.reload()
    await expect(page.getByLabel('Login Name')).toHaveValue('')
    await expect(page.getByText('Your unsent entries')).toHaveCount(0)
  })

  test('survives an expired session for its own account alone, and does not survive signing out', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family()
    const other = await world.child(reseller)
    const page = await open({ at: '/new-client' })
    await signIn(page, dealer.name)
    await fill(page, TYPED)
    await page.waitForLoadState('networkidle')
    const endSession = async (name: string) => {
      await world.server.ownerSql`delete from session`
      await page.reload()
      await expect(page.getByLabel('Username')).toHaveValue(name)
    }
    await endSession(dealer.name)
    await signIn(page, other.name)
    await page.getByRole('link', { name: 'New Client' }).first().click()
    await expect(page.getByLabel('Login Name')).toHaveValue('')
    await expect(page.getByText('Your unsent entries')).toHaveCount(0)
    await endSession(other.name)
    await signIn(page, dealer.name)
    await page.getByRole('link', { name: 'New Client' }).first().click()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await expect(page.getByLabel('Login Name')).toHaveValue('half-typed')

    await press(page, 'Logout')
    const question = page.getByRole('alertdialog', { name: 'Log out?' })
    await expect(question.getByRole('button', { name: 'Stay' })).toBeFocused()
    await expect(question).toContainText(
      'You have unsent entries on New Client. They are lost with a logout.',
    )
    await press(question, 'Stay')
    await expect(page.getByLabel('Login Name')).toHaveValue('half-typed')
    await press(page, 'Logout')
    await press(question, 'Logout')
    await expect(page).toHaveURL('/login')
    expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
    await signIn(page, dealer.name)
    await page.getByRole('link', { name: 'New Client' }).first().click()
    await expect(page.getByLabel('Login Name')).toHaveValue('')
  })

  test('is dropped when another tab signs out, which asks before, but not when the session expires there', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const page = await open({ at: '/new-client' })
    await signIn(page, dealer.name)
    await fill(page, TYPED)
    const other = await page.context().newPage()
    await other.goto('/clients')
    await other.waitForLoadState('networkidle')
    await world.server.ownerSql`delete from session`
    await other.reload()
    await expect(page).toHaveURL('/login')
    await signIn(page, dealer.name)
    await expect(page).toHaveURL('/new-client')
    await expect(page.getByLabel('Login Name')).toHaveValue('half-typed')
    await other.goto('/clients')
    await press(other, 'Logout')
    const question = other.getByRole('alertdialog', { name: 'Log out?' })
    await expect(question).toContainText(
      'You have unsent entries in another tab. They are lost with a logout.',
    )
    await press(question, 'Stay')
    await expect(page.getByLabel('Login Name')).toHaveValue('half-typed')
    // What is unsent in this tab does not hide what is in the other.
    await other.goto('/new-client')
    await fill(other, TYPED)
    await press(other, 'Logout')
    await expect(question).toContainText('You have unsent entries on New Client and in another tab.')
    await press(question, 'Logout')
    await expect(page).toHaveURL('/login')
    await signIn(page, dealer.name)
    await page.goto('/new-client')
    await expect(page.getByLabel('Login Name')).toHaveValue('')
  })

  test('is told to a tab that signs out also after its own tab was in the back/forward cache', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, TYPED)
    // As the cache does.
    await page.evaluate(() => navigator.locks.request('drafts', { steal: true }, () => {}))
    await comeBackFromCache(page)
    const other = await page.context().newPage()
    await other.goto('/clients')
    await press(other, 'Logout')
    await expect(other.getByRole('alertdialog')).toContainText('You have unsent entries in another tab.')
  })

  test('of a client that has expired is neither sent nor lost with its renewal, and lost with the client', async ({
    open,
    world,
  }) => {
    const { dealer, page } = await openExpired(open, world)
    await expect(page.getByLabel('Description')).toBeDisabled()
    await expect(page.getByLabel('Description')).toHaveValue('Attic')
    const asked = page.waitForRequest('**/v1/api/saveclient')
    await press(page, 'Update Client')
    expect(Object.keys((await asked).postDataJSON()).sort()).toEqual(['expiry', 'login', 'months'])
    await expect(page).toHaveURL('/clients')
    await page.goto('/update-client/summer-house')
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await expect(page.getByLabel('Description')).toBeEnabled()
    await press(page, 'Update Client')
    await readNotice(page, 'Client summer-house updated successfully!')
    expect(await dealer.call(calls.clients.detail, { name: 'summer-house' })).toMatchObject({
      description: 'Attic',
    })
    await page.goto('/update-client/summer-house')
    await fill(page, { 'Phone Number': '4165550199' })
    await world.admin.call(calls.admin.remove, { name: 'summer-house' })
    await page.reload()
    await expect(page.getByText('There is no client of this name')).toBeVisible()
    await press(page, 'Logout')
    await expect(page).toHaveURL('/login')
  })

  test('is dropped once its form is sent', async ({ open, world }) => {
    const page = await open({ as: (await world.family({ credits: 3 })).dealer, at: '/new-client' })
    await fill(page, { ...TYPED, 'MAC Address': 'A1B2C3' })
    await press(page, 'Submit')
    await readNotice(page, 'Client half-typed created successfully!')
    expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Clients')
    await page.goBack()
    await expect(page.getByLabel('Login Name')).toHaveValue('')
    await expect(page.getByText('Your unsent entries')).toHaveCount(0)
  })

  test('that was begun while the one before was being sent stays, and so does its page', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family({ credits: 3 })).dealer, at: '/new-client' })
    const release = await holdBack(page, '**/v1/api/client')
    await fill(page, { ...TYPED, 'MAC Address': 'A1B2C3' })
    await press(page, 'Submit')
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Clients', level: 1, exact: true })).toBeVisible()
    await page.goBack()
    await fill(page, { 'Login Name': 'the-next' })
    release()
    await readNotice(page, 'Client half-typed created successfully!')
    await page.reload()
    await expect(page.getByLabel('Login Name')).toHaveValue('the-next')
  })

  test('is gone also from a form that was opened again before the answer', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { login: 'is-a-client' })
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { ...TYPED, 'MAC Address': 'A1B2C3' })
    await isGoneOnceAnswered(page, '**/v1/api/client', {
      button: 'Submit',
      restored: 'These entries may have been sent',
      told: 'Client half-typed created successfully!',
    })
    await expect(page.getByLabel('Login Name')).toHaveValue('')

    await page.goto('/update-client/is-a-client')
    await fill(page, { Description: 'Cellar' })
    await isGoneOnceAnswered(page, '**/v1/api/saveclient', {
      button: 'Update Client',
      restored: 'These entries may have been sent',
      told: 'Client is-a-client updated successfully!',
    })
    await expect(page.getByLabel('Description')).toHaveValue('Cellar')

    const admins = await open({ as: world.admin, at: '/admin/message' })
    await fill(admins, { 'New Message': 'Closed on Monday' })
    await isGoneOnceAnswered(admins, '**/v1/admin/message', {
      button: 'Update Message',
      restored: 'Your unsent entries',
      told: 'Message updated successfully',
    })
    await expect(admins.getByLabel('New Message')).toHaveValue('')
  })

  test('that was changed before the answer stays, in its form and over a reload', async ({ open, world }) => {
    const page = await open({ as: world.admin, at: '/admin/message' })
    await fill(page, { 'New Message': 'Closed on Monday' })
    const release = await holdBack(page, '**/v1/admin/message')
    await press(page, 'Update Message')
    await leaveAndComeBack(page)
    await fill(page, { 'New Message': 'Closed on Monday and Tuesday' })
    release()
    await readNotice(page, 'Message updated successfully')
    await expect(page.getByLabel('New Message')).toHaveValue('Closed on Monday and Tuesday')
    await page.reload()
    await expect(page.getByLabel('New Message')).toHaveValue('Closed on Monday and Tuesday')
  })

  test('that was changed after a reload, before the answer, stays', async ({ open, world }) => {
    const page = await open({ as: world.admin, at: '/admin/message' })
    await fill(page, { 'New Message': 'Closed on Monday' })
    const sent = new Promise<void>((sent) => {
      page.route('**/v1/admin/message', (route) => route.fetch().then(() => sent()), { times: 1 })
    })
    await press(page, 'Update Message')
    await sent
    let release = () => {}
    const held = new Promise<void>((done) => {
      release = done
    })
    await page.route('**/v1/admin/message', async (route) => {
      if (route.request().method() === 'POST') await held
      await route.continue()
    })
    await page.reload()
    await fill(page, { 'New Message': 'Closed on Monday and Tuesday' })
    release()
    await readNotice(page, 'Message updated successfully')
    await expect(page.getByLabel('New Message')).toHaveValue('Closed on Monday and Tuesday')
  })

  test('of a request for credits has the amount that was chosen last', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/credit-requests' })
    await page.getByLabel('Other amount').click()
    await page.keyboard.type('500')
    await page.getByLabel('Credits', { exact: true }).selectOption('20')
    await page.reload()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await expect(page.getByLabel('Other amount')).toHaveValue('')
    await expect(page.getByRole('button', { name: 'Ask for 20 credits' })).toBeEnabled()
    await pressAndConfirm(page, 'Discard')
    await expect(page.getByRole('button', { name: 'Ask for 1 credit', exact: true })).toBeEnabled()
  })

  test('of a client is restored as if its page had stayed open', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-a-client', months: 1 })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    await fill(page, { Description: 'Cellar', Password: 'other-secret', 'Add months': '1' })
    await page.getByRole('switch', { name: 'IP Lock' }).check()
    await page.reload()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await expect(page.getByLabel('Description')).toHaveValue('Cellar')
    await expect(page.getByLabel('Add months')).toHaveValue('1')
    await expect(page.getByRole('switch', { name: 'IP Lock' })).toBeChecked()
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('secret-tv')
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toMatch(/other-secret|secret-tv/)

    await dealer.call(calls.clients.renew, { name: 'is-a-client', months: 1 })
    await page.reload()
    await press(page, 'Update Client')
    await readNotice(
      page,
      'Error updating client. Please try again.',
      'The expiry of is-a-client has changed in the meantime. Please look again.',
    )
    const release = await holdBack(page, '**/v1/api/client/*')
    await press(page, 'Reload')
    await expect(page.getByText('New expiry 2026-08-15')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Update Client' })).toBeDisabled()
    release()
    await press(page, 'Update Client')
    await readNotice(page, 'Client is-a-client updated successfully!')
    expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
    expect(await dealer.call(calls.clients.detail, { name: 'is-a-client' })).toMatchObject({
      description: 'Cellar',
      expiry: '2026-08-15T23:59:59.000Z',
      locked: true,
    })
  })

  test('of a client survives Back and the end of the session', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'is-a-client' })
    const page = await open({ at: '/update-client/is-a-client' })
    await signIn(page, dealer.name)
    await fill(page, { Description: 'Cellar' })
    const back = async () => {
      await expect(page.getByText('Your unsent entries')).toBeVisible()
      await expect(page.getByLabel('Description')).toHaveValue('Cellar')
    }
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    // Until the list is there, the form is.
    await expect(page.getByRole('heading', { name: 'Clients', level: 1, exact: true })).toBeVisible()
    await page.goBack()
    await back()
    await world.server.ownerSql`delete from session`
    await page.reload()
    await signIn(page, dealer.name)
    await expect(page).toHaveURL('/update-client/is-a-client')
    await back()
  })

  test('of a client can be discarded', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-a-client', desc: 'Hall' })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    await fill(page, { Description: 'Cellar' })
    await page.reload()
    await pressAndConfirm(page, 'Discard')
    await expect(page.getByLabel('Description')).toHaveValue('Hall')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
  })

  test('moves nothing while it is sent, nor when it is refused', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'taken' })
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { ...TYPED, 'MAC Address': 'A1B2C3', 'Login Name': 'taken' })
    await page.reload()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await fill(page, { Password: 'tv-secret' })
    const button = page.getByRole('button', { name: 'Submit' })
    // On the page: a refusal scrolls to its field.
    const top = () => button.evaluate((it) => it.getBoundingClientRect().top + window.scrollY)
    const before = await top()
    const release = await holdBack(page, '**/v1/api/client')
    await button.click()
    await expect(page.getByText('Your unsent entries')).toBeHidden()
    expect(await top()).toBe(before)
    release()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    expect(await top()).toBe(before)
  })

  test('is replaced by a question before leaving only where the browser can store nothing', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 1 })
    await world.client(dealer, { login: 'zeta-1' })
    const page = await open({ as: dealer, at: '/new-client' })
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    // The menu is folded all the same.
    await press(page, 'Menu')
    await expect(page.getByRole('complementary')).toHaveCSS('width', '60px')
    await fill(page, TYPED)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave this page?' })
    await press(question, 'Stay')
    await expect(page.getByLabel('Login Name')).toHaveValue('half-typed')
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await press(question, 'Leave')
    await expect(page).toHaveURL('/')
    // Where the page stays, as when a table on it is sorted, nothing typed would be lost.
    await page.getByRole('link', { name: 'zeta-1' }).first().click()
    await fill(page, { Description: 'Cellar' })
    await page.getByRole('button', { name: 'Type', exact: true }).first().click()
    await expect(page).toHaveURL(/sort=/i)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await press(question, 'Leave')
    await expect(page).toHaveURL('/')
  })
})

describe('what is typed', () => {
  test('into a dialog stays there where a click lands beside it', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const page = await open({ as: reseller, at: `/update-dealer/${dealer.name}` })
    await press(page, 'Suspend')
    const reason = page.getByRole('dialog').getByLabel('Reason')
    await typeIn(reason, 'Owes 40 credits')
    await page.mouse.click(5, 300)
    await typeIn(reason, ' since May')
    await expect(reason).toHaveValue('Owes 40 credits since May')
    await page.keyboard.press('Escape')
    await press(page, 'Settings')
    const password = page.getByLabel('Present password')
    await typeIn(password, PASSWORD)
    await page.mouse.click(5, 300)
    await password.press('End')
    await page.keyboard.type('!')
    await expect(password).toHaveValue(`${PASSWORD}!`)
    await password.clear()
    await page.mouse.click(5, 300)
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('is on the screen, and is what is sent, also after the page was in the back/forward cache of Safari', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    const page = await open({ at: '/new-client' })
    await fill(page, { Username: dealer.name, Password: PASSWORD })
    await comeBackFromCache(page)
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue(PASSWORD)
    await press(page, 'Sign in')
    const typed = { 'Login Name': 'half-typed', Password: 'tv-secret', Description: 'Attic' }
    await fill(page, { ...typed, 'MAC Address': 'A1B2C3' })
    await page.getByRole('combobox', { name: 'Find a client, screen or action' }).fill('half')
    await comeBackFromCache(page)
    await expect(page.getByRole('combobox', { name: 'Find a client, screen or action' })).toHaveValue('half')
    for (const [label, value] of Object.entries(typed))
      await expect(page.getByLabel(label, { exact: true })).toHaveValue(value)
    await press(page, 'Submit')
    await readNotice(page, 'Client half-typed created successfully!')

    await page.getByRole('searchbox').fill('half')
    await comeBackFromCache(page)
    await expect(page.getByRole('searchbox')).toHaveValue('half')
    await page.getByRole('link', { name: 'half-typed' }).click()
    const description = page.getByLabel('Description')
    await expect(description).toHaveValue('Attic')
    await comeBackFromCache(page)
    await description.focus()
    await page.keyboard.press('Tab')
    await expect(description).toHaveValue('Attic')
    await press(page, 'Update Client')
    await readNotice(page, 'Client half-typed updated successfully!')
    expect(await dealer.call(calls.clients.detail, { name: 'half-typed' })).toMatchObject({
      description: 'Attic',
    })
  })

  test('beside a form that was sent keeps its page open', async ({ open, world }) => {
    const { reseller, dealer } = await world.family({ credits: 5, to: 'reseller' })
    // An address may have the name in other letters: it becomes that of the list.
    const page = await open({ as: reseller, at: `/update-dealer/${dealer.name.toUpperCase()}` })
    await expect(page).toHaveURL(`/update-dealer/${dealer.name}`)
    const password = page.getByLabel('New Password', { exact: true })
    await password.click()
    await page.keyboard.type('another-')
    await pressAndConfirm(page, 'Add 1 credit')
    await expect(page.getByText('Dealer updated successfully!')).toBeVisible()
    // The list would open two seconds after the save, and before the fields of the form are ready for the next.
    await expect(page.getByRole('button', { name: 'Add 1 credit', exact: true })).toBeEnabled()
    await password.press('End')
    await page.keyboard.type('password')
    await expect(password).toHaveValue('another-password')
    await expect(page).toHaveURL(`/update-dealer/${dealer.name}`)
    // Once it is sent too, nothing keeps the page.
    await fill(page, { 'Confirm New Password': 'another-password' })
    await press(page, 'Change Password')
    await readNotice(page, 'Password changed successfully!')
    await pressAndConfirm(page, 'Add 1 credit')
    await expect(page).toHaveURL('/dealers')
  })
})

interface Sent {
  button: string
  /** What is said above the entries in the form that was opened again. */
  restored: string
  /** The notice of the answer. */
  told: string
}

/** Sends a form on a slow line, opens it again before the answer, and expects that the answer empties it. */
async function isGoneOnceAnswered(page: Page, url: string, { button, restored, told }: Sent): Promise<void> {
  const release = await holdBack(page, url)
  await press(page, button)
  await leaveAndComeBack(page)
  await expect(page.getByText(restored)).toBeVisible()
  release()
  await readNotice(page, told)
  await expect(page.getByText(restored)).toHaveCount(0)
  await expect(page.getByText('Your unsent entries')).toHaveCount(0)
  expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
}

async function leaveAndComeBack(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Dashboard' }).click()
  // Until the dashboard is there, the form is.
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible()
  await page.goBack()
}

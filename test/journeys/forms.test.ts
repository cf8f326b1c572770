import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import {
  expect,
  fill,
  holdBack,
  liveOf,
  press,
  pressAndConfirm,
  readNotice,
  rows,
  signIn,
  test,
} from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

const NOT_OURS = 'This is not a MAC of our boxes: they begin with 00:1A:79'

describe('a MAC', () => {
  const WAYS = [
    '00:1A:79:12:34:56',
    '001a79123456',
    '00-1A-79-12-34-56',
    'MAC: 00:1A:79:12:34:56',
    '12:34:56',
    '123456',
  ]

  test('is read in every notation for a new client, typed key by key or pasted', async ({ open, world }) => {
    const page = await open({ as: (await world.family()).dealer, at: '/new-client' })
    const field = page.getByLabel('MAC Address')
    for (const text of WAYS) {
      await field.fill('')
      await field.pressSequentially(text)
      await expect(field, `typed: ${text}`).toHaveValue('00:1A:79:12:34:56')
      await field.fill('')
      await paste(page, 'MAC Address', text)
      await expect(field, `pasted: ${text}`).toHaveValue('00:1A:79:12:34:56')
    }
    await fill(page, { 'Login Name': 'from-sticker', Password: 'tv-1234' })
    const request = page.waitForRequest('**/v1/api/client')
    await press(page, 'Submit')
    expect((await request).postDataJSON()).toMatchObject({ stb_mac: '00:1A:79:12:34:56' })
    await readNotice(page, 'Client from-sticker created successfully!')
  })

  test('of another maker stays in the field, which says why it is refused', async ({ open, world }) => {
    const page = await open({ as: (await world.family()).dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'from-sticker', Password: 'tv-1234' })
    const field = page.getByLabel('MAC Address')
    for (const [text, why] of [
      ['AA:BB:CC:DD:EE:FF', NOT_OURS],
      ['00:1A:79:GG:HH:II', `${NOT_OURS}, then have three pairs of 0 to 9 and A to F`],
    ] as const) {
      for (const give of [() => field.pressSequentially(text), () => paste(page, 'MAC Address', text)]) {
        await field.fill('')
        await give()
        await expect(field).toHaveValue(text)
        await expect(page.getByText(why, { exact: true })).toBeVisible()
        await expect(page.getByRole('button', { name: 'Submit' })).toBeDisabled()
      }
    }
  })

  test('that is not finished or has more behind it stays in the field, and is refused', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family()).dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'half-typed', Password: 'tv-1234' })
    const field = page.getByLabel('MAC Address')
    const login = page.getByLabel('Login Name')
    for (const [text, value] of [
      ['00:1A:79', '00:1A:79'],
      ['001A79', '00:1A:79'],
      ['00:1A:79:00:1A:79:12:34:56', '00:1A:79:00:1A:79:12:34:56'],
      ['00:1A:79:12:34:56,78', '00:1A:79:12:34:56:78'],
      ['001A79 001A79 123456', '00:1A:79:00:1A:79:12:34:56'],
    ] as const) {
      for (const give of [() => field.pressSequentially(text), () => paste(page, 'MAC Address', text)]) {
        await field.fill('')
        await give()
        await login.focus()
        await expect(field).toHaveValue(value)
        await expect(page.getByText('MAC address should be 17 characters long')).toBeVisible()
        await expect(page.getByRole('button', { name: 'Submit' })).toBeDisabled()
      }
    }
  })

  test('replaces the selected MAC of a client, and can be corrected in the middle', async ({
    open,
    world,
  }) => {
    const { page, field, dealer } = await openClientWithMac(open, world)
    await field.focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('001A79123499')
    await expect(field).toHaveValue('00:1A:79:12:34:99')
    await field.evaluate((input: HTMLInputElement) => input.setSelectionRange(15, 15))
    await page.keyboard.press('Delete')
    await page.keyboard.type('5')
    await page.keyboard.press('Delete')
    await page.keyboard.type('6')
    await expect(field).toHaveValue('00:1A:79:12:34:56')
    await field.evaluate((input: HTMLInputElement) => input.setSelectionRange(12, 12))
    await page.keyboard.press('Backspace')
    await page.keyboard.type('0')
    await expect(field).toHaveValue('00:1A:79:10:34:56')
    expect(await field.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(11)
    await press(page, 'Update Client')
    await expectSaved(page, dealer, 'has-a-mac', 'updated', { mac: '00:1A:79:10:34:56' })
  })

  test('of a client that is there is read in every notation, or refused and kept in view', async ({
    open,
    world,
  }) => {
    const { page, field, dealer } = await openClientWithMac(open, world)
    for (const text of WAYS) {
      for (const give of [() => field.pressSequentially(text), () => paste(page, 'MAC Address', text)]) {
        await field.fill('')
        await give()
        await expect(field, text).toHaveValue('00:1A:79:12:34:56')
      }
    }
    for (const [text, why] of [
      ['AA:BB:CC:DD:EE:FF', NOT_OURS],
      ['00:1A:79:GG:HH:II', `${NOT_OURS}, then have three pairs of 0 to 9 and A to F`],
      ['00:1A:79:12:34', 'MAC address should be 17 characters long'],
    ] as const) {
      await field.fill('')
      await field.pressSequentially(text)
      await press(page, 'Update Client')
      await readNotice(page, 'Error updating client. Please try again.', `${why}.`)
      await expect(field).toHaveAccessibleDescription(new RegExp(`^${why}\\.?$`))
      await expect(field).toHaveValue(text)
    }
    expect(await dealer.call(calls.clients.detail, { name: 'has-a-mac' })).toMatchObject({
      mac: '00:1A:79:AB:CD:EF',
    })
  })

  test('says beside its field when its box asked', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    const { mac: old, name } = await world.client(dealer, { months: 1 })
    const asked = new Date(world.clock.now.getTime() - 130_000)
    await world.server.sql`
      insert into unknown_box (mac, first_asked, asked, stb_type, version)
      values ('00:1A:79:12:34:5A', ${asked}, ${asked}, 'MAG250', '')`
    const page = await open({ as: dealer, at: '/new-client' })
    const field = page.getByLabel('MAC Address')
    await field.pressSequentially('12345')
    await expect(page.getByText(/has asked|box asked/)).toHaveCount(0)
    await field.pressSequentially('A')
    await expect(field).toHaveAccessibleDescription('This box asked 2 minutes ago')
    // It changes each minute, and so is not announced.
    expect(await liveOf(page.getByText('minutes ago').last())).toBe('off')
    await field.press('Backspace')
    await field.pressSequentially('B')
    await expect(field).toHaveAccessibleDescription('No box with this MAC has asked')
    await page.goto(`/update-client/${name}`)
    await expect(field).toHaveValue(old)
    await expect(field).not.toHaveAccessibleDescription(/asked/)
    await field.fill('00:1A:79:12:34:5A')
    await expect(field).toHaveAccessibleDescription(
      'A new MAC removes everything known about its box. This box asked 2 minutes ago.',
    )
  })

  test('is searched for only once it is complete', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'searched-for', stb_mac: '00:1A:79:12:34:56' })
    const page = await open({ as: world.admin, at: '/admin/delete-mac' })
    const field = page.getByLabel('MAC Address')
    const search = page.getByRole('button', { name: 'Search' })
    for (const text of WAYS) {
      await field.fill('')
      await field.pressSequentially(text.slice(0, -1))
      await expect(search).toBeDisabled()
      await field.pressSequentially(text.slice(-1))
      await expect(field).toHaveValue('00:1A:79:12:34:56')
      await expect(search).toBeEnabled()
      await field.fill('')
      await paste(page, 'MAC Address', text)
      await expect(search).toBeEnabled()
    }
    await press(page, 'Search')
    await expect(page.getByText('searched-for')).toBeVisible()
    await field.fill('')
    await paste(page, 'MAC Address', 'AA:BB:CC:DD:EE:FF')
    await expect(field).toHaveValue('AA:BB:CC:DD:EE:FF')
    await expect(page.getByText(NOT_OURS)).toBeVisible()
    await expect(search).toBeDisabled()
  })

  test('can be composed by the keyboard of a phone', async ({ open, world }) => {
    const page = await open({
      as: (await world.family()).dealer,
      at: '/new-client',
      width: 390,
      height: 844,
      touch: true,
    })
    const field = page.getByLabel('MAC Address')
    await field.tap()
    const keyboard = await page.context().newCDPSession(page)
    for (const text of ['a', 'a1', 'a1b', 'a1b2']) {
      await keyboard.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      })
    }
    await keyboard.send('Input.insertText', { text: 'a1b2' })
    await expect(field).toHaveValue('00:1A:79:A1:B2')
    await keyboard.send('Input.imeSetComposition', { text: 'c', selectionStart: 1, selectionEnd: 1 })
    await keyboard.send('Input.imeSetComposition', { text: 'c3', selectionStart: 2, selectionEnd: 2 })
    await page.getByLabel('Description').tap()
    await expect(field).toHaveValue('00:1A:79:A1:B2:C3')
  })
})

describe('a phone number', () => {
  test.for([
    ['+1 416 555 0199', '(416) 555-0199', '4165550199'],
    ['4165550199', '(416) 555-0199', '4165550199'],
    ['+44 20 7946 0958', '+44 20 7946 0958', '+442079460958'],
    ['0044 20 7946 0958', '00442079460958', '+442079460958'],
    ['020 7946 0958', '02079460958', '02079460958'],
  ] as const)(
    'typed or pasted as %s stays that number, and is found by its digits',
    async ([text, shown, kept], { open, world }) => {
      const { dealer } = await world.family()
      const page = await open({ as: dealer, at: '/new-client' })
      const field = page.getByLabel('Phone Number')
      await paste(page, 'Phone Number', text)
      await field.blur()
      await expect(field).toHaveValue(shown)
      await field.fill('')
      await field.pressSequentially(text)
      await field.blur()
      await expect(field).toHaveValue(shown)
      await fill(page, { 'Login Name': 'with-phone', Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
      await press(page, 'Submit')
      await expectSaved(page, dealer, 'with-phone', 'created', { phone: kept })
      await page.goto('/update-client/with-phone')
      await expect(field).toHaveValue(kept.length === 10 ? shown : kept)
      await field.fill('')
      await field.pressSequentially(text)
      await field.blur()
      await expect(field).toHaveValue(shown)
      await press(page, 'Update Client')
      await expectSaved(page, dealer, 'with-phone', 'updated', { phone: kept })
      for (const term of [text, kept, kept.slice(3, 8)]) {
        await page.goto(`/clients?search=${encodeURIComponent(term)}`)
        await expect(rows(page, 'Clients')).toHaveText([/with-phone/])
      }
    },
  )

  test('is the one typed, though its field was left meanwhile to look the rest up', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    const field = page.getByLabel('Phone Number')
    for (const [first, rest] of [
      ['+', '33123456789'],
      ['+331', '23456789'],
      ['+33', '123456789'],
    ] as const) {
      await field.fill('')
      await field.pressSequentially(first)
      await field.blur()
      await expect(field).toHaveValue(first)
      await field.press('End')
      await field.pressSequentially(rest)
      await field.blur()
      await expect(field).toHaveValue('+33123456789')
    }
    await fill(page, { 'Login Name': 'looked-up', Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
    await press(page, 'Submit')
    await expectSaved(page, dealer, 'looked-up', 'created', { phone: '+33123456789' })
  })

  test('with few digits is stored with a hint, and one with words is refused at its field', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    const field = page.getByLabel('Phone Number')
    await field.pressSequentially('ask Ana')
    await field.blur()
    await expect(field).toHaveValue('ask Ana')
    await expect(page.getByText('Phone number may have digits, spaces, brackets, + and -')).toBeVisible()
    await field.fill('')
    await field.pressSequentially('5550199')
    await field.blur()
    await expect(page.getByText('7 digits are few for a phone number')).toBeVisible()
    await fill(page, { 'Login Name': 'with-phone', Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
    await press(page, 'Submit')
    await expectSaved(page, dealer, 'with-phone', 'created', { phone: '5550199' })
  })

  test('that is stored in another format is not changed by opening its form', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'kept-before' })
    await world.server.ownerSql`update client set phone = '14165550199' where name = 'kept-before'`
    const page = await open({ as: dealer, at: '/update-client/kept-before' })
    const field = page.getByLabel('Phone Number')
    await expect(field).toHaveValue('14165550199')
    await field.focus()
    await field.blur()
    await expect(field).toHaveValue('14165550199')
    await fill(page, { Description: 'Attic' })
    const request = page.waitForRequest('**/v1/api/saveclient')
    await press(page, 'Update Client')
    expect((await request).postDataJSON()).toEqual({ login: 'kept-before', desc: 'Attic' })
  })
})

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
    await press(other, 'Logout')
    await press(question, 'Logout')
    await expect(page).toHaveURL('/login')
    await signIn(page, dealer.name)
    await page.goto('/new-client')
    await expect(page.getByLabel('Login Name')).toHaveValue('')
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
    await press(page, 'Discard')
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
    await readNotice(page, 'Error updating client. Please try again.', CHANGED)
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
    await press(page, 'Discard')
    await expect(page.getByLabel('Description')).toHaveValue('Hall')
    await expect(page.getByRole('switch', { name: 'Active' })).toBeFocused()
    expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull()
  })

  test('is replaced by a question before leaving only where the browser can store nothing', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family()).dealer, at: '/new-client' })
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    await fill(page, TYPED)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave this page?' })
    await press(question, 'Stay')
    await expect(page.getByLabel('Login Name')).toHaveValue('half-typed')
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await press(question, 'Leave')
    await expect(page).toHaveURL('/')
  })
})

const CHANGED = 'The expiry of is-a-client has changed in the meantime. Please look again.'

describe('an added month', () => {
  test('that is chosen in the moment in which the form becomes ready stays chosen', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-a-client', months: 1 })
    const page = await open({ as: dealer, at: '/clients' })
    // Chooses as soon as the list can be used, before the browser draws the next frame.
    await page.addInitScript(() => {
      const choose = () => {
        const list = document.querySelector<HTMLSelectElement>('select[name=months]')
        if (!list || list.matches(':disabled')) return
        watcher.disconnect()
        list.value = '1'
        list.dispatchEvent(new Event('change', { bubbles: true }))
      }
      const watcher = new MutationObserver(choose)
      watcher.observe(document, { subtree: true, childList: true, attributes: true })
    })
    await page.goto('/update-client/is-a-client')
    await expect(page.getByText('New expiry 2026-07-15')).toBeVisible()
    await expect(page.getByLabel('Add months')).toHaveValue('1')
  })

  test('counts once from two tabs, because the second tab is refused with the changed expiry', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-a-client', months: 1 })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    await fill(page, { 'Add months': '1' })
    await expect(page.getByText('New expiry 2026-07-15')).toBeVisible()
    // The first tab cannot refresh itself meanwhile, as on a line that has gone.
    await page.route('**/v1/api/client/*', (route) => route.abort())
    const other = await page.context().newPage()
    await other.goto('/update-client/is-a-client')
    await fill(other, { 'Add months': '1' })
    await press(other, 'Update Client')
    await readNotice(other, 'Client is-a-client updated successfully!')
    await press(page, 'Update Client')
    await readNotice(page, 'Error updating client. Please try again.', CHANGED)
    const json = { status: 'ERROR', code: 'internal', message: 'Not now.' }
    await page.route('**/v1/api/client/*', (route) => route.fulfill({ status: 500, json }))
    await press(page, 'Reload')
    await readNotice(page, 'Error loading the client. Please try again.', json.message)
    await page.unrouteAll()
    await press(page, 'Reload')
    await expect(page.getByText('New expiry 2026-08-15')).toBeVisible()
    expect(await dealer.call(calls.clients.detail, { name: 'is-a-client' })).toMatchObject({
      expiry: '2026-07-15T23:59:59.000Z',
    })
  })

  test('from elsewhere is shown when the page becomes visible again', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-a-client', months: 1 })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    await page.clock.install()
    const card = page.getByRole('region', { name: 'Client', exact: true })
    await expect(card).toContainText('2026-06-15')
    await dealer.call(calls.clients.renew, { name: 'is-a-client', months: 2 })
    await page.clock.fastForward(5_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await expect(card).toContainText('2026-08-15')
    await expect(page.getByText('Up to 3 credits can be retrieved')).toBeVisible()
    await fill(page, { 'Add months': '1' })
    await press(page, 'Update Client')
    await readNotice(page, 'Client is-a-client updated successfully!')
  })
})

describe('the select of credits to retrieve', () => {
  test('offers only credits that can be taken back, and names the last one as a trial', async ({
    open,
    world,
  }) => {
    const { page, card } = await openTwoMonths(open, world)
    await expect(card.locator('option')).toHaveText(['Select credits', '1 credit', '2 credits'])
    await fill(card, { Credits: '1' })
    await press(card, 'Retrieve Credits')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText('Its service ends on 2026-06-15 instead of 2026-07-15.')
    await expect(question).not.toContainText('trial')
    await press(question, 'Cancel')
    await fill(card, { Credits: '2' })
    await press(card, 'Retrieve Credits')
    await expect(question).toContainText('Its service ends on 2026-05-15 instead of 2026-07-15.')
    await expect(question).toContainText('That leaves today only, and counts as one of today’s trials.')
    await press(question, 'Retrieve')
    await readNotice(page, 'Successfully retrieved 2 credits')
    await expect(card.getByRole('button', { name: 'Retrieve Credits' })).toBeDisabled()
    await expect(card).toContainText('There is nothing to retrieve')
  })

  test('asks again about the present expiry where it has changed since the question', async ({
    open,
    world,
  }) => {
    const { dealer, page, card } = await openTwoMonths(open, world)
    await fill(card, { Credits: '1' })
    await press(card, 'Retrieve Credits')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText('Its service ends on 2026-06-15 instead of 2026-07-15.')
    await dealer.call(calls.clients.renew, { name: 'is-a-client', months: 1 })
    await press(question, 'Retrieve')
    await readNotice(page, 'Error retrieving credits. Please try again.', CHANGED)
    await expect(question).toHaveCount(0)
    await press(card, 'Retrieve Credits')
    await expect(question).toContainText('Its service ends on 2026-07-15 instead of 2026-08-15.')
    await press(question, 'Retrieve')
    await readNotice(page, 'Successfully retrieved 1 credits')
  })

  test('offers nothing where a recent trial of the MAC forbids it', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 20 })
    const mac = '00:1A:79:12:34:56'
    await world.client(dealer, { login: 'had-a-trial', stb_mac: mac })
    await world.setExpiry('had-a-trial', '2026-05-14T23:59:59.000Z')
    await dealer.call(calls.clients.remove, { name: 'had-a-trial' })
    await world.client(dealer, { login: 'is-a-client', stb_mac: mac, months: 1 })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    const card = page.getByRole('region', { name: 'Retrieve Credits' })
    await expect(card).toContainText('There is nothing to retrieve')
    await expect(card.getByRole('button', { name: 'Retrieve Credits' })).toBeDisabled()
    await dealer.refused('mac_had_trial', calls.clients.retrieve, { login: 'is-a-client', credits: 1 })
  })
})

test('switching to Ministra first says that the MAC is removed', async ({ open, world }) => {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'is-a-client', stb_mac: '00:1A:79:12:34:56' })
  const page = await open({ as: dealer, at: '/update-client/is-a-client' })
  const said = page.getByText(
    'Ministra removes the MAC 00:1A:79:12:34:56 and everything known about its box.',
  )
  await expect(page.getByRole('switch', { name: 'Ministra' })).not.toBeChecked()
  await expect(said).toHaveCount(0)
  await page.getByRole('switch', { name: 'Ministra' }).check()
  await expect(said).toBeVisible()
  await page.getByRole('switch', { name: 'Ministra' }).uncheck()
  await expect(said).toHaveCount(0)
  await page.getByLabel('MAC Address').fill('A1B2C3')
  await expect(page.getByText('A new MAC removes everything known about its box.')).toBeVisible()
})

test('the password of an expired client can be read but not changed', async ({ open, world }) => {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'is-a-client' })
  await world.setExpiry('is-a-client', '2026-05-14T23:59:59.000Z')
  const page = await open({ as: dealer, at: '/update-client/is-a-client' })
  const password = page.getByLabel('Password', { exact: true })
  await expect(password).toHaveValue('secret-tv')
  await press(page, 'Show password')
  await expect(password).toHaveAttribute('type', 'text')
  await expect(password).toBeDisabled()
})

describe('two fields that belong together', () => {
  test('are judged together, whichever of two passwords is corrected', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const page = await open({ as: reseller, at: `/update-dealer/${dealer.name}` })
    const change = page.getByRole('button', { name: 'Change Password' })
    const fault = page.getByText('Passwords do not match')
    const first = page.getByLabel('New Password', { exact: true })
    await first.click()
    await first.pressSequentially('another-password')
    const again = page.getByLabel('Confirm New Password')
    await again.click()
    await again.pressSequentially('another-passwort')
    await again.blur()
    await expect(fault).toBeVisible()
    await first.click()
    await first.press('End')
    await first.press('Backspace')
    await first.press('t')
    await expect(change).toBeEnabled()
    await expect(fault).toHaveCount(0)
    await first.press('s')
    await expect(change).toBeDisabled()
    await expect(fault).toBeVisible()
  })

  test('are judged again when the balance comes that the months need', async ({ open, world }) => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    const page = await open({ as: dealer, at: '/new-client' })
    await page.getByLabel('Login Name').pressSequentially('waits-for')
    await page.getByLabel('Password', { exact: true }).pressSequentially('tv-1234')
    await page.getByLabel('MAC Address').pressSequentially('A1B2C3')
    const credits = page.getByLabel('Credits')
    await credits.selectOption('3')
    await credits.blur()
    const short = page.getByText('You have 0 credits; this needs 3.')
    await expect(short).toBeVisible()
    await expect(page.getByRole('button', { name: 'Submit' })).toBeDisabled()
    // Nobody touches the page: the dealer is on the telephone.
    await world.give(reseller, dealer, 4)
    await expect(page.getByText('Costs 3 credits; you have 4 credits')).toBeVisible()
    await expect(short).toHaveCount(0)
    await press(page, 'Submit')
    await expect(page.getByText('Client waits-for created successfully!')).toBeVisible()
  })
})

describe('a renewal that is too dear', () => {
  test('can be made once the credits have come, while its dialog stays open', async ({ open, world }) => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    await world.client(dealer, { login: 'on-the-phone' })
    const page = await open({ as: dealer, at: '/update-client/on-the-phone' })
    await press(page, 'Renew')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('You have 0 credits; this needs 1.')).toBeVisible()
    await world.give(reseller, dealer, 4)
    await press(dialog, 'Renew for 1 credit')
    await expect(page.getByText('Successfully renewed 1 month(s) for on-the-phone')).toBeVisible()
    // The next one is not confirmed by what was said for the last.
    const release = await holdBack(page, '**/v1/api/quote*')
    await press(page, 'Renew')
    await expect(dialog.getByText('New expiry')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Renew for 1 credit' })).toBeDisabled()
    await expect(dialog.locator('time')).toHaveCount(0)
    release()
    await press(dialog, 'Renew for 1 credit')
    await expect.poll(async () => (await dealer.call(calls.credits.dealer)).credits).toBe(2)
  })
})

describe('a refusal at a field', () => {
  test('disappears on an edit, and returns only with the next submit', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'was-here' })
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'was-here', Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
    await press(page, 'Submit')
    await readNotice(page, 'This login is taken by your client was-here.')
    const fault = page.getByRole('main').getByText('This login is taken by your client was-here.')
    await expect(fault).toHaveCount(1)
    await page.getByLabel('Login Name').pressSequentially('2')
    await expect(fault).toHaveCount(0)
    // The page renders again whenever it loads data.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await fill(page, { Description: 'Attic', Package: '13' })
    await page.getByLabel('Ministra').check()
    await expect(fault).toHaveCount(0)
    await fill(page, { 'Login Name': 'was-here' })
    await press(page, 'Submit')
    await expect(fault).toHaveCount(1)
  })
})

describe('what is typed', () => {
  test('into a dialog stays there where a click lands beside it', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const page = await open({ as: reseller, at: `/update-dealer/${dealer.name}` })
    await press(page, 'Suspend')
    const reason = page.getByRole('dialog').getByLabel('Reason')
    await reason.pressSequentially('Owes 40 credits')
    await page.mouse.click(5, 300)
    await reason.pressSequentially(' since May')
    await expect(reason).toHaveValue('Owes 40 credits since May')
  })

  test('beside a form that was sent keeps its page open', async ({ open, world }) => {
    const { reseller, dealer } = await world.family({ credits: 5, to: 'reseller' })
    const page = await open({ as: reseller, at: `/update-dealer/${dealer.name}` })
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

/** Opens the page of a client with two paid months, and its card for taking credits back. */
async function openTwoMonths(open: (visit: { as: Person; at: string }) => Promise<Page>, world: World) {
  const { dealer } = await world.family({ credits: 20 })
  await world.client(dealer, { login: 'is-a-client', months: 2 })
  const page = await open({ as: dealer, at: '/update-client/is-a-client' })
  return { dealer, page, card: page.getByRole('region', { name: 'Retrieve Credits' }) }
}

/** Opens the page of a client that has a MAC. */
async function openClientWithMac(open: (visit: { as: Person; at: string }) => Promise<Page>, world: World) {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'has-a-mac', stb_mac: '00:1A:79:AB:CD:EF' })
  const page = await open({ as: dealer, at: '/update-client/has-a-mac' })
  const field = page.getByLabel('MAC Address')
  await expect(field).toHaveValue('00:1A:79:AB:CD:EF')
  return { dealer, page, field }
}

/** Waits until a client is saved, and expects what the server then says of it. */
async function expectSaved(
  page: Page,
  dealer: Person,
  name: string,
  how: 'created' | 'updated',
  fields: Record<string, unknown>,
): Promise<void> {
  await readNotice(page, `Client ${name} ${how} successfully!`)
  expect(await dealer.call(calls.clients.detail, { name })).toMatchObject(fields)
}

/** Replaces the content of the field in one edit, as pasting does. */
async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).focus()
  await page.keyboard.insertText(text)
}

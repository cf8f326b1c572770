import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { expect, fill, press, readNotice, rows, test } from '../support/browser.ts'

const NOT_OURS = 'This is not a MAC of our boxes: they begin with 00:1A:79'

describe('the MAC of a sticker', () => {
  const WAYS = [
    '00:1A:79:12:34:56',
    '001a79123456',
    '00-1A-79-12-34-56',
    'MAC: 00:1A:79:12:34:56',
    '12:34:56',
    '123456',
  ]

  test('is that of a new client, typed key by key or pasted, in any way of writing it', async ({
    open,
    world,
  }) => {
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

  test('that is none of ours stays in view, and its field says why', async ({ open, world }) => {
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

  test('takes the place of the old one on a client, where it is selected, and is corrected in the middle', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'has-a-mac', stb_mac: '00:1A:79:AB:CD:EF' })
    const page = await open({ as: dealer, at: '/update-client/has-a-mac' })
    const field = page.getByLabel('MAC Address')
    await expect(field).toHaveValue('00:1A:79:AB:CD:EF')
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
    await readNotice(page, 'Client has-a-mac updated successfully!')
    expect(await dealer.call(calls.clients.detail, { name: 'has-a-mac' })).toMatchObject({
      mac: '00:1A:79:10:34:56',
    })
  })

  test('is searched for, and only once it is whole', async ({ open, world }) => {
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

  test('is composed by the keyboard of a phone as well', async ({ open, world }) => {
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
    ['+44 20 7946 0958', '+442079460958', '+442079460958'],
    ['0044 20 7946 0958', '+442079460958', '+442079460958'],
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
      await readNotice(page, 'Client with-phone created successfully!')
      expect(await dealer.call(calls.clients.detail, { name: 'with-phone' })).toMatchObject({ phone: kept })
      await page.goto('/update-client/with-phone')
      await expect(field).toHaveValue(shown)
      for (const term of [text, kept, kept.slice(3, 8)]) {
        await page.goto(`/clients?search=${encodeURIComponent(term)}`)
        await expect(rows(page, 'Clients')).toHaveText([/with-phone/])
      }
    },
  )

  test('with few digits gets a hint and is kept; one with words is refused at its field', async ({
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
    await readNotice(page, 'Client with-phone created successfully!')
    expect(await dealer.call(calls.clients.detail, { name: 'with-phone' })).toMatchObject({
      phone: '5550199',
    })
  })

  test('kept before as it stands is left as it stands', async ({ open, world }) => {
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

/** Pastes over what the field holds, as one edit. */
async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).focus()
  await page.keyboard.insertText(text)
}

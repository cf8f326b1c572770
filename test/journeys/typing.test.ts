import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { THOROUGH } from '../laws/runs.ts'
import { expect, fill, liveOf, press, readNotice, rows, test, typeIn } from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

const NOT_OURS = 'This is not a MAC of our boxes: they begin with 00:1A:79'

describe('a MAC', () => {
  const WAYS = [
    '00:1A:79:12:34:56',
    '001a79123456',
    '00-1A-79-12-34-56',
    'MAC Address: 00:1A:79:12:34:56',
    '12:34:56',
    '123456',
  ]

  test('is read in every notation for a new client, typed key by key or pasted', async ({ open, world }) => {
    const page = await open({ as: (await world.family()).dealer, at: '/new-client' })
    const field = page.getByLabel('MAC Address')
    for (const text of WAYS) {
      await field.fill('')
      await typeIn(field, text)
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
      for (const give of [() => typeIn(field, text), () => paste(page, 'MAC Address', text)]) {
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
      for (const give of [() => typeIn(field, text), () => paste(page, 'MAC Address', text)]) {
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
    // As the browser's menu does it.
    const browser = await page.context().newCDPSession(page)
    await browser.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', commands: ['undo'] })
    await expect(field).toHaveValue('00:1A:79:12:34:9')
    // A Russian keyboard has another letter in the place of Z.
    await browser.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'я', code: 'KeyZ', modifiers: 2 })
    await expect(field).toHaveValue('00:1A:79:12:34')
    for (let keys = 0; keys < 2; keys += 1) await page.keyboard.press('Control+z')
    await expect(field).toHaveValue('00:1A:79:12')
    await page.keyboard.press('Control+y')
    await expect(field).toHaveValue('00:1A:79:12:3')
    for (let keys = 0; keys < 20; keys += 1) await page.keyboard.press('Control+z')
    await expect(field).toHaveValue('00:1A:79:AB:CD:EF')
    for (let keys = 0; keys < 20; keys += 1) await page.keyboard.press('Control+Shift+Z')
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
      for (const give of [() => typeIn(field, text), () => paste(page, 'MAC Address', text)]) {
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
      await typeIn(field, text)
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
    await typeIn(field, '12345')
    await expect(page.getByText(/has asked|box asked/)).toHaveCount(0)
    await typeIn(field, 'A')
    await expect(field).toHaveAccessibleDescription('This box asked 2 minutes ago')
    // It changes each minute, and so is not announced.
    expect(await liveOf(page.getByText('minutes ago').last())).toBe('off')
    await field.press('Backspace')
    await typeIn(field, 'B')
    await expect(field).toHaveAccessibleDescription('No box with this MAC has asked')
    await page.goto(`/update-client/${name}`)
    await expect(field).toHaveValue(old)
    await expect(field).not.toHaveAccessibleDescription(/asked/)
    await field.fill('00:1A:79:12:34:5A')
    await expect(field).toHaveAccessibleDescription(
      `Replaces ${old}. A new MAC removes everything known about its box. This box asked 2 minutes ago.`,
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
      await typeIn(field, text.slice(0, -1))
      await expect(search).toBeDisabled()
      await typeIn(field, text.slice(-1))
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

/**
 * What is typed, what the field shows, and what is stored. `npm run faults` tries all; the masks' own suite reads each.
 */
const NUMBERS = [
  ['+1 416 555 0199', '(416) 555-0199', '4165550199'],
  ['+44 20 7946 0958', '+44 20 7946 0958', '+442079460958'],
  ['4165550199', '(416) 555-0199', '4165550199'],
  ['0044 20 7946 0958', '00442079460958', '+442079460958'],
  ['020 7946 0958', '02079460958', '02079460958'],
] as const

describe('a phone number', () => {
  test.for(THOROUGH ? NUMBERS : NUMBERS.slice(0, 2))(
    'typed or pasted as %s stays that number, and is found by its digits',
    async ([text, shown, kept], { open, world }) => {
      const { dealer } = await world.family()
      const page = await open({ as: dealer, at: '/new-client' })
      const field = page.getByLabel('Phone Number')
      await paste(page, 'Phone Number', text)
      await field.blur()
      await expect(field).toHaveValue(shown)
      await field.fill('')
      await typeIn(field, text)
      await field.blur()
      await expect(field).toHaveValue(shown)
      await fill(page, { 'Login Name': 'with-phone', Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
      await press(page, 'Submit')
      await expectSaved(page, dealer, 'with-phone', 'created', { phone: kept })
      await page.goto('/update-client/with-phone')
      await expect(field).toHaveValue(kept.length === 10 ? shown : kept)
      await field.fill('')
      await typeIn(field, text)
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
      await typeIn(field, first)
      await field.blur()
      await expect(field).toHaveValue(first)
      await field.press('End')
      await typeIn(field, rest)
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
    await typeIn(field, 'ask Ana')
    await field.blur()
    await expect(field).toHaveValue('ask Ana')
    await expect(page.getByText('Phone number may have digits, spaces, brackets, + and -')).toBeVisible()
    await field.fill('')
    await typeIn(field, '5550199')
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

test('the spaces that come with a login, typed or pasted, are no part of it', async ({ open, world }) => {
  const { dealer } = await world.family()
  const page = await open({ as: dealer, at: '/new-client' })
  const field = page.getByLabel('Login Name')
  await fill(page, { Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
  for (const give of [() => typeIn(field, 'anna.test '), () => paste(page, 'Login Name', ' anna.test ')]) {
    await field.fill('')
    await give()
    await field.blur()
    await expect(page.getByText('5 to 15 characters').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Submit' })).toBeEnabled()
  }
  await press(page, 'Submit')
  await expectSaved(page, dealer, 'anna.test', 'created', { name: 'anna.test' })
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

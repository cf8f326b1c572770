import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { MOST_COMPRESSED } from '../../contract/channels.ts'
import { leavesOutAdults, PACKAGES } from '../../contract/packages.ts'
import { noteRun } from '../../server/nouns/system/runs.ts'
import { menuOf, to } from '../../web/screens.ts'
import { Box } from '../support/box.ts'
import {
  countCalls,
  drawn,
  expect,
  expectAccessible,
  expectColumns,
  expectPageSizes,
  expectSorted,
  fill,
  holdBack,
  press,
  pressAndConfirm,
  readNotice,
  rows,
  signIn,
  test,
  typeIn,
} from '../support/browser.ts'
import { freshFolder } from '../support/folder.ts'
import {
  A_PLAYLIST,
  compressed,
  givePlaylist,
  letHold,
  playlistOf,
  servePlaylist,
} from '../support/playlist.ts'
import { ADMIN } from '../support/server.ts'
import { expectNothingMoved } from '../support/shifts.ts'
import { PASSWORD } from '../support/world.ts'
import { ALL_CLIENTS, OF_A_BRANCH_FOLDED } from './columns.ts'

describe('the admin', () => {
  test('signs in, opens every menu item, and signs out', async ({ open }) => {
    const page = await open()
    await signIn(page, ADMIN.login, ADMIN.password)
    await expect(page).toHaveURL('/admin')
    await expect(page.getByRole('banner')).toContainText('Admin Panel')
    const menu = page.getByRole('navigation', { name: 'Main' })
    const labels = menuOf('admin').map(({ item }) => item.label)
    await expect(menu.getByRole('listitem')).toHaveText([...labels, 'Logout'])
    const titles = [
      'Dashboard',
      'Add Super Reseller',
      'Super Resellers',
      'Update Message',
      'Delete MAC',
      'Channels',
      'Boxes',
      'Tree',
      'Transactions',
      'Credit Requests',
      'Sign-ins',
      'System',
    ]
    for (const [at, { path, item }] of menuOf('admin').entries()) {
      const { label } = item
      await menu.getByRole('link', { name: label, exact: true }).click()
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(titles[at] as string)
      await expect(menu.locator('[aria-current=page]')).toHaveText(label)
      await expect(page).toHaveTitle(`${titles[at]} · Boxtree`)
    }
    await press(page, 'Logout')
    await expect(page).toHaveURL('/login')
  })

  test('is told on any screen of a job that fails, reads it on System, and is told no more once it goes well', async ({
    open,
    world,
  }) => {
    const run = { name: 'counts', took_ms: 5, next: null } as const
    for (const failure of ['out of memory', 'out of memory', 'out of memory'])
      await noteRun(world.server.sql, { ...run, failure })
    const page = await open({ as: world.admin })
    const told = page.getByText('The job Counts has failed 3 times in a row: out of memory.')
    await expect(told).toBeVisible()
    await page.getByRole('banner').getByRole('link', { name: 'The job Counts has failed' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('System')
    await expect(told).toHaveCount(1)
    await expect(rows(page, 'Jobs')).toContainText(['CountsFailed 3 times'])
    await noteRun(world.server.sql, { ...run, failure: null })
    await page.reload()
    await expect(page.getByText('None. All is well.')).toBeVisible()
    await expect(rows(page, 'Jobs')).toContainText(['CountsSucceeded'])
    // A server that is gone is a row among the servers, and speaks in none of the cards.
    await page.route('**/v1/admin/system', async (route) => {
      const state = (await (await route.fetch()).json()) as OutputOf<typeof calls.system.state>
      const [server] = state.servers
      const { now } = world.clock
      const backups = { every_hours: 24, kept: 7, newest: now, test_restore: null, sound: null, next: now }
      const gone = { ...server, id: 'gone', host: 'is-gone', state: 'gone', version: '0.0.9', node: '20.0.0' }
      const servers = [...state.servers, { ...gone, backups: { ...backups, failure: null } }]
      await route.fulfill({ json: { ...state, servers } })
    })
    await page.reload()
    await expect(rows(page, 'Servers').last()).toContainText(/is-goneGone.*0\.0\.9/)
    await expect(page.getByRole('region', { name: 'Backups' })).toContainText('Boxtree makes none by itself.')
    await expect(page.getByRole('region', { name: 'Boxtree' })).not.toContainText(/0\.0\.9|20\.0\.0/)
    await page.goto('/icon.svg')
    const asked = page.waitForResponse('**/v1/admin/findings')
    await page.goto('/admin')
    await asked
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
    await drawn(page)
    await expect(told).toHaveCount(0)
  })

  test('sees nothing move when a problem is told, which comes after the page', async ({ open, world }) => {
    for (let failures = 0; failures < 3; failures += 1)
      await noteRun(world.server.sql, { name: 'counts', took_ms: 5, next: null, failure: 'out of memory' })
    for (const [width, touch] of [
      [390, true],
      [768, true],
      [1440, false],
    ] as const) {
      const page = await open({ as: world.admin, width, touch })
      await expect(page.getByRole('banner').getByText('The job Counts has failed 3 times')).toBeVisible()
      await expectNothingMoved(page)
    }
  })

  test('sees linked totals, the growth of the clients and the newest transactions', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 12 })
    await world.client(dealer, { months: 2 })
    const page = await open({ as: world.admin })
    await expect(page).toHaveURL('/admin')
    const tiles = page.getByRole('main').getByRole('list').first().getByRole('listitem')
    await expect(tiles).toHaveText(['All Clients1', 'Super Resellers1', 'CreditsUnlimited'])
    const chart = page.getByRole('region', { name: 'Number of Clients Over Time' })
    await expect(chart.locator('canvas')).toBeVisible()
    const reader = chart.getByRole('slider')
    await expect(reader).toHaveAttribute('aria-valuetext', '2026-05-15: Clients 1')
    // What is seen is said by the slider alone.
    await reader.press('Home')
    await expect(chart.getByText('2026-05-15: Clients 1')).toBeVisible()
    await expect(chart.locator('[aria-live]')).toHaveCount(0)
    await press(chart, 'Show as table')
    await expect(chart.locator('tbody tr').first()).toHaveText('2026-05-151')
    await press(chart, 'Show as chart')
    const used = page.getByRole('region', { name: 'Credits Used Over Time' })
    await press(used, 'Show as table')
    await expect(used.locator('tbody tr').first()).toHaveText('2026-05-152')
    const name = 'Latest Transactions'
    await expectColumns(page, name, OF_A_BRANCH_FOLDED)
    await expectSorted(page, name, 'Date', 'descending')
    await expectPageSizes(page, name, [5, 10, 25])
    await expect(rows(page, name)).toHaveCount(4)
    await expect(rows(page, name).first()).toContainText(/^2026-05-15 10:00:00USED2.*00:1A:79.*2026-07-15/)
    await tiles.nth(1).getByRole('link').click()
    await expect(page).toHaveURL('/super-resellers')
    await page.goBack()
    await tiles.nth(0).getByRole('link').click()
    await expect(page).toHaveURL('/admin/clients?filter=all')
  })

  test('sees a sentence instead of each empty table', async ({ open, world }) => {
    const page = await open({ as: world.admin })
    await expect(page.getByText('No transactions found')).toBeVisible()
    await page.goto('/super-resellers')
    await expect(page.getByText('No super resellers found')).toBeVisible()
    await page.getByRole('main').getByRole('link', { name: 'Add Super Reseller' }).last().click()
    await expect(page).toHaveURL('/add-super-reseller')
  })

  test('lists the superresellers with the totals beneath each', async ({ open, world }) => {
    const { dealer, superreseller } = await world.family({ credits: 12 })
    await world.client(dealer)
    await world.child(world.admin, 1500, 'Another')
    const page = await open({ as: world.admin, at: '/super-resellers' })
    await expect(page.locator('dl')).toHaveText('Total Clients1Date2026-05-15 10:00:00')
    const name = 'Super Resellers'
    const columns = ['Name', 'Credits', 'Description', 'Resellers', 'Dealers', 'Clients']
    // There is no room for the state, which is a mark behind the name here.
    await expectColumns(page, name, [...columns, 'Lasts', 'Used, 30 days', 'Last login'])
    await page.getByRole('columnheader', { name: 'Used, 30 days' }).getByRole('button').hover()
    await expect(page.getByRole('tooltip')).toHaveText('Less those taken back')
    await expectSorted(page, name, 'Name', 'ascending')
    await expectPageSizes(page, name, [10, 25, 50])
    await expect(rows(page, name)).toHaveText([/^Another1,500000/, new RegExp(`^${superreseller.name}0111`)])
    await page.getByRole('button', { name: 'Credits' }).click()
    await expect(rows(page, name).first()).toContainText(superreseller.name)
    await page.getByRole('link', { name: 'Another' }).click()
    await expect(page).toHaveURL('/update-super-reseller/Another')
  })

  test('adds a superreseller, gives it credits without a limit, and stays on its screen', async ({
    open,
    world,
  }) => {
    const page = await open({ as: world.admin, at: '/add-super-reseller' })
    await fill(page, { Login: 'northstar', Password: PASSWORD })
    await press(page, 'Add Super Reseller')
    await readNotice(page, 'Super Reseller added successfully!')
    await expect(page).toHaveURL('/super-resellers')
    await page.getByRole('link', { name: 'northstar' }).click()
    await fill(page, { Credits: '10000', Description: 'Opening credits' })
    await pressAndConfirm(page, 'Add 10,000 credits')
    await readNotice(page, 'Super Reseller updated successfully!')
    await expect(page.getByText('10,000 credits', { exact: true }).first()).toBeVisible()
    await expect(rows(page, 'Transactions')).toContainText(/ADD.*10,000.*northstar.*Opening credits/)
    await expect(page.getByRole('button', { name: 'Add 1 credit', exact: true })).toBeEnabled()
    await fill(page, { Credits: '5' })
    await page.getByRole('radio', { name: 'Remove' }).check()
    await pressAndConfirm(page, 'Remove 5 credits')
    await readNotice(page, 'Super Reseller updated successfully!')
    await expect(rows(page, 'Transactions')).toHaveCount(2)
    await expect(page.getByRole('radio', { name: 'Add' })).toBeChecked()
    await expect(page).toHaveURL('/update-super-reseller/northstar')
    const balance = await world.admin.call(calls.level.superreseller.detail, { name: 'northstar' })
    expect(balance.credits).toBe(9_995)
  })

  test('sees the daily statistics of a superreseller', async ({ open, world }) => {
    const { superreseller, dealer } = await world.family({ credits: 12 })
    await world.client(dealer)
    world.clock.pass({ days: 2 })
    await world.client(dealer)
    const page = await open({ as: world.admin, at: `/update-super-reseller/${superreseller.name}` })
    const name = 'Statistics History'
    await expectColumns(page, name, ['Date', 'Credits', 'Resellers', 'Dealers', 'Clients'])
    await expectSorted(page, name, 'Date', 'descending')
    await expectPageSizes(page, name, [5, 10, 25])
    await expectPageSizes(page, 'Transactions', [5, 10, 25])
    await expect(rows(page, name)).toHaveText(['2026-05-170112', '2026-05-160111', '2026-05-150111'])
    const chart = page.getByRole('region', { name: 'Clients History' })
    // Nobody has scrolled to it yet, and what is printed can fetch nothing.
    await expect(chart.locator('canvas')).toHaveCount(0)
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    await expect(chart.locator('tbody tr').first()).toBeAttached()
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
    await chart.scrollIntoViewIfNeeded()
    await expect(chart.locator('canvas')).toBeVisible()
    await expect(chart).toContainText('Clients')
    await page.getByRole('searchbox', { name: 'Search Transactions' }).fill('trial')
    await expect(rows(page, 'Transactions')).toHaveCount(2)
  })

  test('reads the one day of a young business, and the first minutes of its boxes, on the axes of the charts', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 1 })
    await world.client(dealer, { months: 1 })
    const page = await open({ as: world.admin })
    await page.addInitScript(() => {
      const drawn = new Set<string>()
      const { fillText } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        drawn.add(text)
        fillText.call(this, text, ...place)
      }
      Object.assign(window, { drawn })
    })
    const labels = (like: RegExp) => async () => {
      const drawn = await page.evaluate(() => [...(window as unknown as { drawn: Set<string> }).drawn])
      return drawn.filter((text) => like.test(text)).sort()
    }
    await page.reload()
    await expect(page.locator('canvas').first()).toBeVisible()
    await expect.poll(labels(/^\d{4}-/)).toEqual(['2026-05-14', '2026-05-15', '2026-05-16'])
    const count = (at: string) =>
      world.server.sql`insert into box_count (at, online) values (${`2026-05-15T${at}:00.000Z`}, 1)`
    await count('09:31')
    await page.goto(to.boxes())
    await expect.poll(labels(/^\d\d:\d\d$/)).toContain('09:30')
    await count('09:36')
    await page.reload()
    await expect.poll(labels(/^\d\d:\d\d$/)).toContain('09:35')
    await count('09:59')
    await page.reload()
    await expect.poll(labels(/^\d\d:\d\d$/)).toContain('09:50')
  })

  test('sets a message that everybody reads once after signing in, and removes it', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const page = await open({ as: world.admin, at: '/admin/message' })
    const quote = page.getByRole('blockquote')
    await expect(quote).toHaveText('There is no message.')
    const update = page.getByRole('button', { name: 'Update Message' })
    await expect(update).toBeDisabled()
    await fill(page, { 'New Message': '  \n ' })
    await expect(update).toBeDisabled()
    await fill(page, { 'New Message': 'No new boxes\nuntil Monday.' })
    await page.reload()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await expect(page.getByLabel('New Message')).toHaveValue('No new boxes\nuntil Monday.')
    await update.click()
    await readNotice(page, 'Message updated successfully')
    await expect(page).toHaveURL('/admin')

    const theirs = await open()
    await signIn(theirs, dealer.name)
    const message = theirs.getByRole('dialog', { name: 'Message' })
    await expect(message).toContainText('No new boxes\nuntil Monday.')
    await message.getByRole('button', { name: 'Close' }).last().click()
    await expect(message).toHaveCount(0)
    const asked = countCalls(theirs, '/api/message')
    await theirs.reload()
    await theirs.waitForLoadState('networkidle')
    expect(asked()).toBe(0)
    await expect(message).toHaveCount(0)

    await page.getByRole('link', { name: 'Message' }).click()
    await expect(quote).toHaveText('No new boxes until Monday.')
    await expect(page.getByLabel('New Message')).toHaveValue('')
    await press(page, 'Remove message')
    const question = page.getByRole('alertdialog')
    await expect(question.getByRole('button', { name: 'No' })).toBeFocused()
    await expect(question).toContainText('No new boxes')
    // Another admin's message, which was not on this screen, stays.
    await world.admin.call(calls.admin.setMessage, { message: 'No new boxes at all.' })
    await press(question, 'Remove message')
    await readNotice(
      page,
      'Error removing message',
      'Another message has replaced this one. Please look at it first.',
    )
    await expect(question).toHaveCount(0)
    await expect(quote).toHaveText('No new boxes at all.')
    await press(page, 'Remove message')
    await press(question, 'Remove message')
    await readNotice(page, 'Message removed successfully')
    await expect(page.getByLabel('New Message')).not.toHaveAttribute('aria-invalid', 'true')
    await expect(quote).toHaveText('There is no message.')
    await press(theirs, 'Logout')
    const answered = theirs.waitForResponse('**/v1/api/message')
    await signIn(theirs, dealer.name)
    await answered
    await drawn(theirs)
    await expect(message).toHaveCount(0)
  })

  test('interrupts nobody at work with a message, and shows it to who signs in again on the same screen', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { login: 'is-served' })
    const message = 'No new boxes until Monday.'
    const page = await open({ at: '/admin' })
    // Who sets a message is not shown it, though what was there at their sign-in is not heard of yet.
    let answer = () => {}
    const held = new Promise<void>((done) => {
      answer = done
    })
    await page.route('**/v1/admin/message', (route) => held.then(() => route.continue()), { times: 1 })
    await signIn(page, ADMIN.login, ADMIN.password)
    await page.getByRole('link', { name: 'Message' }).click()
    await fill(page, { 'New Message': message })
    await press(page, 'Update Message')
    await expect(page).toHaveURL('/admin')
    answer()
    await page.waitForLoadState('networkidle')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await world.admin.call(calls.admin.removeMessage)

    const theirs = await open({ at: '/clients' })
    await theirs.clock.install({ time: world.clock.now })
    await theirs.reload()
    let asked = 0
    theirs.on('request', (request) => {
      if (request.url().endsWith('/v1/api/message')) asked += 1
    })
    const answered = theirs.waitForResponse((response) => response.url().endsWith('/v1/api/message'))
    await signIn(theirs, dealer.name)
    await answered
    await world.admin.call(calls.admin.setMessage, { message })
    await press(theirs, 'Renew is-served')
    await press(theirs, 'Renew for 1 credit')
    await readNotice(theirs, 'Successfully renewed 1 month(s) for is-served')
    expect(asked).toBe(1)
    await expect(theirs.getByRole('dialog')).toHaveCount(0)

    world.clock.pass({ minutes: 56 })
    await theirs.clock.fastForward(56 * 60_000)
    const ending = theirs.getByRole('dialog', { name: 'Your session ends in' })
    await fill(ending, { Password: PASSWORD })
    await press(ending, 'Sign in again')
    await expect(theirs.getByRole('dialog', { name: 'Message' })).toContainText(message)
  })

  test('finds every client with its dealer, and deletes any of them after a warning of what is lost', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 12 })
    await world.client(dealer, { login: 'long-served', months: 2 })
    await world.client(dealer, { login: 'is-over' })
    await world.setExpiry('is-over', '2026-05-14T23:59:59.000Z')
    const page = await open({ as: world.admin, at: '/admin/clients' })
    const name = 'All Clients'
    await expectColumns(page, name, ALL_CLIENTS)
    await expectSorted(page, name, 'Name', 'ascending')
    await page.getByRole('searchbox').fill(dealer.name)
    await expect(rows(page, name)).toHaveCount(2)
    await press(page, 'Delete long-served')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText(
      `long-served is a client of ${dealer.name}. It is served until 2026-07-15: 2 months of service are lost`,
    )
    await press(question, 'Delete')
    await readNotice(page, 'Successfully deleted client long-served')
    await expect(rows(page, name)).toHaveText([/is-over/])
  })

  test('searches for a MAC, and deletes its client after a question that depends on the expiry', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 12 })
    await world.client(dealer, { login: 'long-served', months: 2, stb_mac: '00:1A:79:A1:B2:C3' })
    await world.client(dealer, { login: 'is-over', stb_mac: '00:1A:79:A1:B2:C4' })
    await world.setExpiry('is-over', '2026-05-14T23:59:59.000Z')
    const page = await open({ as: world.admin, at: '/admin/delete-mac' })
    const search = page.getByRole('button', { name: 'Search', exact: true })
    const mac = page.getByLabel('MAC Address')
    await typeIn(mac, 'a1b2')
    await expect(mac).toHaveValue('00:1A:79:A1:B2')
    await expect(search).toBeDisabled()
    await typeIn(mac, 'c5')
    // What is announced is what changes in a region that was there before.
    await page.evaluate(() => {
      for (const live of document.querySelectorAll('main [aria-live]')) live.setAttribute('data-before', '')
    })
    await search.click()
    await expect(page.locator('[data-before]').getByText('No client has this MAC')).toBeVisible()
    // What was found goes with the MAC that it was found by.
    await mac.press('End')
    await mac.press('Backspace')
    await expect(page.getByText('No client has this MAC')).toHaveCount(0)
    await typeIn(mac, '5')
    await expect(page.getByRole('alert')).toHaveText([''])
    for (const [last, sentence, loss] of [
      [
        '3',
        'This account 00:1A:79:A1:B2:C3 has not expired. It will be expiring on 2026-07-15. Are you sure you want to delete this MAC address?',
        `long-served is a client of ${dealer.name}. It is served until 2026-07-15: 2 months of service are lost, and no credits come back. This cannot be undone.`,
      ],
      [
        '4',
        'Are you sure you want to delete this MAC address 00:1A:79:A1:B2:C4?',
        `is-over is a client of ${dealer.name}. It expired on 2026-05-14, so nothing is lost. This cannot be undone.`,
      ],
    ] as const) {
      await mac.fill(`00:1A:79:A1:B2:C${last}`)
      await search.click()
      await press(page, 'Delete')
      const question = page.getByRole('alertdialog', { name: 'Confirm Deletion' })
      await expect(question.locator('p')).toHaveText([sentence, loss])
      await press(question, 'No')
      await press(page, 'Delete')
      await press(question, 'Yes')
      await readNotice(page, 'MAC address deleted successfully!')
      await expect(page.getByRole('table')).toHaveCount(0)
      await expect(mac).not.toHaveValue(/[^0:A179]/)
    }
  })

  test('keeps the MAC that Enter found when the field is left, and is asked about it only after Delete', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    for (const end of ['3', '4']) await world.client(dealer, { stb_mac: `00:1A:79:A1:B2:C${end}` })
    const page = await open({ as: world.admin, at: '/admin/delete-mac' })
    const mac = page.getByLabel('MAC Address')
    const question = page.getByRole('alertdialog', { name: 'Confirm Deletion' })
    await typeIn(mac, 'a1b2c3')
    await mac.press('Enter')
    const remove = page.getByRole('button', { name: 'Delete', exact: true })
    await expect(remove).toBeVisible()
    await mac.press('Tab')
    await press(page, 'Delete')
    await expect(question).toContainText('00:1A:79:A1:B2:C3')
    await press(question, 'No')
    await expect(remove).toBeVisible()
    await mac.press('End')
    await mac.press('Backspace')
    await expect(remove).toHaveCount(0)
    await typeIn(mac, '4')
    await mac.press('Enter')
    await expect(page.getByRole('table')).toContainText('00:1A:79:A1:B2:C4')
    await expect(question).toHaveCount(0)
  })

  test('deletes no client that was renewed while the question was open, and reads what would be lost', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 12 })
    const { mac } = await world.client(dealer, { login: 'is-over' })
    await world.setExpiry('is-over', '2026-05-14T23:59:59.000Z')
    const list = await open({ as: world.admin, at: '/admin/clients' })
    const found = await open({ as: world.admin, at: '/admin/delete-mac' })
    await found.getByLabel('MAC Address').fill(mac)
    await press(found, 'Search')
    await press(list, 'Delete is-over')
    await press(found, 'Delete')
    for (const page of [list, found])
      await expect(page.getByRole('alertdialog')).toContainText('so nothing is lost')
    await dealer.call(calls.clients.renew, { name: 'is-over', months: 3 })
    const reason = 'The expiry of is-over has changed in the meantime. Please look again.'
    for (const [page, yes, again] of [
      [list, 'Delete', 'Delete is-over'],
      [found, 'Yes', 'Delete'],
    ] as const) {
      const question = page.getByRole('alertdialog')
      await press(question, yes)
      await expect(page.getByText(reason)).toBeVisible()
      await expect(question).toHaveCount(0)
      await expect(page.getByRole('table')).toContainText('2026-08-15')
      await press(page, again)
      await expect(question).toContainText('3 months of service are lost')
    }
  })

  test('sees unknown boxes as they ask, and is led to the client whose MAC was mistyped', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer, { months: 1, stb_mac: '00:1A:79:C0:FF:EE' })
    const ask = async (mac: string) => {
      await new Box(world.server, { mac }).signIn()
      await world.server.gateway.write()
    }
    const count = (at: string) =>
      world.server.sql`insert into box_count (at, online) values (${`2026-05-15T${at}:00.000Z`}, 1)`
    await count('09:31')
    await count('09:41')
    await ask('00:1A:79:00:57:81')
    const page = await open({ as: world.admin })
    await page.clock.install()
    await page.goto(to.boxes())
    const boxes = rows(page, 'Unknown Boxes')
    await expect(boxes).toHaveCount(1)
    await expect(boxes).toContainText('00:1A:79:00:57:81')
    await page.setViewportSize({ width: 1440, height: 400 })
    await page.getByRole('link', { name: /^Unknown/ }).click()
    await expect(page.getByRole('heading', { name: 'Unknown Boxes' })).toBeInViewport()
    await expect(page.getByText('asked within 7 days')).toBeVisible()
    // Those that no client has are counted and listed here, and so are none of those that were refused.
    await expect(page.getByText('No box was refused')).toBeVisible()
    await ask('00:1A:79:C0:FF:E0')
    await count('09:51')
    // Of the chart, the point that is being read stays when a minute is added.
    const reader = page.getByRole('slider')
    await reader.press('Home')
    await reader.press('ArrowRight')
    await expect(reader).toHaveAttribute('aria-valuenow', '1')
    await page.clock.fastForward(60_000)
    await expect(boxes).toHaveCount(2)
    await expect(reader).toHaveAttribute('aria-valuemax', '2')
    await expect(reader).toHaveAttribute('aria-valuenow', '1')
    const similar = boxes.getByRole('link', { name: `${name} by one digit` })
    const isWhole = () =>
      similar.evaluate((link) =>
        [link, ...link.querySelectorAll('*')].every((one) => one.scrollWidth <= one.clientWidth),
      )
    for (const width of [1280, 1440]) {
      await page.setViewportSize({ width, height: 400 })
      await expect.poll(isWhole, `${width}`).toBe(true)
    }
    await similar.click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('All Clients')
    await expect(page.getByRole('table', { name: 'All Clients' })).toContainText('00:1A:79:C0:FF:EE')
  })

  test('marks one group after the other for adults, without waiting for an answer, and the second of two clicks takes no mark back', async ({
    open,
    world,
  }) => {
    await givePlaylist(world, A_PLAYLIST)
    const page = await open({ as: world.admin, at: to.channels() })
    const stopAt = (ms: number) =>
      page.evaluate((ms) => {
        performance.now = () => ms
      }, ms)
    await stopAt(60_000)
    const release = await holdBack(page, '**/v1/admin/channels/group')
    await press(page, 'News is for adults')
    await press(page, 'Sports is for adults')
    release()
    const marks = page.getByText('Adults', { exact: true })
    await expect(marks).toHaveCount(2)
    // By now the button says the opposite, which the second click of a slow double click does not mean.
    await press(page, 'Sports is for everybody')
    await stopAt(61_000)
    await press(page, 'News is for everybody')
    await expect(marks).toHaveCount(1)
    const { groups } = await world.admin.call(calls.channels.all)
    expect(groups).toMatchObject([
      { name: 'News', adult: false },
      { name: 'Sports', adult: true },
    ])
  })

  test('reads which packages hold a group, finds groups by them, and gives one to several by keyboard', async ({
    open,
    world,
  }) => {
    await givePlaylist(world, A_PLAYLIST + playlistOf(2, 'Nightly'))
    await letHold(world, 1, ['News', 'Sports'])
    await letHold(world, 7, ['News', 'Sports'])
    const page = await open({ as: world.admin, at: to.channels() })
    const held = (name: string) => rows(page, 'Groups').filter({ hasText: name }).getByRole('cell').nth(3)
    await expect(held('News')).toHaveText('2: All Packages, All Packages/No Adults')
    await expect(held('Nightly')).toHaveText('None')
    await page.getByRole('button', { name: 'Choose packages of Nightly' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Packages of Nightly' })
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await expectAccessible(page)
    // Over 'Save' and 'Close' to the search, and over 'Clear the search', 'All shown' and 'None shown' to what is
    // found.
    for (let tab = 0; tab < 3; tab += 1) await page.keyboard.press('Tab')
    await page.keyboard.type('GREEK')
    await expect(dialog.getByRole('checkbox')).toHaveCount(2)
    for (let tab = 0; tab < 4; tab += 1) await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await expect(dialog.getByLabel('Greek/Adults')).toBeChecked()
    const search = dialog.getByRole('searchbox')
    await search.fill('arabic')
    await expect(dialog.getByLabel('Greek/Adults')).toHaveCount(0)
    await press(dialog, 'All shown')
    await search.fill('no adults')
    await expect(dialog.getByLabel('Arabic/Adults')).toHaveCount(0)
    await press(dialog, 'None shown')
    await search.fill('nothing like it')
    await expect(dialog.getByText('No package matches')).toBeVisible()
    // Escape ends the search alone, and what it hid is as it was.
    await search.press('Escape')
    await expect(search).toHaveValue('')
    await expect(dialog.getByRole('checkbox', { checked: true })).toHaveCount(2)
    await press(dialog, 'Save 2 packages')
    await readNotice(page, 'Packages saved')
    await expect(held('Nightly')).toHaveText('2: Arabic/Adults, Greek/Adults')
    await page.getByRole('searchbox', { name: 'Search' }).nth(1).fill('arabic')
    await expect(rows(page, 'Groups')).toHaveCount(1)
  })

  test("changes one player, and leaves another admin's change of the other one as it is", async ({
    open,
    world,
  }) => {
    const page = await open({ as: world.admin, at: to.channels() })
    await press(page, 'Change players')
    await fill(page, { Player: 'auto' })
    await world.admin.call(calls.channels.savePlayers, { alt_player: 'ffrt2' })
    await press(page, 'Save')
    await readNotice(page, 'Players saved')
    await expect(page.getByText("with 'auto', or with 'ffrt2'")).toBeVisible()
    expect((await world.admin.call(calls.channels.all)).players).toEqual({
      player: 'auto',
      alt_player: 'ffrt2',
    })
    // What is as it was needs no call.
    await press(page, 'Change players')
    await press(page, 'Save')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('reads the name of a playlist that is held back beside its fault, not beside the channels in use, and that more than 100,000 are left out', async ({
    open,
    world,
  }) => {
    await givePlaylist(world, A_PLAYLIST)
    const page = await open({ as: world.admin, at: to.channels() })
    const facts = page.getByRole('main').locator('dl').first()
    await expect(facts).toContainText('Fileown.m3uChannels3')
    const cut = page.getByText('The first 100,000 channels are read. Any after them are left out.')
    await expect(cut).toHaveCount(0)
    const file = compressed('#EXTM3U')
    world.clock.pass({ minutes: 1 })
    await world.admin.call(calls.channels.giveFile, { name: 'empty.m3u', file })
    await page.reload()
    await expect(
      page.getByText('empty.m3u is held back: it has no channels. Is it an M3U playlist?'),
    ).toBeVisible()
    await expect(facts).toContainText('Channels3')
    await expect(facts).not.toContainText('File')
    await press(page, 'Take it all the same')
    await press(page.getByRole('alertdialog'), 'Take it')
    await expect(facts).toContainText('Fileempty.m3uChannels0')
    await world.server.sql`update playlist set channels = 100000`
    await page.reload()
    await expect(cut).toBeVisible()
  })

  test('reads all packages of a group inside the window, wherever its row stands', async ({
    open,
    world,
  }) => {
    await givePlaylist(world, A_PLAYLIST)
    for (const { value } of PACKAGES) await letHold(world, value, ['News'])
    const page = await open({ as: world.admin, at: to.channels(), height: 700 })
    const cut = page.getByText(/^41: All Packages/)
    for (const block of ['start', 'center', 'end'] as const) {
      await page.mouse.move(0, 0)
      await expect(page.getByRole('tooltip')).toHaveCount(0)
      await cut.evaluate((cell, block) => cell.scrollIntoView({ block }), block)
      await cut.hover()
      const { y = -1, height = 0 } = (await page.getByRole('tooltip').boundingBox()) ?? {}
      expect(y, block).toBeGreaterThanOrEqual(0)
      expect(y + height, block).toBeLessThanOrEqual(700)
    }
  })

  test('sees which packages leave out a group for adults, and what another admin has changed meanwhile stays', async ({
    open,
    world,
  }) => {
    await givePlaylist(world, playlistOf(2, 'Adults 18+'))
    const page = await open({ as: world.admin, at: to.channels(), width: 390, height: 844, touch: true })
    await press(page, 'More about Adults 18+')
    await expect(page.locator('dd').getByText('1: All Packages')).toBeVisible()
    await press(page, 'Choose packages of Adults 18+')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('All Packages/No Adults leaves it out')).toBeChecked()
    await expect(dialog.getByText('leaves it out')).toHaveCount(
      PACKAGES.filter(({ value }) => leavesOutAdults(value)).length,
    )
    await expectAccessible(page)
    await letHold(world, 40, ['Adults 18+'])
    await letHold(world, 1, [])
    await dialog.getByLabel('Greek/Adults').check()
    await press(dialog, 'Save 3 packages')
    await readNotice(page, 'Packages saved')
    const { groups } = await world.admin.call(calls.channels.all)
    expect(groups.map(({ packages }) => packages)).toEqual([[7, 39, 40]])
  })

  test('searches the groups of a package where they are many, and keeps the ticks of those that are not shown', async ({
    open,
    world,
  }) => {
    const names = Array.from({ length: 11 }, (_, at) => `Group ${at + 1}`)
    await givePlaylist(world, names.map((name) => playlistOf(1, name)).join(''))
    const page = await open({ as: world.admin, at: to.channels() })
    await press(page, 'Choose groups of All Packages')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Group 2 1 channel').uncheck()
    await dialog.getByRole('searchbox', { name: 'Search groups' }).fill('group 1')
    await expect(dialog.getByRole('checkbox')).toHaveCount(3)
    await press(dialog, 'None shown')
    await press(dialog, 'Save 7 groups')
    await readNotice(page, 'Packages saved')
    const { groups } = await world.admin.call(calls.channels.all)
    const left = groups.filter(({ packages }) => packages.includes(1)).map(({ name }) => name)
    expect(left).toEqual(names.slice(2, 9))
    await press(page, 'Choose groups of Arabic/Adults')
    await expect(dialog.getByRole('searchbox')).toHaveValue('')
    await press(dialog, 'All')
    await press(dialog, 'Save 11 groups')
    await expect(dialog).toHaveCount(0)
    await givePlaylist(world, playlistOf(2, 'Group 1') + playlistOf(1, 'Group 2'))
    await page.reload()
    await press(page, 'Choose groups of Arabic/Adults')
    await expect(dialog.getByRole('checkbox')).toHaveCount(2)
    await expect(dialog.getByRole('searchbox')).toHaveCount(0)
  })

  test('is asked for the file of a playlist that its field shows no more, that has changed or is too large, and can stop an upload and send it again', async ({
    open,
    world,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'boxtree-'))
    const file = join(folder, 'own.m3u')
    await writeFile(file, A_PLAYLIST)
    const page = await open({ as: world.admin, at: to.channels() })
    await press(page, 'Give a playlist')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('A file', { exact: true }).check()
    await dialog.getByLabel('File', { exact: true }).setInputFiles(file)
    await rm(folder, { recursive: true })
    await press(dialog, 'Read it')
    await expect(dialog.getByText('This file cannot be read any more. Please choose it again')).toBeVisible()
    const chooseAnother = () =>
      dialog
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'a.m3u', mimeType: 'audio/x-mpegurl', buffer: Buffer.from(playlistOf(2)) })
    await chooseAnother()
    await dialog.getByLabel('An address', { exact: true }).check()
    await dialog.getByLabel('A file', { exact: true }).check()
    await press(dialog, 'Read it')
    await expect(dialog.getByText('Please choose a file')).toBeVisible()
    // What is too large even when compressed is not uploaded for minutes, only to be refused then.
    const uploads: string[] = []
    page.on('request', (sent) => sent.method() === 'POST' && uploads.push(sent.url()))
    // From the disk, because Playwright takes many seconds on a busy machine to hand over so much by itself.
    const large = join(freshFolder(), 'large.m3u')
    await writeFile(large, randomBytes(MOST_COMPRESSED + 1))
    await dialog.getByLabel('File', { exact: true }).setInputFiles(large)
    await press(dialog, 'Read it')
    await expect(dialog.getByText('The file is larger than 16 MB when compressed')).toBeVisible()
    expect(uploads).toEqual([])
    expect((await world.admin.call(calls.channels.all)).playlist).toBe(null)
    await chooseAnother()
    const release = await holdBack(page, '**/v1/admin/playlist/file')
    await press(dialog, 'Read it')
    await press(dialog, 'Stop')
    await expect(page.getByText('It was stopped before the answer came')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeEnabled()
    release()
    await press(dialog, 'Read it')
    await expect(page.getByText('2 channels in use')).toBeVisible()
  })

  test('keeps the address of a playlist in use, unless told to take another one all the same', async ({
    open,
    world,
  }) => {
    const used = await servePlaylist(playlistOf(20))
    await world.admin.call(calls.channels.giveAddress, { address: used.address })
    const shown = async () => (await world.admin.call(calls.channels.all)).playlist?.shown
    const before = await shown()
    const page = await open({ as: world.admin, at: to.channels() })
    await press(page, 'Give a playlist')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(
      'All boxes get it instead of the playlist in use, which has 20 channels. The address of that one is lost.',
    )
    const anyway = dialog.getByLabel('Take it all the same')
    const fault = dialog.getByText(
      'Nothing was changed, because this playlist has no channels. Is it an M3U playlist?',
    )
    const mistyped = (await servePlaylist('<html>')).address
    await fill(dialog, { Address: mistyped })
    await expect(anyway).toHaveCount(0)
    await press(dialog, 'Read it')
    await expect(fault).toBeVisible()
    await expect(anyway).toBeFocused()
    await anyway.check()
    // What was ticked of one address is not said of another.
    await fill(dialog, { Address: (await servePlaylist('#EXTM3U')).address })
    await expect(anyway).toHaveCount(0)
    await press(dialog, 'Read it')
    await expect(fault).toBeVisible()
    await expect(anyway).not.toBeChecked()
    expect(await shown()).toBe(before)
    await dialog.getByLabel('A file').check()
    const file = { name: 'few.m3u', mimeType: 'audio/x-mpegurl', buffer: Buffer.from(playlistOf(2)) }
    await dialog.getByLabel('File', { exact: true }).setInputFiles(file)
    await press(dialog, 'Read it')
    await expect(dialog.getByText('because this playlist has 2 channels, where 20 are in use.')).toBeVisible()
    expect(await shown()).toBe(before)
    await anyway.check()
    await press(dialog, 'Read it')
    await expect(page.getByText('2 channels in use')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    expect(await shown()).toBe('few.m3u')
    // What is held back since has an address, and the file in use has none.
    world.clock.pass({ minutes: 1 })
    await world.admin.call(calls.channels.giveAddress, { address: mistyped })
    await page.reload()
    await press(page, 'Give a playlist')
    await expect(dialog).toContainText('which has 2 channels. That one is lost.')
  })

  test('downloads transactions as a file', async ({ open, world }) => {
    await world.family({ credits: 12 })
    const page = await open({ as: world.admin })
    await press(page, 'Export')
    const dialog = page.getByRole('dialog', { name: 'Export transactions' })
    await expect(dialog.getByLabel('From')).toHaveValue('2026-05-01')
    await expect(dialog.getByLabel('To')).toHaveValue('2026-05-15')
    // The browser writes the days of the fields in its own way.
    await expect(dialog.getByText('From 2026-05-01 to 2026-05-15, both included.')).toBeVisible()
    await fill(dialog, { From: '' })
    await expect(dialog.getByText('Both days are included.')).toBeVisible()
    await fill(dialog, { From: '2026-05-16' })
    await press(dialog, 'Export as CSV')
    await expect(dialog.getByText('The last day is before the first')).toBeVisible()
    await fill(dialog, { From: '2026-05-15' })
    const download = page.waitForEvent('download')
    await press(dialog, 'Export as CSV')
    const file = await download
    expect(file.suggestedFilename()).toMatch(/\.csv$/)
    expect(await text(file)).toMatch(/^.*Type.*\r?\n(.*ADD.*\r?\n){3}$/)
    await expect(dialog).toHaveCount(0)
    await page.goto('/transactions?to=2026-04-20')
    await press(page, 'Export')
    await expect(dialog.getByLabel('From')).toHaveValue('2026-04-01')
    await expect(dialog.getByLabel('To')).toHaveValue('2026-04-20')
  })

  test('sees how many transactions of a file have come, and can stop it', async ({ open, world }) => {
    const page = await open({ as: world.admin, at: to.message() })
    // A file whose first lines come, and then nothing more.
    await page.addInitScript(() => {
      const { fetch } = window
      window.fetch = async (url, request) => {
        if (!String(url).startsWith('/v1/exports/')) return fetch(url, request)
        const lines = new TextEncoder().encode('Type,Credits\r\nADD,5\r\n')
        return new Response(
          new ReadableStream({
            start(stream) {
              stream.enqueue(lines)
              request?.signal?.addEventListener('abort', () => stream.error(request.signal?.reason))
            },
          }),
        )
      }
    })
    await page.goto(to.home.admin())
    await press(page, 'Export')
    const dialog = page.getByRole('dialog', { name: 'Export transactions' })
    await press(dialog, 'Export as CSV')
    await expect(dialog.getByRole('status')).toHaveText('1 transaction received')
    await expectAccessible(page)
    await press(dialog, 'Stop')
    await expect(dialog.getByRole('button', { name: 'Export as CSV' })).toBeEnabled()
    await expect(dialog.getByRole('status')).toHaveCount(0)
  })
})

async function text(file: { createReadStream(): Promise<AsyncIterable<unknown>> }): Promise<string> {
  const pieces: string[] = []
  for await (const piece of await file.createReadStream()) pieces.push(String(piece))
  return pieces.join('')
}

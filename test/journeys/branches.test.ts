import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { CREDIT_AMOUNTS } from '../../web/accounts/creditAmounts.ts'
import { levels } from '../../web/levels.ts'
import { menuOf, to } from '../../web/screens.ts'
import { THOROUGH } from '../laws/runs.ts'
import {
  expect,
  expectColumns,
  expectPageSizes,
  expectSorted,
  fill,
  holdBack,
  pager,
  press,
  pressAndConfirm,
  readNotice,
  rows,
  signIn,
  test,
  typeIn,
} from '../support/browser.ts'
import { PASSWORD, type Person, type World } from '../support/world.ts'
import { ACCOUNTS, OF_A_BRANCH, OF_A_BRANCH_FOLDED } from './columns.ts'

// A superreseller manages resellers as a reseller manages dealers.
describe.each([
  { role: 'superreseller' as const, level: levels.reseller },
  { role: 'reseller' as const, level: levels.dealer },
])('a $role', ({ role, level }) => {
  const { title, plural } = level
  const { list, add: adding, update } = to.level[level.role]
  const home = to.home[role]()

  test('signs in, finds their own dashboard and menu, and signs out', async ({ open, world }) => {
    const me = (await world.family({ credits: 31, to: role }))[role]
    const page = await open()
    await signIn(page, me.name)
    await expect(page).toHaveURL(home)
    await expect(page.getByRole('banner')).toContainText(
      role === 'reseller' ? 'Reseller Panel' : 'Super Reseller Panel',
    )
    const menu = page.getByRole('navigation', { name: 'Main' })
    await expect(menu.getByRole('listitem')).toHaveText([
      'Dashboard',
      `Add ${title}`,
      plural,
      'Tree',
      'Transactions',
      'Credit Requests',
      'Sign-ins',
      'Logout',
    ])
    for (const { path, item } of menuOf(role)) {
      const { label } = item
      await menu.getByRole('link', { name: label, exact: true }).click()
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(label)
      await expect(menu.locator('[aria-current=page]')).toHaveText(label)
    }
    await press(page, 'Logout')
    await expect(page).toHaveURL('/login')
    // Nothing of the session is left but that it was signed out of, which other tabs read.
    expect(await page.evaluate(() => Object.keys(localStorage).sort())).toEqual([
      'clock',
      'settings',
      'signed_out',
    ])
    await page.goBack()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  })

  test(`adds a ${title}, and returns to the list`, async ({ open, world }) => {
    const me = (await world.family())[role]
    const page = await open({ as: me, at: adding() })
    const add = page.getByRole('button', { name: `Add ${title}`, exact: true })
    await expect(
      page.getByText('3 to 32 of the letters A to Z, digits, dots, dashes and underscores'),
    ).toBeVisible()
    await add.click()
    await expect(page.getByText('Login should be between 3 and 32 characters')).toBeVisible()
    await expect(page.getByText('Password should be between 8 and 128 characters')).toBeVisible()
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')
    await fill(page, { Login: me.name, Password: ' their-password' })
    await expect(page.getByText('Password may not begin or end with a space')).toBeVisible()
    await fill(page, { Password: 'their-password' })
    await add.click()
    await readNotice(page, `Error adding ${title}. Please try again.`, 'This login is taken.')
    await page.getByLabel('Login', { exact: true }).fill('')
    await typeIn(page.getByLabel('Login', { exact: true }), 'a-new-account ')
    await add.click()
    await readNotice(page, `${title} added successfully!`)
    await expect(page).toHaveURL(list())
    await expect(page.getByRole('link', { name: 'a-new-account' })).toBeVisible()
  })

  test(`adds credits to a ${title} and takes them back, each charged once`, async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 40)
    await expect(page.getByLabel('Credits', { exact: true }).locator('option')).toHaveText(
      CREDIT_AMOUNTS.map(
        (amount) => `${amount.toLocaleString('en-US')} ${amount === 1 ? 'credit' : 'credits'}`,
      ),
    )
    await expect(page.getByLabel('Credits', { exact: true })).toHaveValue('1')
    await expect(page.getByRole('radio', { name: 'Add' })).toBeChecked()
    await page.getByLabel('Other amount').click()
    await page.keyboard.type('31')
    await fill(page, { Description: 'Paid in cash' })
    await press(page, 'Add 31 credits')
    const question = page.getByRole('alertdialog', { name: `Add 31 credits to ${child.name}?` })
    await expect(question.getByRole('row')).toHaveText(['BalanceBeforeAfter', 'You409', `${child.name}031`])
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Escape')
    expect(await balances(me, child)).toEqual([40, 0])
    await page.getByLabel('Other amount').fill('10001')
    await press(page, 'Add 10,001 credits')
    await expect(page.getByText('Credits must be a whole number from 1 to 10,000')).toBeVisible()
    // What is chosen from the list replaces what was typed.
    await fill(page, { Credits: '30' })
    await expect(page.getByLabel('Other amount')).toHaveValue('')
    await expect(page.getByText('Credits must be a whole number from 1 to 10,000')).toHaveCount(0)
    await pressAndConfirm(page, 'Add 30 credits')
    await readNotice(page, `${title} updated successfully!`)
    await expect(page).toHaveURL(list())
    await expect(rows(page, plural).filter({ hasText: child.name })).toContainText('30Paid in cash')
    await page.getByRole('link', { name: child.name }).click()
    await expect(page.getByRole('region', { name: 'Update Credits' })).toContainText('30 credits')
    await expect(page.getByLabel('Description')).toHaveValue('Paid in cash')
    await expect(rows(page, 'Transactions')).toContainText(/ADD.*30.*Paid in cash/)
    await fill(page, { Credits: '20' })
    await page.getByRole('radio', { name: 'Remove' }).check()
    await pressAndConfirm(page, 'Remove 20 credits')
    await readNotice(page, `${title} updated successfully!`)
    await expect(page).toHaveURL(list())
    expect(await balances(me, child)).toEqual([30, 10])
  })

  // What follows is the same code and the same texts for both; `npm run faults` tries it as both.
  if (role === 'superreseller' && !THOROUGH) return

  test('sees the totals beneath, the balance and the newest transactions', async ({ open, world }) => {
    const me = (await world.family({ credits: 31, to: role }))[role]
    const page = await open({ as: me })
    await expect(page).toHaveURL(home)
    await expect(page.getByRole('listitem').filter({ hasText: 'Credits Remaining' })).toContainText('31')
    const name = 'Latest Transactions'
    await expectColumns(page, name, OF_A_BRANCH_FOLDED)
    await expectSorted(page, name, 'Date', 'descending')
    await expectPageSizes(page, name, [5, 10, 25])
    await expect(rows(page, name)).toHaveCount(1)
    await expect(rows(page, name)).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*ADD.*31/)
    await page.getByRole('searchbox', { name: 'Search Transactions' }).fill('nobody at all')
    await expect(page.getByText('No transactions found')).toBeVisible()
    await page
      .getByRole('link', { name: new RegExp(`^${plural}`) })
      .last()
      .click()
    await expect(page).toHaveURL(list())
  })

  test('reads the whole name of a dealer, and who else acted for it', async ({ open, world }) => {
    const me = (await world.family({ credits: 3, to: role }))[role]
    const reseller = role === 'reseller' ? me : await world.child(me, 3)
    const from = await world.child(reseller, 3, 'fifteen-letters')
    const next = await world.child(reseller, 0, 'as.many.letters')
    const { name } = await world.client(from, { months: 1 })
    await me.call(calls.tree.moveClients, { from: from.name, to: next.name, clients: [name] })
    const page = await open({ as: me })
    const table = 'Latest Transactions'
    const used = rows(page, table).filter({ hasText: 'USED' }).getByRole('link')
    await expect(used).toHaveText(from.name)
    const cut = () =>
      rows(page, table)
        .getByRole('link')
        .evaluateAll((all) =>
          all.filter((link) => link.scrollWidth > link.clientWidth).map((link) => link.textContent),
        )
    await expect.poll(cut).toEqual([])
    const moved = rows(page, table).filter({ hasText: 'MOVE' })
    await expect(moved.getByRole('img', { name: `by ${me.name}`, exact: true })).toBeVisible()
    await expect(rows(page, table).getByRole('img')).toHaveCount(1)
    await moved.getByRole('link').focus()
    await page.keyboard.press('ArrowRight')
    await expect(moved.getByRole('img')).toBeFocused()
    await expect(page.getByText(`by ${me.name}`, { exact: true }).last()).toBeVisible()
    // A dealer's own credits come from somebody above.
    const added = rows(page, table).filter({ hasText: `ADD3${from.name}` })
    await expect(added.getByText(`by ${reseller.name}`)).toBeVisible()
    await page.setViewportSize({ width: 1500, height: 900 })
    await expectColumns(page, table, OF_A_BRANCH)
    await expect(rows(page, table).getByRole('img')).toHaveCount(0)
    await expect.poll(cut).toEqual([])
    await expect(added.getByText(`by ${reseller.name}`)).toBeHidden()
  })

  test('sees the clients beneath and the credits used, over time', async ({ open, world }) => {
    const { dealer, ...above } = await world.family({ credits: 12 })
    await world.client(dealer, { months: 2 })
    await world.client(dealer)
    const page = await open({ as: above[role] })
    for (const [title, value] of [
      ['Number of Clients Over Time', 2],
      ['Credits Used Over Time', 2],
    ] as const) {
      const chart = page.getByRole('region', { name: title })
      await press(chart, 'Show as table')
      await expect(chart.locator('tbody tr').first()).toHaveText(`2026-05-15${value}`)
    }
  })

  test(`searches, sorts and pages the list of ${plural}`, async ({ open, world }) => {
    const me = (await world.family())[role]
    const names = Array.from({ length: 12 }, (_, at) => `account-${String(at + 1).padStart(2, '0')}`)
    for (const name of names) {
      world.clock.pass({ minutes: 1 })
      await world.child(me, 0, name)
    }
    const page = await open({ as: me, at: list() })
    await expect(page.getByText(`Total ${plural}`)).toBeVisible()
    await expect(page.locator('dl')).toContainText(/13.*Date.*2026-05-15 10:12:00/)
    // There is no room for the state, which is a mark behind the name here.
    await expectColumns(
      page,
      plural,
      ACCOUNTS.filter((column) => column !== 'State'),
    )
    await expectSorted(page, plural, 'Created', 'descending')
    await expectPageSizes(page, plural, [10, 25, 50])
    await expect(rows(page, plural)).toHaveCount(10)
    await expect(rows(page, plural).first()).toContainText('account-12')
    await pager(page, plural).getByRole('button', { name: 'Next page' }).click()
    await expect(pager(page, plural)).toContainText('11–13 of 13')
    await page.getByRole('searchbox', { name: 'Search' }).fill('ACCOUNT-')
    await expect(pager(page, plural)).toContainText('1–10 of 12')
    await expect(page).toHaveURL(/search=ACCOUNT-/)
    await page.getByRole('button', { name: 'Name' }).click()
    await expect(rows(page, plural).first()).toContainText('account-01')
    await page.getByRole('button', { name: 'Name' }).click()
    await expectSorted(page, plural, 'Name', 'descending')
    await expect(rows(page, plural).first()).toContainText('account-12')
    // The URL changes shortly after the rows.
    await expect(page).toHaveURL(/order=desc/)
    await page.reload()
    await expect(rows(page, plural).first()).toContainText('account-12')
    await expectSorted(page, plural, 'Name', 'descending')
    await page.getByRole('link', { name: 'account-12' }).click()
    await expect(page).toHaveURL(update('account-12'))
    await expect(page.locator('[aria-current=page]')).toHaveText(plural)
    await page.goBack()
    await expect(page.getByRole('searchbox', { name: 'Search' })).toHaveValue('ACCOUNT-')
  })

  test('is told before a transfer whose balance is too small for it', async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 3)
    const question = page.getByRole('alertdialog')
    await page.getByLabel('Other amount').fill('500')
    await press(page, 'Add 500 credits')
    await expect(question).toContainText('You have 3 credits; this needs 500.')
    const yes = question.getByRole('button', { name: 'Add 500 credits' })
    await expect(yes).toBeDisabled()
    await press(question, 'Cancel')
    await fill(page, { Credits: '1' })
    await page.getByRole('radio', { name: 'Remove' }).check()
    await press(page, 'Remove 1 credit')
    await expect(question).toContainText(`${child.name} has 0 credits; 1 cannot be removed.`)
    await expect(question.getByRole('button', { name: 'Remove 1 credit' })).toBeDisabled()
    expect(await balances(me, child)).toEqual([3, 0])
  })

  test('is told at the amount that was typed when the balance has become too small for it', async ({
    open,
    world,
  }) => {
    const { me, child, page } = await atChild(world, open, 12)
    // So that the question is about the balance that was seen.
    const own = `**/v1${calls.credits[role].path}`
    await expect(page.getByRole('complementary')).toContainText('12 credits')
    const release = await holdBack(page, own)
    await page.getByLabel('Other amount').fill('11')
    await press(page, 'Add 11 credits')
    const question = page.getByRole('alertdialog')
    await expect(question.getByRole('row')).toHaveText(['BalanceBeforeAfter', 'You121', `${child.name}011`])
    await me.call(calls.level[level.role].save, { name: child.name, credits: 5, transaction: 0 })
    await press(question, 'Add 11 credits')
    release()
    const reason = 'You have 7 credits; this needs 11.'
    const failure =
      role === 'reseller' ? [reason] : [`Error updating ${level.inSentence}. Please try again.`, reason]
    await readNotice(page, ...(failure as [string, string?]))
    const other = page.getByLabel('Other amount')
    const list = page.getByLabel('Credits', { exact: true })
    await expect(other).toHaveAccessibleDescription(reason)
    await expect(other).toHaveAttribute('aria-invalid', 'true')
    await expect(list).toHaveAttribute('aria-invalid', 'false')
    await other.fill('7')
    await expect(page.getByText(reason)).toHaveCount(0)
    await expect(page.getByRole('complementary')).toContainText('7 credits')
    const releaseAgain = await holdBack(page, own)
    // Where the amount comes from the list, it is said there.
    await fill(page, { Credits: '7' })
    await press(page, 'Add 7 credits')
    await expect(question.getByRole('button', { name: 'Add 7 credits' })).toBeEnabled()
    await me.call(calls.level[level.role].save, { name: child.name, credits: 1, transaction: 0 })
    await press(question, 'Add 7 credits')
    releaseAgain()
    await expect(list).toHaveAccessibleDescription('You have 6 credits; this needs 7.')
    await expect(other).toHaveAttribute('aria-invalid', 'false')
    expect(await balances(me, child)).toEqual([6, 6])
  })

  test('is led to asking for credits while there are none to give', async ({ open, world }) => {
    const me = (await world.family())[role]
    const page = await open({ as: me })
    const latest = page.getByRole('region', { name: 'Latest Transactions' })
    await latest.getByRole('link', { name: 'Ask for credits' }).click()
    await expect(page).toHaveURL(to.creditRequests())
  })

  test('is told of a suspension by somebody else when a transfer is refused for it, and sees it', async ({
    open,
    world,
  }) => {
    const { me, child, page } = await atChild(world, open, 3)
    const access = page.getByRole('region', { name: 'Access' })
    await expect(access).toContainText('Can sign in')
    // It comes once the question has loaded the account again.
    const loaded = page.waitForResponse(`**/v1/tree/${child.name}`)
    await press(page, 'Add 1 credit')
    await loaded
    await me.call(calls.tree.suspend, { name: child.name })
    const question = page.getByRole('alertdialog')
    await press(question, 'Add 1 credit')
    const card = page.getByRole('region', { name: 'Update Credits' })
    await expect(card).toContainText(`${child.name} is suspended.`)
    await expect(access).toContainText('Suspended')
    expect(await balances(me, child)).toEqual([3, 0])
    // What the page knows by now is not offered again.
    await press(page, 'Add 1 credit')
    await expect(question).toContainText(`${child.name} is suspended.`)
    await expect(question.getByRole('button', { name: 'Add 1 credit' })).toBeDisabled()
    await press(question, 'Cancel')
    // Of a description that is not saved it is said as well.
    await page.route('**/save', (route) => route.fulfill({ status: 500, body: '' }))
    await fill(page, { Description: 'Lives next door' })
    await press(page, 'Save description')
    await expect(card).toContainText('This may have been done.')
  })

  test('saves a description without moving a credit', async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 3)
    const save = page.getByRole('button', { name: 'Save description' })
    await expect(save).toBeDisabled()
    await fill(page, { Description: 'Lives next door' })
    await save.click()
    await readNotice(page, `${title} updated successfully!`)
    await expect(save).toBeDisabled()
    await expect(page.getByLabel('Description')).toBeFocused()
    expect(await balances(me, child)).toEqual([3, 0])
    expect(await me.call(calls.level[level.role].detail, { name: child.name })).toMatchObject({
      description: 'Lives next door',
    })
  })

  test(`keeps what is typed while a ${title} is changed elsewhere, and shows that`, async ({
    open,
    world,
  }) => {
    const { me, child, page } = await atChild(world, open, 3)
    const { save } = calls.level[level.role]
    // Keys that are pressed while the form is loading go nowhere.
    await page.getByLabel('Other amount').click()
    await page.keyboard.type('2')
    await me.call(save, { name: child.name, credits: 0, transaction: 0, desc: 'From the other tab' })
    await comeBackTo(page, 'From the other tab')
    await expect(page.getByLabel('Other amount')).toHaveValue('2')
    await fill(page, { Description: 'From this one' })
    await press(page, 'Save description')
    await readNotice(page, `${title} updated successfully!`)
    await expect(page.getByLabel('Other amount')).toHaveValue('2')
    await me.call(save, { name: child.name, credits: 0, transaction: 0, desc: 'From there again' })
    await comeBackTo(page, 'From there again')
    await pressAndConfirm(page, 'Add 2 credits')
    await readNotice(page, `${title} updated successfully!`)
    expect(await me.call(calls.level[level.role].detail, { name: child.name })).toMatchObject({
      description: 'From there again',
      credits: 2,
    })
  })

  test(`moves credits without touching a description that another window has changed, and asks with the present balance`, async ({
    open,
    world,
  }) => {
    const { me, child, page } = await atChild(world, open, 5)
    const { save, detail } = calls.level[level.role]
    await expect(page.getByLabel('Description')).toBeEnabled()
    // This window stays in view all the time, so that nothing tells it to load again.
    await me.call(save, { name: child.name, credits: 3, transaction: 0, desc: 'Owes 40' })
    await press(page, 'Add 1 credit')
    const question = page.getByRole('alertdialog')
    await expect(question.getByRole('row', { name: child.name })).toContainText('34')
    await press(question, 'Add 1 credit')
    await readNotice(page, `${title} updated successfully!`)
    expect(await me.call(detail, { name: child.name })).toMatchObject({ description: 'Owes 40', credits: 4 })
  })

  test(`never shows on the page of one ${title} what was typed for another`, async ({ open, world }) => {
    const { me, page } = await atChild(world, open, 0)
    const other = await world.child(me, 0, 'another-one')
    const description = page.getByRole('textbox', { name: 'Description' })
    const password = page.getByLabel('New Password', { exact: true })
    await expect(description).toBeEnabled()
    await page.getByRole('link', { name: plural, exact: true }).click()
    await page.getByRole('link', { name: other.name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Update ${title}: ${other.name}`)
    await expect(description).toBeEnabled()
    await typeIn(description, 'Knows the other one')
    await press(page, 'Save description')
    await readNotice(page, `${title} updated successfully!`)
    await typeIn(password, 'for-another-one')
    await page.evaluate(() => window.history.go(-2))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Update ${title}: casa-digital`)
    await expect(description).toBeEnabled()
    await expect(description).toHaveValue('')
    await expect(password).toHaveValue('')
  })

  test(`changes the password of a ${title}`, async ({ open, world }) => {
    const { child, page } = await atChild(world, open, 0)
    const change = page.getByRole('button', { name: 'Change Password' })
    await expect(change).toBeDisabled()
    await fill(page, { 'New Password': 'another-password', 'Confirm New Password': 'another-passwort' })
    await page.getByLabel('Confirm New Password').blur()
    await expect(page.getByText('Passwords do not match')).toBeVisible()
    await expect(change).toBeDisabled()
    await fill(page, { 'Confirm New Password': 'another-password' })
    await change.click()
    await readNotice(page, 'Password changed successfully!')
    await expect(page.getByLabel('New Password', { exact: true })).toHaveValue('')
    const theirs = await open()
    await signIn(theirs, child.name, 'another-password')
  })

  test(`suspends a ${title}, who reads whom to contact, and lifts that again`, async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 3)
    const access = page.getByRole('region', { name: 'Access' })
    await expect(access).toContainText(`${child.name} can sign in.`)
    const theirs = await open({ as: child })
    const beneath = role === 'superreseller' ? [await world.child(child)] : []
    const dealer = beneath[0] ?? child
    await world.client(dealer)
    const [gone, off] = [await world.client(dealer), await world.client(dealer)]
    await world.setExpiry(gone.name, '2026-05-14T23:59:59.000Z')
    await dealer.call(calls.clients.save, { login: off.name, status: false })
    await page.reload()
    await press(page, 'Suspend')
    const dialog = page.getByRole('dialog', { name: `Suspend ${child.name}` })
    await expect(dialog).toContainText(
      role === 'superreseller'
        ? 'casa-digital and 1 dealer are signed out at once and cannot sign in. 1 client stays served.'
        : 'casa-digital is signed out at once and cannot sign in. 1 client stays served.',
    )
    await expect(dialog.getByLabel('Reason')).toBeFocused()
    await typeIn(dialog.getByLabel('Reason'), 'Owes 40 credits')
    await dialog.getByLabel('Stop the service of its clients too').check()
    await expect(dialog).toContainText('1 client loses its service.')
    await dialog.getByLabel('Stop the service of its clients too').uncheck()
    await press(dialog, `Suspend ${child.name}`)
    await readNotice(page, `${child.name} is suspended`)
    await expect(dialog).toBeHidden()
    await expect(access).toContainText(`Suspended by ${me.name}`)
    await expect(access).toContainText('Owes 40 credits')
    const change = page.getByRole('dialog', { name: `Change the suspension of ${child.name}` })
    await press(page, 'Change suspension')
    await expect(change).toContainText('signed out. 1 client stays served.')
    await change.getByLabel('Stop the service of its clients too').check()
    await press(change, 'Change suspension')
    await expect(change).toBeHidden()
    await press(page, 'Change suspension')
    await expect(change).toContainText('Its clients stay without service.')
    await change.getByLabel('Stop the service of its clients too').uncheck()
    await expect(change).toContainText('Its clients are served again.')
    await press(change, 'Change suspension')
    await expect(change).toBeHidden()
    await press(page, 'Add 1 credit')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText(
      `${child.name} is suspended. Credits can be added once its suspension is lifted.`,
    )
    await expect(question.getByRole('button', { name: 'Add 1 credit' })).toBeDisabled()
    await press(question, 'Cancel')
    await theirs.reload()
    await expect(theirs).toHaveURL('/login')
    await fill(theirs, { Username: child.name, Password: 'wrong-password' })
    await press(theirs, 'Sign in')
    await expect(theirs.getByText('The username or the password is wrong.')).toBeVisible()
    await fill(theirs, { Password: PASSWORD })
    await press(theirs, 'Sign in')
    await expect(theirs.getByText(`Your account is suspended. Please contact ${me.name}.`)).toBeVisible()
    await press(page, 'Lift suspension')
    await readNotice(page, `The suspension of ${child.name} is lifted`)
    await expect(access).toContainText('Can sign in')
    await fill(theirs, { Password: PASSWORD })
    await press(theirs, 'Sign in')
    await expect(theirs).not.toHaveURL('/login')
  })

  test(`answers a ${title} that asks for credits, and marks a low balance`, async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 40)
    const theirs = await open({ as: child, at: to.creditRequests() })
    // Keys that are pressed while the form is loading go nowhere, and so a person does not press them.
    await theirs.getByLabel('Other amount').click()
    await theirs.keyboard.type('25')
    await typeIn(theirs.getByLabel('Note'), 'For the new month')
    await press(theirs, 'Ask for 25 credits')
    await readNotice(theirs, 'Asked for 25 credits')
    await expect(theirs.getByRole('region', { name: `You asked ${me.name} for 25 credits` })).toBeVisible()
    await page.getByLabel('Mark as low below').click()
    await page.keyboard.type('5')
    await press(page, 'Mark below 5')
    await readNotice(page, 'Threshold saved')
    await fill(page, { 'Mark as low below': '' })
    await press(page, 'Remove the threshold')
    await readNotice(page, 'Threshold removed')
    await expect(page.getByRole('button', { name: 'No threshold' })).toBeDisabled()
    await page.getByLabel('Mark as low below').click()
    await page.keyboard.type('1,021')
    await press(page, 'Mark below 1,021')
    await readNotice(page, 'Threshold saved')
    await page.reload()
    const menu = page.getByRole('navigation', { name: 'Main' })
    await menu.getByRole('link', { name: 'Credit Requests 1 open' }).click()
    const asked = rows(page, 'Requests from Below')
    await expect(asked.first()).toContainText(/casa-digital.*25.*0.*For the new month/)
    await press(page, 'Grant casa-digital')
    const dialog = page.getByRole('dialog', { name: 'Grant credits to casa-digital' })
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await dialog.getByLabel('Credits').fill('1,500')
    await expect(dialog).toContainText('You have 40 credits; this needs 1,500.')
    await expect(dialog.getByRole('button', { name: 'Grant 1,500 credits' })).toBeDisabled()
    await dialog.getByLabel('Credits').fill('26')
    await expect(dialog).toContainText('casa-digital asked for 25 credits: grant 25 or fewer.')
    await expect(dialog.getByRole('button', { name: 'Grant 26 credits' })).toBeDisabled()
    await dialog.getByLabel('Credits').fill('20')
    await expect(dialog.getByRole('row')).toHaveText(['BalanceBeforeAfter', 'You4020', 'casa-digital020'])
    await press(dialog, 'Grant 20 credits')
    await readNotice(page, 'Granted 20 credits')
    await expect(page.getByText('No open requests')).toBeVisible()
    await expect(menu.getByRole('link', { name: 'Credit Requests', exact: true })).toBeVisible()
    expect(await balances(me, child)).toEqual([20, 20])
    await theirs.reload()
    // As it is shown: where it is narrow, the day stands in another cell.
    await expect(rows(theirs, 'Your Requests').first()).toContainText(/25\s+Granted\s+20\s+2026-05-15/, {
      useInnerText: true,
    })
    await expect(theirs.getByText('The newest 10', { exact: true })).toBeVisible()
    await expect(theirs.getByText('20 credits, low').first()).toBeVisible()
    await page.goto(list())
    await expect(rows(page, plural).filter({ hasText: 'casa-digital' })).toContainText('20 low')
  })

  test('is told of a request whose child was suspended, or withdrew it, while it was answered, beside the present balance', async ({
    open,
    world,
  }) => {
    const { me, child, page } = await atChild(world, open, 40)
    const { ask, withdraw } = calls.requests
    const { id } = await child.call(ask, { credits: 7 })
    await page.clock.install()
    await page.goto(to.creditRequests())
    await press(page, `Grant ${child.name}`)
    const dialog = page.getByRole('dialog', { name: `Grant credits to ${child.name}` })
    await expect(dialog.getByRole('row').last()).toHaveText(`${child.name}07`)
    await me.call(calls.level[level.role].save, { name: child.name, credits: 5, desc: '', transaction: 0 })
    await page.clock.fastForward(5_000)
    await comeBackUntil(page, () =>
      expect(dialog.getByRole('row').last()).toHaveText(`${child.name}512`, { timeout: 1_000 }),
    )
    await me.call(calls.tree.suspend, { name: child.name })
    await press(dialog, 'Grant 7 credits')
    const why = `${child.name} is suspended. Credits can be added once its suspension is lifted.`
    await readNotice(page, 'Error granting credits. Please try again.', why)
    await expect(dialog).toContainText(why)
    await expect(dialog.getByRole('button', { name: 'Grant 7 credits' })).toBeDisabled()
    await press(dialog, 'Cancel')
    const request = rows(page, 'Requests from Below')
    await expect(request.getByRole('img', { name: 'Suspended' })).toBeVisible()
    await expect(request.getByRole('button')).toHaveText(['Decline'])
    await me.call(calls.tree.lift, { name: child.name })
    await page.reload()
    await press(page, `Grant ${child.name}`)
    await (await world.again(child)).call(withdraw, { id })
    await press(dialog, 'Grant 7 credits')
    await readNotice(
      page,
      'Error granting credits. Please try again.',
      'This request was withdrawn in the meantime.',
    )
    await expect(dialog).toHaveCount(0)
    await expect(page.getByText('No open requests')).toBeVisible()
  })

  test('filters all transactions, keeps the filters in the address, and exports what they find', async ({
    open,
    world,
  }) => {
    const { me, child, page } = await atChild(world, open, 40)
    const other = await world.child(me, 3, 'another-one')
    await me.call(calls.level[level.role].save, { name: child.name, credits: 7, transaction: 0 })
    await page.reload()
    await page.getByText('of the newest 1,000').getByRole('link', { name: 'all' }).click()
    await expect(page).toHaveURL(to.transactions({ account: child.name }))
    await expectColumns(page, 'Transactions', OF_A_BRANCH_FOLDED)
    await expect(rows(page, 'Transactions')).toHaveText([/ADD\+7casa-digital/])
    await expect(page.getByLabel('Sums')).toHaveText(
      'ADD7 credits in 1 transactionREMOVENoneUSEDNoneRETRIEVEDNoneTRIALNoneDELETENoneMOVENone',
    )
    await page.getByLabel('Account').fill('')
    await expect(rows(page, 'Transactions')).toHaveCount(3)
    await page.getByLabel('Type').selectOption('ADD')
    await typeIn(page.getByRole('searchbox'), 'another')
    await expect(rows(page, 'Transactions')).toHaveText([/ADD\+3another-one/])
    await expect(page).toHaveURL(to.transactions({ type: 'ADD', search: 'another' }))
    await page.reload()
    await expect(rows(page, 'Transactions')).toHaveText([/ADD\+3another-one/])
    await page.getByLabel('From').fill('2026-05-16')
    await expect(page.getByText('No transactions found')).toBeVisible()
    await page.getByLabel('From').fill('2026-05-15')
    await press(page, 'Export')
    const download = page.waitForEvent('download')
    await press(page, 'Export as CSV')
    const file = await readFile(await (await download).path(), 'utf8')
    expect(file.trim().split('\n')).toHaveLength(2)
    expect(file).toContain(other.name)
  })

  test('is told that a screen is for another role, and keeps the menu', async ({ open, world }) => {
    const me = (await world.family())[role]
    const page = await open({ as: me, at: '/super-resellers' })
    for (const path of ['/super-resellers', '/admin/message', '/admin', '/new-client', '/clients']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not for your role')
      await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
    }
    await page.goto(update('nobody-here'))
    const none = page.getByText(`There is no ${level.inSentence} of this name`)
    await expect(none).toBeVisible()
    // That is not said of another one, which is still loading.
    await world.child(me, 0, 'is-here')
    const load = await holdBack(page, '**/v1/**/is-here')
    await page.evaluate((path) => {
      history.pushState(null, '', path)
      window.dispatchEvent(new PopStateEvent('popstate'))
    }, update('is-here'))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Update ${title}: is-here`)
    await expect(none).toHaveCount(0)
    load()
    await page.goBack()
    await page.getByRole('link', { name: `Show all ${plural.toLowerCase()}` }).click()
    await expect(page).toHaveURL(list())
    // A link that was cut off, so that it cannot be decoded.
    await page.goto(`${update('nobody-here')}%E0%A4`)
    await expect(none).toBeVisible()
    await page.goto('/no/such/page%')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not found')
    await page.getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(page).toHaveURL(home)
  })

  /** Opens the update screen of a new child without credits, as its parent with credits. */
  async function atChild(world: World, open: (visit: object) => Promise<Page>, credits: number) {
    const me = (await world.family({ credits, to: role }))[role]
    const child = await world.child(me, 0, 'casa-digital')
    const page = await open({ as: me, at: update('casa-digital') })
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Update ${title}: casa-digital`)
    return { me, child, page }
  }

  async function balances(me: Person, child: Person) {
    const { credits } = await me.call(calls.credits[role])
    const detail = await me.call(calls.level[level.role].detail, { name: child.name })
    return [credits, detail.credits]
  }
})

/** Comes back from another tab until the page shows this description. */
function comeBackTo(page: Page, description: string): Promise<void> {
  const field = page.getByLabel('Description')
  return comeBackUntil(page, () => expect(field).toHaveValue(description, { timeout: 1_000 }))
}

/** Comes back from another tab until the page shows what it should: what it has counts as fresh for two seconds. */
async function comeBackUntil(page: Page, shows: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await shows()
  }).toPass()
}

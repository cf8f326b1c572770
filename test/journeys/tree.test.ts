import { calls } from '../../contract/calls.ts'
import { to } from '../../web/screens.ts'
import {
  expect,
  expectColumns,
  expectSorted,
  fill,
  holdBack,
  press,
  readNotice,
  rows,
  signIn,
  test,
  typeIn,
} from '../support/browser.ts'
import { PASSWORD } from '../support/world.ts'
import { DEALERS_OF_TREE } from './columns.ts'

test('the admin goes down the tree, finds who runs out first, and gets to every account', async ({
  open,
  world,
}) => {
  const { superreseller, reseller, dealer } = await world.family({ credits: 60 })
  const rich = await world.child(reseller, 0, 'runs-never-out')
  await world.client(dealer, { login: 'client-one', months: 2 })
  // Nobody knows the pace of an account on its first day.
  world.clock.pass({ days: 10 })
  const page = await open({ as: world.admin, at: to.tree() })
  await rows(page, 'Super Resellers').getByRole('link', { name: superreseller.name }).click()
  await expect(page).toHaveURL(to.branch(superreseller.name))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Super Reseller: ${superreseller.name}`)
  await rows(page, 'Resellers').getByRole('link', { name: reseller.name }).click()
  await expectColumns(page, 'Dealers', DEALERS_OF_TREE)
  await expectSorted(page, 'Dealers', 'Lasts', 'ascending')
  await expect(rows(page, 'Dealers').first()).toContainText(/58about 290 days2110/)
  await expect(rows(page, 'Dealers').last()).toContainText(rich.name)
  await typeIn(page.getByRole('searchbox'), 'never')
  await expect(rows(page, 'Dealers')).toHaveCount(1)
  await page.goto(to.allClients())
  await rows(page, 'All Clients').getByRole('link', { name: dealer.name }).click()
  await expect(page).toHaveURL(to.branch(dealer.name))
  const path = page.getByRole('navigation', { name: 'Path' })
  await expect(path.getByRole('link')).toHaveText(['Tree', superreseller.name, reseller.name])
  await page.getByRole('link', { name: 'Transactions', exact: true }).last().click()
  await expect(page).toHaveURL(to.transactions({ account: dealer.name }))
  await rows(page, 'Transactions')
    .filter({ hasText: 'USED' })
    .getByRole('link', { name: dealer.name })
    .first()
    .click()
  await expect(page).toHaveURL(to.branch(dealer.name))
})

test('the menu leads back to the open accounts of the tree, also from its closed ones', async ({
  open,
  world,
}) => {
  const page = await open({ as: world.admin, at: `${to.tree()}?show=closed` })
  const closed = page.getByRole('switch', { name: 'Closed ones' })
  await expect(closed).toBeChecked()
  await page.getByRole('link', { name: 'Tree', exact: true }).click()
  await expect(page).toHaveURL(to.tree())
  await expect(closed).not.toBeChecked()
  await closed.check()
  await expect(page).toHaveURL(`${to.tree()}?show=closed`)
})

test('the admin suspends a dealer far below and sets its password, and Enter on a tick box sends nothing', async ({
  open,
  world,
}) => {
  const { superreseller, reseller, dealer } = await world.family()
  await world.client(dealer)
  const page = await open({ as: world.admin, at: to.branch(dealer.name) })
  await press(page, 'Suspend')
  const service = page.getByRole('dialog').getByRole('checkbox')
  await service.press('Enter')
  await service.check()
  await press(page.getByRole('dialog'), `Suspend ${dealer.name}`)
  await readNotice(page, `${dealer.name} is suspended`)
  const { suspension } = await world.admin.call(calls.tree.account, { name: dealer.name })
  expect(suspension?.service_too).toBe(true)
  const above = await open({ as: reseller, at: to.branch(dealer.name) })
  await expect(above.getByRole('region', { name: 'Access' })).toContainText(
    'Only somebody above you can lift this.',
  )
  await expect(above.getByRole('button', { name: 'Lift suspension' })).toHaveCount(0)
  // Nor are its clients, whose service stands still, taken away from it.
  const place = above.getByRole('region', { name: 'Place in the tree' })
  await expect(place).toContainText('only somebody above you can move its clients away')
  await expect(above.getByRole('button', { name: 'Move clients' })).toHaveCount(0)
  await press(above, 'Close')
  await expect(above.getByRole('dialog')).toContainText('Only an empty account can be closed.')
  await expect(above.getByRole('button', { name: 'Move its 1 client to…' })).toHaveCount(0)
  await press(above.getByRole('dialog'), 'Cancel')
  await press(page, 'Lift suspension')
  await readNotice(page, `The suspension of ${dealer.name} is lifted`)
  await fill(page, { 'New Password': 'set-by-the-admin', 'Confirm New Password': 'set-by-the-admin' })
  await press(page, 'Change Password')
  await readNotice(page, 'Password changed successfully!')
  const theirs = await open()
  await signIn(theirs, dealer.name, 'set-by-the-admin')
  await page.goto(to.branch(world.admin.name))
  await expect(page).toHaveURL(to.tree())
  const middle = await open({ as: superreseller, at: to.branch(dealer.name) })
  await expect(middle.getByRole('region', { name: 'Access' })).toContainText('can sign in')
  await expect(middle.getByRole('button', { name: 'Suspend' })).toHaveCount(0)
})

test('a suspension that somebody else has set or changed meanwhile is shown before it is replaced or lifted', async ({
  open,
  world,
}) => {
  const { reseller, dealer } = await world.family({ credits: 1 })
  await world.client(dealer, { months: 1 })
  const page = await open({ as: world.admin, at: to.branch(dealer.name) })
  const access = page.getByRole('region', { name: 'Access' })
  const theirs = await open({ as: reseller, at: to.branch(dealer.name) })
  const theirDialog = theirs.getByRole('dialog')
  const dialog = page.getByRole('dialog', { name: `Suspend ${dealer.name}` })
  const change = page.getByRole('dialog', { name: `Change the suspension of ${dealer.name}` })
  await press(page, 'Suspend')
  await expect(dialog).toContainText('1 client stays served.')
  await typeIn(dialog.getByLabel('Reason'), 'Sells elsewhere')
  await dialog.getByLabel('Stop the service of its clients too').check()

  await press(theirs, 'Suspend')
  await typeIn(theirDialog.getByLabel('Reason'), 'Owes 40 credits')
  await theirDialog.getByLabel('Stop the service of its clients too').check()
  await press(theirDialog, `Suspend ${dealer.name}`)
  await readNotice(theirs, `${dealer.name} is suspended`)

  await press(dialog, `Suspend ${dealer.name}`)
  const hasChanged = `The suspension of ${dealer.name} has changed in the meantime. Please look again.`
  await readNotice(page, 'Error suspending the account. Please try again.', hasChanged)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(access).toContainText(`Suspended by ${reseller.name}`)
  await expect(access).toContainText('and its clients are not served')
  await expect(access).toContainText('Owes 40 credits')

  // The clock of the tests stands still, and a suspension is known by its moment.
  world.clock.pass({ minutes: 1 })
  await press(theirs, 'Change suspension')
  await typeIn(theirDialog.getByLabel('Reason'), ' since May')
  await press(theirDialog, 'Change suspension')
  await readNotice(theirs, `${dealer.name} is suspended`)
  await press(page, 'Lift suspension')
  await readNotice(page, 'Error lifting the suspension. Please try again.', hasChanged)
  await expect(access).toContainText('Owes 40 credits since May')
  await expect(access).toContainText('Suspended')

  await press(theirs, 'Lift suspension')
  await readNotice(theirs, `The suspension of ${dealer.name} is lifted`)
  await press(page, 'Change suspension')
  // What is asked is of now: it was loaded again.
  await expect(dialog).toContainText('1 client loses its service.')
  await expect(change).toHaveCount(0)
  // What was typed and ticked before the refusal is not lost.
  await expect(dialog.getByLabel('Reason')).toHaveValue('Sells elsewhere')
  await expect(dialog.getByLabel('Stop the service of its clients too')).toBeChecked()
  await press(dialog, `Suspend ${dealer.name}`)
  await readNotice(page, `${dealer.name} is suspended`)
  await expect(access).toContainText(`Suspended by ${world.admin.name}`)
  await expect(access).toContainText('Sells elsewhere')
  await press(page, 'Lift suspension')
  await readNotice(page, `The suspension of ${dealer.name} is lifted`)
})

test('a dialog offers nothing more where somebody above has suspended what it would suspend or move', async ({
  open,
  world,
}) => {
  const { superreseller, reseller, dealer } = await world.family()
  const other = await world.child(superreseller)
  const theirs = await open({ as: reseller, at: to.branch(dealer.name) })
  await theirs.clock.install()
  await press(theirs, 'Suspend')
  const dialog = theirs.getByRole('dialog')
  await typeIn(dialog.getByLabel('Reason'), 'Owes 40 credits')
  await world.admin.call(calls.tree.suspend, { name: dealer.name })
  // It is loaded again meanwhile, as where its window comes back into view.
  await theirs.clock.fastForward(5_000)
  await theirs.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await expect(theirs.getByRole('region', { name: 'Access', includeHidden: true })).toContainText(
    'Only somebody above',
  )
  await expect(dialog).toContainText('Only somebody above you can change or lift this suspension.')
  await expect(dialog.getByRole('button', { name: 'Change suspension' })).toBeDisabled()

  const page = await open({ as: superreseller, at: to.branch(dealer.name) })
  await press(page, 'Move')
  const move = page.getByRole('dialog')
  await move.getByLabel('To').selectOption(other.name)
  await expect(move.getByRole('button', { name: `Move to ${other.name}` })).toBeEnabled()
  await world.admin.call(calls.tree.suspend, { name: reseller.name })
  await press(move, `Move to ${other.name}`)
  const reason = `${reseller.name} is suspended. Only who suspended it, or somebody above them, can move anything away from it.`
  await readNotice(page, 'Error moving the account. Please try again.', reason)
  await expect(move).toContainText('only somebody above you can move it away')
  await expect(move.getByRole('button', { name: `Move to ${other.name}` })).toBeDisabled()
})

test('who moves a dealer or clients is told what a suspension there does to them, and which account is gone', async ({
  open,
  world,
}) => {
  const { superreseller, reseller, dealer } = await world.family({ credits: 9 })
  const [stopped, paused] = [await world.child(superreseller), await world.child(superreseller)]
  const leaving = await world.child(superreseller)
  const heir = await world.child(stopped)
  const spared = await world.child(paused)
  await world.client(dealer, { months: 2 })
  await world.client(spared)
  await superreseller.call(calls.tree.suspend, { name: stopped.name, service_too: true })
  await superreseller.call(calls.tree.suspend, { name: paused.name })
  const page = await open({ as: superreseller, at: to.branch(dealer.name) })
  await press(page, 'Move')
  const move = page.getByRole('dialog', { name: `Move ${dealer.name}` })
  await move.getByLabel('To').selectOption(stopped.name)
  await expect(move).toContainText(
    `${stopped.name} is suspended: ${dealer.name} will be signed out, and the clients lose their service.`,
  )
  await move.getByLabel('To').selectOption(paused.name)
  await expect(move).toContainText(`${paused.name} is suspended: ${dealer.name} will be signed out.`)
  await move.getByLabel('To').selectOption('')
  await expect(move).not.toContainText('suspended')
  await press(move, 'Cancel')
  await press(page, 'Move clients')
  const clients = page.getByRole('dialog', { name: `Move clients of ${dealer.name}` })
  await clients.getByLabel('To').selectOption(heir.name)
  await expect(clients).toContainText(
    `An account above ${heir.name} is suspended: the clients lose their service.`,
  )
  // Who is suspended without its clients still serves them.
  await clients.getByLabel('To').selectOption(spared.name)
  await expect(clients.getByRole('button', { name: `Move 1 client to ${spared.name}` })).toBeEnabled()
  await expect(clients).not.toContainText('suspended')
  await press(clients, 'Cancel')
  // Where they are stopped already, a move changes nothing for them.
  await superreseller.call(calls.tree.suspend, { name: reseller.name, service_too: true })
  await page.reload()
  await press(page, 'Move clients')
  await clients.getByLabel('To').selectOption(heir.name)
  await expect(clients.getByRole('button', { name: `Move 1 client to ${heir.name}` })).toBeEnabled()
  await expect(clients).not.toContainText('suspended')
  await press(clients, 'Cancel')
  // A suspension that only somebody above may lift keeps all there.
  await world.admin.call(calls.tree.suspend, { name: paused.name })
  await press(page, 'Move clients')
  await clients.getByLabel('To').selectOption(spared.name)
  await expect(clients).toContainText(
    `An account above ${spared.name} is suspended: only somebody above you can undo the move.`,
  )
  await press(clients, 'Cancel')
  await press(page, 'Move')
  await move.getByLabel('To').selectOption(paused.name)
  await expect(move).toContainText(`${paused.name} is suspended: only somebody above you can undo the move.`)
  await press(move, 'Cancel')
  const there = await open({ as: superreseller, at: to.branch(spared.name) })
  const place = there.getByRole('region', { name: 'Place in the tree' })
  await expect(place).toContainText('only somebody above you can move it away')
  await expect(place.getByRole('button')).toHaveText([])
  // Nobody is moved before it is known what that does.
  const fault = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' }
  await page.route(`**/v1/tree/${stopped.name}`, (route) => route.fulfill({ status: 500, json: fault }))
  await press(page, 'Move')
  await move.getByLabel('To').selectOption(stopped.name)
  await expect(move.getByText(fault.message)).toBeVisible()
  const button = move.getByRole('button', { name: `Move to ${stopped.name}` })
  await expect(button).toBeDisabled()
  await page.unrouteAll()
  await press(move, 'Retry')
  await expect(button).toBeEnabled()
  // What was seen of it before may not be so any more.
  await move.getByLabel('To').selectOption('')
  await page.waitForTimeout(2_100)
  const release = await holdBack(page, `**/v1/tree/${stopped.name}`)
  await move.getByLabel('To').selectOption(stopped.name)
  await expect(button).toBeDisabled()
  release()
  await expect(button).toBeEnabled()
  // An account that is gone cannot stay chosen, and is named.
  await move.getByLabel('To').selectOption(leaving.name)
  await superreseller.call(calls.tree.close, { name: leaving.name })
  await press(move, `Move to ${leaving.name}`)
  await readNotice(page, 'Error moving the account. Please try again.', 'There is nothing of this name here.')
  await expect(move).toContainText(`${leaving.name} can no longer be chosen.`)
  await expect(move.getByLabel('To')).toHaveValue('')
  await move.getByLabel('To').selectOption(paused.name)
  await expect(move).not.toContainText(leaving.name)
})

test('who moves a suspended account is told that it stays so, and by whom that can be lifted', async ({
  open,
  world,
}) => {
  const { superreseller, reseller, dealer } = await world.family()
  await reseller.call(calls.tree.suspend, { name: dealer.name })
  const page = await open({ as: superreseller, at: to.branch(dealer.name) })
  await press(page, 'Move')
  const move = page.getByRole('dialog', { name: `Move ${dealer.name}` })
  await expect(move).toContainText(`${dealer.name} stays suspended by ${reseller.name}; you can lift that.`)
  await press(move, 'Cancel')
  await world.admin.call(calls.tree.suspend, { name: dealer.name })
  await page.reload()
  await press(page, 'Move')
  await expect(move).toContainText(`${dealer.name} stays suspended; only somebody above you can lift that.`)
})

test('a dealer who quits hands its clients on, changes its reseller and is closed', async ({
  open,
  world,
}) => {
  const { superreseller, reseller, dealer } = await world.family({ credits: 9 })
  const heir = await world.child(reseller)
  const other = await world.child(superreseller)
  await world.client(dealer, { login: 'first-one', months: 2 })
  await world.client(dealer, { login: 'second-one' })
  const page = await open({ as: superreseller, at: to.branch(dealer.name) })
  await press(page, 'Move clients')
  const clients = page.getByRole('dialog', { name: `Move clients of ${dealer.name}` })
  await clients.getByLabel('To').selectOption(heir.name)
  await clients.getByLabel('Clients', { exact: true }).selectOption('Chosen ones')
  await press(clients, 'Move clients')
  await expect(clients).toContainText('Please choose at least one client')
  await clients.getByRole('checkbox', { name: 'second-one' }).check()
  await expect(clients).not.toContainText('Please choose at least one client')
  // Who was ticked in a dialog that was left is not moved by the next.
  await press(clients, 'Cancel')
  await press(page, 'Move clients')
  await clients.getByLabel('To').selectOption(heir.name)
  await clients.getByLabel('Clients', { exact: true }).selectOption('Chosen ones')
  await expect(clients.getByRole('checkbox', { name: 'second-one' })).not.toBeChecked()
  await typeIn(clients.getByLabel('Search by name or MAC'), 'first')
  await clients.getByRole('checkbox', { name: 'first-one' }).check()
  // Enter in the search, which is in the form, moves nobody.
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  await clients.getByLabel('Search by name or MAC').fill('second')
  await clients.getByLabel('Search by name or MAC').press('Enter')
  await expect(clients.getByRole('checkbox', { name: 'second-one' })).toBeVisible()
  await expect(clients.getByRole('checkbox', { name: 'first-one' })).toHaveCount(0)
  expect(sent).toEqual([])
  await press(clients, `Move 1 client to ${heir.name}`)
  await readNotice(page, `1 client moved to ${heir.name}`)
  await press(page, 'Move')
  const move = page.getByRole('dialog', { name: `Move ${dealer.name}` })
  await expect(move).toContainText('takes along its balance of 7 credits and 1 client')
  await move.getByLabel('To').selectOption(other.name)
  await press(move, `Move to ${other.name}`)
  await readNotice(page, `${dealer.name} was moved to ${other.name}`)
  await expect(page.getByRole('navigation', { name: 'Path' }).getByRole('link')).toHaveText([
    'Tree',
    other.name,
  ])
  // Whoever has the dealer no longer may not know it, so that its rows lead nowhere.
  const before = await open({ as: reseller, at: to.transactions({ type: 'USED' }) })
  await expect(rows(before, 'Transactions')).toHaveText([/USED.*first-one.*2026-07-15—$/])
  await expect(rows(before, 'Transactions').getByRole('link')).toHaveCount(0)
  const above = await open({ as: world.admin, at: to.branch(reseller.name) })
  await press(above, 'Close')
  await expect(above.getByRole('dialog').getByRole('link')).toHaveText([heir.name])
  const parent = await open({ as: other, at: to.level.dealer.update(dealer.name) })
  await press(parent, 'Close')
  const inTheWay = parent.getByRole('dialog', { name: `Close ${dealer.name}` })
  await expect(inTheWay).toContainText(`${dealer.name} has 1 client.`)
  const last = await world.child(other)
  await parent.reload()
  await press(parent, 'Close')
  await press(parent, 'Move its 1 client to…')
  await parent.getByRole('dialog').getByLabel('To').selectOption(last.name)
  await press(parent.getByRole('dialog'), `Move 1 client to ${last.name}`)
  await readNotice(parent, `1 client moved to ${last.name}`)
  await press(parent, 'Close')
  const question = parent.getByRole('alertdialog', { name: `Close ${dealer.name}?` })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expect(question).toContainText(`7 credits go to ${other.name}.`)
  await expect(question.getByRole('row')).toHaveText([
    /BalanceBeforeAfter/,
    `${dealer.name}70`,
    /^You\d+\d+$/,
  ])
  const byAdmin = await open({ as: world.admin, at: to.branch(dealer.name) })
  await press(byAdmin, 'Close')
  const has = (await world.admin.call(calls.tree.account, { name: other.name })).credits
  await expect(byAdmin.getByRole('alertdialog').getByRole('row')).toHaveText([
    /BalanceBeforeAfter/,
    `${dealer.name}70`,
    `${other.name}${has}${has + 7}`,
  ])
  await press(question, `Close ${dealer.name}`)
  await readNotice(parent, `${dealer.name} is closed`)
  await expect(parent).toHaveURL(to.branch(dealer.name))
  await parent.goto(to.tree())
  await expect(rows(parent, 'Dealers')).toHaveCount(1)
  // While the closed ones are loading, the open ones are pale.
  const release = await holdBack(parent, '**/v1/tree?*show=closed*')
  await parent.getByRole('switch', { name: 'Closed ones' }).check()
  const list = parent.locator('[aria-busy]', { has: parent.getByRole('table', { name: 'Dealers' }) })
  await expect(list).toHaveAttribute('aria-busy', 'true')
  await expect(list).toHaveCSS('opacity', '0.55')
  release()
  await expect(list).toHaveAttribute('aria-busy', 'false')
  await expect(rows(parent, 'Dealers')).toContainText(dealer.name)
  await expect(parent).toHaveURL(/show=closed/)
})

test('chosen clients that their dealer no longer has are all named and left out, and the others are moved', async ({
  open,
  world,
}) => {
  const { reseller, dealer } = await world.family()
  const heir = await world.child(reseller)
  const elsewhere = await world.child(reseller)
  for (const login of ['gone-one', 'gone-too', 'gone-last', 'there-one'])
    await world.client(dealer, { login })
  const page = await open({ as: reseller, at: to.branch(dealer.name) })
  await press(page, 'Move clients')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('To').selectOption(heir.name)
  await dialog.getByLabel('Clients', { exact: true }).selectOption('Chosen ones')
  const tick = (name: string) => dialog.getByRole('checkbox', { name }).check()
  const leave = (...clients: string[]) =>
    reseller.call(calls.tree.moveClients, { from: dealer.name, to: elsewhere.name, clients })
  const failure = page.getByText('Error moving the clients. Please try again.')
  await tick('gone-last')
  await leave('gone-last')
  await press(dialog, `Move 1 client to ${heir.name}`)
  await expect(failure).toBeVisible()
  await expect(dialog.getByRole('status')).toHaveText(
    `1 client is left out, which ${dealer.name} no longer has: gone-last`,
  )
  await expect(dialog.getByRole('button', { name: 'Move clients' })).toBeEnabled()
  for (const name of ['gone-one', 'gone-too', 'there-one']) await tick(name)
  await leave('gone-one', 'gone-too')
  await press(dialog, `Move 3 clients to ${heir.name}`)
  await expect(dialog.getByRole('status')).toHaveText(
    `2 clients are left out, which ${dealer.name} no longer has: gone-one, gone-too`,
  )
  await expect(dialog.getByRole('list', { name: 'Chosen, but not shown' })).toHaveCount(0)
  await press(dialog, `Move 1 client to ${heir.name}`)
  await readNotice(page, `1 client moved to ${heir.name}`)
})

test('an answer that comes after its page was left opens no other page', async ({ open, world }) => {
  const { reseller } = await world.family()
  const { name } = await world.child(reseller)
  const page = await open({ as: reseller, at: to.level.dealer.list() })
  await page.getByRole('link', { name }).click()
  const release = await holdBack(page, '**/v1/tree/close')
  await press(page, 'Close')
  await press(page.getByRole('alertdialog'), `Close ${name}`)
  await page.goBack()
  release()
  await readNotice(page, `${name} is closed`)
  await expect(page).toHaveURL(to.level.dealer.list())
})

test('a reseller finds nobody else in the tree, and a new one is led to its first dealer', async ({
  open,
  world,
}) => {
  const stranger = await world.family()
  const reseller = await world.child(stranger.superreseller)
  const page = await open({ as: reseller, at: to.branch(stranger.dealer.name) })
  await expect(page.getByText('There is no account of this name beneath you')).toBeVisible()
  await page.getByRole('link', { name: 'Show the tree' }).click()
  await expect(page).toHaveURL(to.tree())
  const add = page.getByRole('main').getByRole('link', { name: 'Add Dealer' })
  await expect(add).toBeVisible()
  await page.getByRole('switch', { name: 'Closed ones' }).check()
  await expect(page.getByText('No dealers found')).toBeVisible()
  await expect(add).toHaveCount(0)
  await page.getByRole('switch', { name: 'Closed ones' }).uncheck()
  await add.click()
  await expect(page).toHaveURL(to.level.dealer.add())
})

test('an account sees its sign-ins and ends another session of its own', async ({ open, world }) => {
  const { dealer } = await world.family()
  const page = await open()
  await signIn(page, dealer.name)
  await world.again(dealer, new Date(world.clock.now.getTime() + 60_000))
  await page.goto(to.signIns())
  const own = rows(page, 'Your Sessions')
  await expect(own).toHaveCount(3)
  await expect(own.filter({ hasText: 'This one' })).toContainText(/127\.0\.0\.1Chrome on/)
  await expect(rows(page, 'Last Sign-ins and Failures')).toHaveText([/Signed in.*Chrome on/])
  await own
    .filter({ hasText: 'Unknown' })
    .first()
    .getByRole('button', { name: /^End this session: .+ at / })
    .click()
  const question = page.getByRole('alertdialog')
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await press(question, 'End session')
  await readNotice(page, 'Session ended')
  await expect(own).toHaveCount(2)
  const { data } = await (await world.again(dealer)).call(calls.session.list)
  expect(data).toHaveLength(3)
  // A changed password ends all others, and the list says so at once.
  await press(page, 'Settings')
  const drawer = page.getByRole('dialog', { name: 'Settings' })
  await fill(drawer, {
    'Present password': PASSWORD,
    'New password': 'another-password',
    'Confirm new password': 'another-password',
  })
  await press(drawer, 'Change password')
  await expect(drawer.getByLabel('Present password')).toHaveValue('')
  await page.keyboard.press('Escape')
  await expect(own).toHaveCount(1)
})

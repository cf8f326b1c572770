import type { Locator, Page } from 'playwright-core'
import { expect, fill, press, readNotice, test, typeIn } from '../support/browser.ts'

test('a browser that knows no more than ES2022 shows the main screens, and makes a client', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 1 })
  await world.client(dealer, { login: 'is-there' })
  const page = await open({ as: dealer })
  await page.addInitScript(() => {
    for (const name of ['isWellFormed', 'toWellFormed']) Reflect.deleteProperty(String.prototype, name)
    for (const name of ['toSorted', 'toReversed', 'toSpliced', 'with'])
      Reflect.deleteProperty(Array.prototype, name)
    Reflect.deleteProperty(Object, 'groupBy')
    Reflect.deleteProperty(Promise, 'withResolvers')
    Reflect.deleteProperty(AbortSignal, 'any')
    Reflect.deleteProperty(URL, 'canParse')
  })
  for (const [at, title] of [
    ['/', 'Dashboard'],
    ['/clients', 'Clients'],
    ['/due', 'Due'],
    ['/transactions', 'Transactions'],
    ['/update-client/is-there', 'is-there'],
    ['/new-client', 'New Client'],
  ] as const) {
    await page.goto(at)
    await expect(page.locator('h1'), at).toContainText(title)
  }
  await fill(page, { 'Login Name': 'is-new', Password: 'tv-1234' })
  await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
  await press(page, 'Submit')
  await readNotice(page, 'Client is-new created successfully!')
})

test('a browser without :has, as Firefox before 121, shows what is chosen, what has the focus and a hint, and prints credentials alone', async ({
  open,
  world,
}) => {
  const { reseller, dealer } = await world.family()
  await world.plantClients(dealer, { last: 25, digits: 2 })
  const page = await open({ as: dealer, height: 500 })
  await forgetHas(page)
  await page.goto('/clients?perPage=25')
  const filter = page.getByRole('group', { name: 'Filter' })
  await expect.poll(() => isChoiceShown(filter)).toBe(true)
  await page.emulateMedia({ forcedColors: 'active' })
  await expect.poll(() => isChoiceShown(filter)).toBe(true)
  await page.emulateMedia({ forcedColors: 'none' })
  await filter.getByRole('radio', { checked: true }).focus()
  await expect(filter.locator('label').first()).toHaveCSS('outline-style', 'solid')

  await page.getByRole('button', { name: 'Delete many-01' }).focus()
  for (let steps = 0; steps < 10; steps += 1) await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('button', { name: 'Delete many-11' })).toBeInViewport()
  // The scrolling is over by then.
  await page.waitForTimeout(300)
  await expect(page.getByRole('tooltip')).toBeInViewport()

  await press(page, 'Settings')
  for (const name of ['Mode', 'Layout', 'Preset colour'])
    await expect.poll(() => isChoiceShown(page.getByRole('group', { name })), name).toBe(true)

  await page.goto('/update-client/many-01')
  await press(page, 'Credentials')
  await expect(page.getByRole('dialog')).toContainText('many-01')
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('#root')).toBeHidden()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.locator('.printed')).toContainText('many-01')

  const other = await open({ as: reseller })
  await forgetHas(other)
  await other.goto(`/update-dealer/${dealer.name}`)
  await expect.poll(() => isChoiceShown(other.getByRole('group', { name: 'Action' }))).toBe(true)
})

test('a browser whose language is no valid tag, as without a locale, shows charts', async ({
  open,
  world,
}) => {
  const { name } = await world.child(world.admin)
  const page = await open({ as: world.admin, at: '/super-resellers' })
  await page.addInitScript(() => Object.defineProperty(navigator, 'language', { value: 'C' }))
  await page.goto(`/update-super-reseller/${name}`)
  await page.getByRole('region', { name: 'Clients History' }).scrollIntoViewIfNeeded()
  await expect(page.locator('canvas')).toBeVisible()
})

/** Lets the pages that a window opens from now on run as in a browser that does not know `:has`. */
async function forgetHas(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const unknown = (text: string) => text.replaceAll(':has(', ':unknown(')
    const { insertRule } = CSSStyleSheet.prototype
    CSSStyleSheet.prototype.insertRule = function (rule, at) {
      return insertRule.call(this, unknown(rule), at)
    }
    const { matches } = Element.prototype
    Element.prototype.matches = function (this: Element, selector: string) {
      return matches.call(this, unknown(selector))
    } as typeof matches
  })
  await page.route('**/*.css', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll(':has(', ':unknown(') })
  })
}

/** Returns whether the label of what is chosen in a group looks like none of the others. */
function isChoiceShown(group: Locator): Promise<boolean> {
  return group.locator('label').evaluateAll((labels) => {
    const look = (label: Element) => {
      const { backgroundColor, boxShadow, outlineStyle } = getComputedStyle(label)
      return `${backgroundColor} ${boxShadow} ${outlineStyle}`
    }
    const chosen = labels.filter((label) => label.querySelector(':checked'))
    const others = labels.filter((label) => !chosen.includes(label)).map(look)
    return chosen.length === 1 && others.length > 0 && !chosen.some((label) => others.includes(look(label)))
  })
}

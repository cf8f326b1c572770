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

import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { expect, press, rows, test } from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

async function dealerOfThree(world: World): Promise<Person> {
  const { dealer } = await world.family({ credits: 9 })
  for (const login of ['ana-one', 'ana-two', 'ben-one']) {
    await world.client(dealer, { login, desc: 'of the attic', phone: '4165550199' })
  }
  return dealer
}

/** Waits until the console is kept whole: its page, and what a first visit has loaded. */
async function installed(page: Page): Promise<void> {
  const missing = async () => {
    const cache = await caches.open('boxtree-1')
    const kept = (await cache.keys()).map(({ url }) => new URL(url).pathname)
    const loaded = performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.startsWith('/assets/'))
    return ['/', ...loaded].filter((path) => !kept.includes(path))
  }
  await expect.poll(() => page.evaluate(missing)).toEqual([])
}

const stored = (page: Page) => page.evaluate(() => localStorage.getItem('offline') ?? '')

test('the console has what a browser needs to install it, and its icons are there', async ({
  open,
  world,
}) => {
  const page = await open({ as: (await world.family()).dealer, installs: true })
  const address = await page.locator('link[rel=manifest]').getAttribute('href')
  const answer = await fetch(world.server.url + address)
  expect(answer.headers.get('content-type')).toContain('application/manifest+json')
  const { icons, ...manifest } = (await answer.json()) as {
    icons: { src: string; sizes: string; type: string }[]
  }
  expect(manifest).toMatchObject({ name: 'Boxtree', display: 'standalone', start_url: '/', scope: '/' })
  for (const { src, sizes, type } of icons) {
    const icon = await fetch(world.server.url + src)
    expect(icon.headers.get('content-type')).toBe(type)
    const bytes = Buffer.from(await icon.arrayBuffer())
    if (type === 'image/png') expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes)
  }
  const worker = await fetch(`${world.server.url}/sw.js`)
  expect(worker.headers.get('cache-control')).toBe('no-cache')
  expect(worker.headers.get('content-type')).toContain('javascript')
  const session = await page.context().newCDPSession(page)
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual([])
})

describe('without a connection', () => {
  test('an installed console opens, and shows the dashboard, Due and the last page of clients, with their moment', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    const page = await open({ as: dealer, installs: true })
    await installed(page)
    await page.goto('/due')
    await expect(rows(page, 'Due')).toHaveCount(3)
    await expect.poll(() => stored(page)).toContain('clients.dueClients')
    await page.goto('/clients?search=ana')
    await expect(rows(page, 'Clients')).toHaveCount(2)
    await expect.poll(() => stored(page)).toContain('"search":"ana"')
    const kept = await stored(page)
    for (const secret of ['password', 'tv-', 'of the attic']) {
      expect(
        JSON.stringify(
          JSON.parse(kept).kept.filter(({ key }: { key: string[] }) => key[0] === 'clients.list'),
        ),
      ).not.toContain(secret)
    }
    expect(kept).not.toContain('password')
    await installed(page)
    await page.context().setOffline(true)
    await page.goto('/clients')
    await expect(rows(page, 'Clients')).toHaveText([/ana-one/, /ana-two/])
    await expect(page.getByText('What is shown is as of 2')).toBeVisible()
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'All Clients' })).toContainText('3')
    await page.getByRole('link', { name: 'Due', exact: true }).click()
    await expect(rows(page, 'Due')).toHaveCount(3)
    // A client's page is not kept.
    await page.goto('/update-client/ana-one')
    await expect(page.getByText('The connection to Boxtree is lost').first()).toBeVisible()
    await page.context().setOffline(false)
    await expect(page.getByLabel('Description')).toHaveValue('of the attic')
  })

  test('nothing is left of an account that signed out, and nothing is kept of a call', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    const page = await open({ as: dealer, at: '/clients', installs: true })
    await installed(page)
    await expect.poll(() => stored(page)).toContain('ana-two')
    await press(page, 'Logout')
    await expect(page.getByLabel('Username')).toBeVisible()
    expect(await stored(page)).toBe('')
    const addresses = await page.evaluate(async () => {
      const requests = await Promise.all(
        (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
      )
      return requests.flat().map(({ url }) => new URL(url).pathname)
    })
    expect(addresses.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([])
    await page.context().setOffline(true)
    await page.goto('/clients')
    await expect(page.getByLabel('Username')).toBeVisible()
    await expect(page.getByText('ana-one')).toHaveCount(0)
  })
})

test('a new release is shown at the next visit, and what was kept of the old one is gone', async ({
  open,
  world,
}) => {
  const page = await open({ as: (await world.family()).dealer, installs: true })
  await installed(page)
  await page.evaluate(async () => {
    const cache = await caches.open('boxtree-1')
    await cache.put(
      '/',
      new Response('<title>Old release</title>', { headers: { 'content-type': 'text/html' } }),
    )
    await cache.put('/assets/old.js', new Response(''))
  })
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  await expect
    .poll(() =>
      page.evaluate(
        async () => (await (await caches.open('boxtree-1')).match('/assets/old.js')) !== undefined,
      ),
    )
    .toBe(false)
})

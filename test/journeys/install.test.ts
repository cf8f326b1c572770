import type { Page, Worker } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { DAY_MS } from '../../contract/time.ts'
import { expect, fill, press, readNotice, rows, signIn, test, typeIn } from '../support/browser.ts'
import { PASSWORD, type Person, type World } from '../support/world.ts'

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

/** Waits likewise, and returns the service worker that keeps it. */
async function workerOf(page: Page): Promise<Worker> {
  await installed(page)
  const [worker] = page.context().serviceWorkers()
  if (!worker) throw new Error('The console has no service worker')
  return worker
}

const stored = (page: Page) => page.evaluate(() => localStorage.getItem('offline') ?? '')
const store = (page: Page, kept: string) =>
  page.evaluate((kept) => localStorage.setItem('offline', kept), kept)

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
  // The whole Chromium, unlike its headless shell, takes every window of a test for an incognito one.
  const errors = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')
  expect(errors).toEqual([])
})

test('a device that keeps nothing shows what the server answers, also after a new release', async ({
  open,
  world,
}) => {
  const page = await open({ as: (await world.family()).dealer, installs: true })
  const worker = await workerOf(page)
  await worker.evaluate(() => {
    const full = async () => {
      throw new DOMException('The device is full', 'QuotaExceededError')
    }
    Object.assign(Cache.prototype, { put: full, add: full })
  })
  // The page of another release, and no page kept at all.
  await page.evaluate(async () => {
    const cache = await caches.open('boxtree-1')
    for (const asset of await cache.keys()) await cache.delete(asset)
    await cache.add('/manifest.webmanifest')
  })
  for (let time = 0; time < 2; time += 1) {
    await page.goto('/transactions')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Transactions')
  }
})

test('a file, a page of the API or of the boxes that is opened leaves the console that is kept', async ({
  open,
  world,
}) => {
  const page = await open({ as: (await world.family()).dealer, installs: true })
  await installed(page)
  const kept = () =>
    page.evaluate(async () => {
      const cache = await caches.open('boxtree-1')
      return [
        (await (await cache.match('/'))?.text())?.slice(0, 15),
        ...(await cache.keys()).map(({ url }) => url),
      ]
    })
  const before = await kept()
  expect(before).toContain('<!doctype html>')
  const tab = await page.context().newPage()
  for (const path of ['/icon-512.png', before.find((url) => url?.endsWith('.js')) ?? '']) await tab.goto(path)
  // Those of the API and of the boxes are none of the service worker's business.
  for (const path of ['/v1/docs', '/c/', '/portal.php', '/server/load.php', '/stalker_portal/c/']) {
    const response = await tab.goto(path)
    expect([path, response?.fromServiceWorker()]).toEqual([path, false])
  }
  // What the console fetches ahead may come meanwhile.
  expect(await kept()).toEqual(expect.arrayContaining(before))
  expect(await page.evaluate(() => caches.has('boxtree-next'))).toBe(false)
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
    // Each key of a search would be one more answer to keep.
    const before = await stored(page)
    await page.goto('/due?search=ben')
    await expect(rows(page, 'Due')).toHaveCount(1)
    await expect.poll(() => stored(page)).not.toBe(before)
    expect(await stored(page)).not.toContain('"search":"ben"')
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

  test('an installed console opens while a proxy answers that the server is away', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfThree(world), installs: true })
    const worker = await workerOf(page)
    for (const status of [502, 503, 504]) {
      await worker.evaluate((status) => {
        Object.assign(self, { fetch: async () => new Response('{}', { status }) })
      }, status)
      await page.goto('/clients')
      await expect(page.getByRole('heading', { level: 1 }), `${status}`).toHaveText('Clients')
    }
  })

  test('a search or filter finds clients of the last page only, and says so where there is none', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    await world.setExpiry('ben-one', '2026-05-14T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/clients', installs: true })
    await installed(page)
    const search = page.getByRole('searchbox', { name: 'Search clients' })
    // None of these is the last page of clients.
    for (const one of ['ana-one', 'ana-two', 'nobody']) {
      await search.fill(one)
      await expect(rows(page, 'Clients')).toHaveCount(one === 'nobody' ? 0 : 1)
      await expect(page.getByText('No clients found')).toHaveCount(one === 'nobody' ? 1 : 0)
    }
    const { kept } = JSON.parse(await stored(page))
    const lists = kept.filter(({ key }: { key: string[] }) => key[0] === 'clients.list')
    expect(lists).toHaveLength(1)
    expect(lists[0].data.data).toHaveLength(3)

    await page.context().setOffline(true)
    await search.fill('ANA')
    await expect(rows(page, 'Clients')).toHaveText([/ana-one/, /ana-two/])
    await search.fill('001a79')
    await expect(page.getByText('1–3 of 3')).toBeVisible()
    await search.fill('zed')
    await expect(page.getByText('Not among the clients that this browser keeps')).toBeVisible()
    await search.fill('')
    await page.getByRole('radio', { name: /^Expired/ }).check({ force: true })
    await expect(rows(page, 'Clients')).toHaveText([/ben-one/])
    await expect(page.getByText('What is shown is as of 2')).toBeVisible()
  })

  test('a list of clients of which only the last page is kept says so', async ({ open, world }) => {
    const { dealer } = await world.family()
    for (let nr = 1; nr <= 7; nr += 1) await world.client(dealer, { login: `client-${nr}`, months: 0 })
    const page = await open({ as: dealer, at: '/clients?perPage=5', installs: true })
    await installed(page)
    await page.reload()
    await expect.poll(() => stored(page)).toContain('client-5')
    await page.context().setOffline(true)
    const pages = page.getByRole('navigation', { name: 'Pages of Clients' })
    await page.getByRole('searchbox', { name: 'Search clients' }).fill('client-')
    await expect(pages).toContainText('1–5 of more than 5. Only these are kept in this browser.')
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

describe('what is kept of an account', () => {
  test('is erased by a changed password, by the end of the session, and once the server refuses it', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    const page = await open({ as: dealer, at: '/clients' })
    await expect.poll(() => stored(page)).toContain('ana-two')
    await press(page, 'Settings')
    await fill(page, { 'Present password': PASSWORD, 'New password': OTHER, 'Confirm new password': OTHER })
    await press(page, 'Change password')
    await readNotice(page, 'Password changed successfully!')
    expect(await stored(page)).toBe('')

    await page.goto('/clients')
    await expect.poll(() => stored(page)).toContain('ana-two')
    // The hour of the session passes while the console is closed.
    await page.evaluate((end) => localStorage.setItem('expiry', end), world.clock.now.toISOString())
    await page.reload()
    await expect(page.getByText('Your session has ended.')).toBeVisible()
    expect(await stored(page)).toBe('')

    await signIn(page, dealer.name, OTHER)
    await expect.poll(() => stored(page)).toContain('ana-two')
    await world.admin.call(calls.tree.suspend, { name: dealer.name })
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await expect(page.getByLabel('Username')).toBeVisible()
    expect(await stored(page)).toBe('')
  })

  test('is not shown after a day, nor to another account, whose sign-in erases it', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    const { dealer: other } = await world.family()
    const page = await open({ as: dealer, at: '/clients' })
    await expect.poll(() => stored(page)).toContain('ana-two')
    const kept = await stored(page)
    await page.context().setOffline(true)
    await store(
      page,
      kept.replaceAll(/"at":(\d+)/g, (_, at) => `"at":${Number(at) - DAY_MS}`),
    )
    await expectNoneFound(page)

    await page.context().setOffline(false)
    await press(page, 'Logout')
    await expect(page.getByLabel('Username')).toBeVisible()
    // A browser that died in the middle of signing out has kept it.
    await store(page, kept)
    await signIn(page, other.name)
    expect(await stored(page)).not.toContain('ana-one')
    await page.goto('/clients')
    await expect.poll(() => stored(page)).toContain(other.name)
    await page.context().setOffline(true)
    await store(page, kept)
    await expectNoneFound(page)
  })
})

/** Searches without a connection, which would show the page of clients that is kept. */
async function expectNoneFound(page: Page): Promise<void> {
  await typeIn(page.getByRole('searchbox', { name: 'Search clients' }), 'ana')
  await expect(page.getByText(UNANSWERED)).toBeVisible()
  await expect(rows(page, 'Clients')).toHaveCount(0)
}

const OTHER = 'another-password'
/** What a list says that got no answer and has nothing to show. */
const UNANSWERED = 'The connection to Boxtree is lost. Please try again.'

test('a new release whose scripts have not come leaves the one that was kept', async ({ open, world }) => {
  const page = await open({ as: (await world.family()).dealer, installs: true })
  // As the worker does with the page of the next release, whose scripts a lost connection holds up.
  const worker = await workerOf(page)
  await worker.evaluate(async () => {
    const { keepPage } = globalThis as unknown as { keepPage(page: Response): Promise<void> }
    const html = '<script type="module" src="/assets/new.js"></script>'
    const headers = { 'content-type': 'text/html' }
    await keepPage(new Response(html, { headers }))
  })
  expect(await page.evaluate(() => caches.has('boxtree-next'))).toBe(true)
  await page.context().setOffline(true)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  await page.context().setOffline(false)
  // The server has the release that is kept.
  await page.reload()
  await expect.poll(() => page.evaluate(() => caches.has('boxtree-next'))).toBe(false)
})

test('a script that comes while the next release becomes the kept one leaves no cache without a page', async ({
  open,
  world,
}) => {
  const page = await open({ as: (await world.family()).dealer, installs: true })
  const worker = await workerOf(page)
  await worker.evaluate(async () => {
    type Scope = { keepAsset(request: Request, response: Response): Promise<void> }
    await caches.open('boxtree-next')
    await (globalThis as unknown as Scope).keepAsset(new Request('/assets/late.js'), new Response('late'))
  })
  const left = await page.evaluate(async () => [
    await caches.has('boxtree-next'),
    await (await caches.match('/assets/late.js', { cacheName: 'boxtree-1' }))?.text(),
  ])
  expect(left).toEqual([false, 'late'])
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
    for (const { url } of await cache.keys()) if (url.includes('/assets/shell')) await cache.delete(url)
  })
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  const kept = async () => {
    const cache = await caches.open('boxtree-1')
    return {
      isOld: (await (await cache.match('/'))?.text())?.includes('Old release'),
      hasOldScript: (await cache.match('/assets/old.js')) !== undefined,
      isBeside: await caches.has('boxtree-next'),
    }
  }
  await expect.poll(() => page.evaluate(kept)).toEqual({ isOld: false, hasOldScript: false, isBeside: false })
  await installed(page)
})

// The service worker. It keeps the console itself, its page and its scripts, so that an installed console opens without
// a network. It keeps nothing that the server answers a call: `calls/offline.ts` does, for the account that is signed
// in.

const KEPT = 'boxtree-1'

/** The cache of a new release, until its page says that it runs: its scripts may fail to load, so the old one stays. */
const NEXT = 'boxtree-next'

/** The calls, and what is served to boxes. These requests never pass through here. */
const OTHERS = /^\/(v1|c|server|stalker_portal)(\/|$)|^\/portal\.php$/

/** What a reverse proxy answers while the console is down. */
const AWAY = [502, 503, 504]

// A new worker replaces the old one at once, also in windows that are open.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(begin()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin || OTHERS.test(pathname)) return
  if (request.mode === 'navigate') event.respondWith(page(request))
  else if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
})

// The first visit was made without this worker. The page says what it has loaded, which is in the browser's own cache.
// One message is dealt with after the other, because the first of a new release removes what the others have not told.
let keeping = Promise.resolve()
self.addEventListener('message', (event) => {
  keeping = keeping.then(() => keep(event.data)).catch(keepNothing)
  event.waitUntil(keeping)
})

async function begin() {
  for (const name of await caches.keys()) if (![KEPT, NEXT].includes(name)) await caches.delete(name)
  await self.clients.claim()
}

/** Asks the server first, so that a new release is never held back. */
async function page(request) {
  const kept = await caches.match('/', { cacheName: KEPT })
  try {
    const response = await fetch(request)
    if (kept && AWAY.includes(response.status)) return kept
    if (response.ok && isPage(response)) await keepPage(response.clone()).catch(keepNothing)
    return response
  } catch (error) {
    if (kept) return kept
    throw error
  }
}

/** A person may open an icon or a script in a tab of its own. */
function isPage(response) {
  return /^text\/html\b/.test(response.headers.get('content-type'))
}

/** A device that cannot keep anything, such as a full one, still shows what the server answered. */
function keepNothing() {}

/** Another page is another release, which has other files. */
async function keepPage(response) {
  const text = await response.text()
  // Another window may have opened the next release meanwhile.
  const kept = await caches.match('/', { cacheName: KEPT })
  if (await hasText(kept, text)) return void (await caches.delete(NEXT))
  if (await hasText(await caches.match('/', { cacheName: NEXT }), text)) return
  await caches.delete(NEXT)
  const cache = await caches.open(kept ? NEXT : KEPT)
  await cache.put('/', new Response(text, { headers: response.headers }))
}

async function hasText(page, text) {
  return page !== undefined && (await page.text()) === text
}

/** The name of a file has its hash in it, so that what was kept is never outdated. */
async function asset(request) {
  const kept = await caches.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await keepAsset(request, response.clone()).catch(keepNothing)
  return response
}

async function keepAsset(request, response) {
  const isNext = await caches.has(NEXT)
  const cache = await caches.open(isNext ? NEXT : KEPT)
  await cache.put(request, response)
  if (!isNext || (await cache.match('/'))) return
  // Meanwhile the next release has become the one that is kept, and its cache was opened anew, without a page.
  const kept = await caches.open(KEPT)
  await kept.put(request, await cache.match(request))
  await caches.delete(NEXT)
}

async function keep(loaded) {
  const next = await caches.match('/', { cacheName: NEXT })
  const isNext = next !== undefined && (await runs(next, loaded))
  const cache = await caches.open(KEPT)
  for (const url of loaded) {
    if (await cache.match(url)) continue
    const kept = await caches.match(url)
    if (kept) await cache.put(url, kept)
    else await cache.add(new Request(url, { cache: 'force-cache' }))
  }
  if (!isNext) return (await cache.match('/')) ?? (await cache.add('/'))
  await cache.put('/', next)
  // Removes what only the old release had, and what a window of it has loaded meanwhile.
  for (const request of await cache.keys())
    if (new URL(request.url).pathname !== '/' && !loaded.includes(request.url)) await cache.delete(request)
  await caches.delete(NEXT)
}

/** Whether what a page says it has loaded has the script that this page begins with. */
async function runs(page, loaded) {
  const [, script] = /<script[^>]* src="([^"]+)"/.exec(await page.clone().text()) ?? []
  return script !== undefined && loaded.includes(new URL(script, self.location.origin).href)
}

/**
 * Installs the service worker, where the page came over HTTPS, and tells it what the page has loaded: once for each
 * load of the page, however often somebody signs in.
 */
export function installWorker(): Promise<void> {
  installed ??= install()
  return installed
}

let installed: Promise<void> | undefined

async function install(): Promise<void> {
  if (!import.meta.env.PROD || !navigator.serviceWorker) return
  try {
    await navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' })
    const { active } = await navigator.serviceWorker.ready
    const told = new PerformanceObserver((list) => {
      const loaded = list.getEntries().map(({ name }) => name)
      active?.postMessage(loaded.filter((url) => url.startsWith(`${window.location.origin}/assets/`)))
    })
    told.observe({ type: 'resource', buffered: true })
  } catch {
    // The browser allows no service worker, or could not fetch it: the next sign-in tries again.
    installed = undefined
  }
}

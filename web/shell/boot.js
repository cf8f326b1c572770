// Runs before the first paint, so that a dark console never flashes white, and preloads what the first screen needs in
// parallel with the main script. It is plain JavaScript, because nothing may delay it.
try {
  const { mode } = JSON.parse(localStorage.getItem('settings') ?? '{}')
  if (mode === 'dark') {
    document.documentElement.dataset.mode = 'dark'
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', '#202a35')
  }
  const { entry, login, screens } = AHEAD
  const ahead = (href) => {
    const link = document.createElement('link')
    if (href.endsWith('.js')) link.rel = 'modulepreload'
    else {
      link.rel = 'preload'
      link.as = href.endsWith('.css') ? 'style' : href.endsWith('.woff2') ? 'font' : 'fetch'
      link.crossOrigin = ''
    }
    link.href = href
    document.head.append(link)
    return link
  }
  const isKnown = localStorage.getItem('token') !== null
  // The challenge is small, and solving it takes longest.
  if (!isKnown) ahead('/v1/captcha')
  // The entry script has the bandwidth first: the other files load while the browser compiles it.
  ahead(entry).onload = () => (isKnown ? screens : login).forEach(ahead)
} catch {
  // The local storage may be blocked or invalid. The page then begins in light mode and loads without preloading.
}

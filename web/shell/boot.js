// Runs before the first paint, so that a dark console never flashes white, and before any other script has come, so
// that what the first screen needs is fetched beside that script and not after it. Plain, because nothing may delay it.
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
      link.as = href.endsWith('.css') ? 'style' : 'font'
      link.crossOrigin = ''
    }
    link.href = href
    document.head.append(link)
    return link
  }
  // First of all what everything waits for: the rest would share a poor line with it, and comes while it is compiled.
  ahead(entry).onload = () => (localStorage.getItem('token') ? screens : login).forEach(ahead)
} catch {
  // Storage may be closed or spoilt; the light mode in the page stands, and everything comes a little later.
}

// Runs before the first paint, so that a dark console never flashes white, and loads what the first screen needs in
// parallel with the main script: its files, and what it asks the server first (`calls/firstCalls.ts`). It is plain
// JavaScript, because nothing may delay it.
try {
  const { mode } = JSON.parse(localStorage.getItem('settings') ?? '{}')
  if (mode === 'dark') {
    document.documentElement.dataset.mode = 'dark'
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', '#202a35')
  }
  const { entry, font, captcha, login, screens, first } = AHEAD
  const ahead = (href) => {
    const link = document.createElement('link')
    if (href.endsWith('.js')) link.rel = 'modulepreload'
    else {
      link.rel = 'preload'
      link.as = href.endsWith('.woff2') ? 'font' : 'fetch'
      link.crossOrigin = ''
    }
    link.href = href
    document.head.append(link)
    return link
  }
  const token = localStorage.getItem('token')
  const isKnown = token !== null
  const { files = [], urls = [] } =
    (isKnown && first[localStorage.getItem('role')]?.[location.pathname]) || {}
  if (urls.length > 0 && location.search === '') {
    const headers = { accept: 'application/json', 'access-token': token, authorization: `Bearer ${token}` }
    const ask = (url) => {
      const asked = Date.now()
      const signal = AbortSignal.timeout(30_000)
      const answered = fetch(url, { headers, cache: 'no-store', signal }).then((response) => ({
        response,
        heard: Date.now(),
      }))
      // Whoever takes the answer asks again where none came.
      answered.catch(() => {})
      return [url, { token, asked, answered }]
    }
    window.askedAhead = new Map(urls.map(ask))
  }
  // The challenge and what solves it are small, and solving takes longest.
  if (!isKnown) captcha.forEach(ahead)
  // The entry script has the bandwidth first: the other files load while the browser compiles it. Those of a screen are
  // asked for once the font has come in its midst, so that their first bytes arrive when its last ones do.
  const others = isKnown ? [...screens, ...files] : login
  const loadOthers = () => others.splice(0).forEach(ahead)
  const script = ahead(entry)
  // Firefox says of every module ahead that it has failed.
  script.onload = script.onerror = loadOthers
  const loadFont = ({ target }) => {
    if (target.rel !== 'stylesheet') return
    document.removeEventListener('load', loadFont, true)
    const link = ahead(font)
    if (isKnown) link.onload = loadOthers
  }
  document.addEventListener('load', loadFont, true)
  // The first of each kind loads the browser's languages, in a time in which the page waits for the line.
  if (isKnown)
    setTimeout(() => {
      new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'short' }).format()
      new Intl.RelativeTimeFormat('en').format(1, 'day')
      new Intl.Collator('en').compare('a', 'b')
    })
} catch {
  // The local storage may be blocked or invalid. The page then begins in light mode and loads without preloading.
}

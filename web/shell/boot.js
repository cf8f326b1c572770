// Runs before the first paint, so that a dark console never flashes white. It is a file of its own
// because the content security policy allows no inline script, and plain because nothing may delay it.
try {
  const { mode } = JSON.parse(localStorage.getItem('settings') ?? '{}')
  if (mode === 'dark') {
    document.documentElement.dataset.mode = 'dark'
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', '#202a35')
  }
} catch {
  // Storage may be closed or spoilt; the light mode in the page stands.
}

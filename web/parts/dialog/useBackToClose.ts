import { useEffect, useEffectEvent } from 'react'

/**
 * Makes Back of a telephone or tablet close what lies over the page, instead of leaving the page.
 * @param open whether something lies over it
 */
export function useBackToClose(open: boolean, close: () => void): void {
  const goBack = useEffectEvent(close)
  useEffect(() => {
    if (!open || !('CloseWatcher' in window) || !matchMedia('(pointer: coarse)').matches) return
    let watcher: CloseWatcher
    const watch = () => {
      watcher = new CloseWatcher()
      watcher.onclose = () => {
        goBack()
        // One that is busy stays open.
        watch()
      }
    }
    watch()
    // What lies on top hears of Escape itself. Its watcher would be gone by then, and the browser close what lies
    // beneath.
    const keepEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') event.preventDefault()
    }
    window.addEventListener('keydown', keepEscape, { capture: true })
    return () => {
      watcher.destroy()
      window.removeEventListener('keydown', keepEscape, { capture: true })
    }
  }, [open])
}

/** What the page's stopwatch measured; times are in milliseconds since the navigation began. */
export interface Watched {
  /** When the first element of each selector was painted. */
  painted: Record<string, number>
  /** The sum of all layout shifts that no input caused, and the elements that moved. */
  shift: number
  shifted: string[]
  /** The milliseconds that the captcha's workers computed, by their own clock: without their loading and start. */
  worked: number
}

declare global {
  interface Window {
    stopwatch: {
      watched: Watched
      /** Starts to measure from the next input to the last painted change within the selector, in milliseconds. */
      follow(selector: string): void
      followed(): { first: number; last: number }
    }
  }
}

/**
 * Runs in the page before its own scripts, and records when elements are painted, what moves and how long inputs take.
 * The browser receives it as text, so it uses nothing from this file.
 */
export function installStopwatch(selectors: readonly string[]) {
  const watched: Watched = { painted: {}, shift: 0, shifted: [], worked: 0 }
  watchPaints()
  watchShifts()
  watchWorkers()
  window.stopwatch = { watched, ...followInputs() }

  function afterPaint(act: (at: number) => void) {
    requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = () => act(performance.now())
      channel.port2.postMessage(null)
    })
  }

  function watchPaints() {
    const missing = new Set(selectors)
    const look = () => {
      for (const selector of missing) {
        if (!document.querySelector(selector)) continue
        missing.delete(selector)
        afterPaint((at) => {
          watched.painted[selector] = at
        })
      }
    }
    new MutationObserver(look).observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['data-state', 'aria-busy'],
    })
  }

  function watchShifts() {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
        sources: { node: Node | null }[]
      })[]) {
        if (entry.hadRecentInput) continue
        watched.shift += entry.value
        for (const { node } of entry.sources) {
          const element = node instanceof Element ? node : node?.parentElement
          watched.shifted.push(
            `${Math.round(entry.startTime)} ms ${element?.outerHTML.slice(0, 120) ?? 'gone'}`,
          )
        }
      }
    }).observe({ type: 'layout-shift', buffered: true })
  }

  function watchWorkers() {
    const BrowserWorker = window.Worker
    window.Worker = class extends BrowserWorker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options)
        this.addEventListener('message', ({ data }: MessageEvent<{ time?: number } | null>) => {
          watched.worked += data?.time ?? 0
        })
      }
    }
  }

  function followInputs() {
    let [began, first, last] = [0, 0, 0]
    let following: MutationObserver | undefined
    const begin = (event: Event) => {
      if (began !== 0) return
      began = event.timeStamp
      afterPaint((at) => {
        first = at
      })
    }
    const change = () => {
      if (began === 0) return
      afterPaint((at) => {
        last = at
      })
    }
    return {
      follow(selector: string) {
        following?.disconnect()
        began = 0
        first = 0
        last = 0
        for (const kind of ['keydown', 'pointerup', 'change'])
          document.addEventListener(kind, begin, { capture: true, once: true })
        following = new MutationObserver(change)
        const place = document.querySelector(selector)
        if (!place) throw new Error(`There is no ${selector}`)
        following.observe(place, { childList: true, subtree: true, characterData: true })
      },
      followed: () => ({ first: first - began, last: last - began }),
    }
  }
}

import { useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'

/** Returns whether the page is being printed, in time for what is drawn by that to be printed. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(followPaper, () => isPrinting || paper.matches)
}

const paper = matchMedia('print')
/** Firefox prints a copy of the page, so that the page itself never is on paper. */
let isPrinting = false

function followPaper(look: () => void) {
  const stop = new AbortController()
  // A button that prints does so before its click has ended, which React would wait for.
  const follow = () => flushSync(look)
  const note = (printing: boolean) => () => {
    isPrinting = printing
    follow()
  }
  paper.addEventListener('change', follow, stop)
  addEventListener('beforeprint', note(true), stop)
  addEventListener('afterprint', note(false), stop)
  return () => stop.abort()
}

import { useLayoutEffect, useState } from 'react'
import { useBeforeUse } from '../chunk.ts'
import type { Kind, Notice, NoticeBoard, Show } from './NoticeBoard.tsx'
import { place } from './place.ts'

/**
 * Loads the notice board once the person turns to a control, or with the first notice: again and again until it has
 * come, because a lost connection takes the board away together with what there is to tell. Mounted once.
 */
export function Notices() {
  const [Board, setBoard] = useState<typeof NoticeBoard>()
  useBeforeUse(fetchBoard)
  useLayoutEffect(() => {
    document.body.append(place)
    return () => place.remove()
  }, [])
  // Before the effects of the screens, some of which have a notice to show at once.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      clearTimeout(timer)
      timer = setTimeout(() => wake?.(), AGAIN_MS)
    }
    wake = () => fetchBoard().then((board) => setBoard(() => board), again)
    if (waiting.length > 0) wake()
    return () => {
      wake = null
      waiting = []
    }
  }, [])
  return Board && <Board subscribe={subscribe} />
}

/** The pause before the board is fetched again. */
const AGAIN_MS = 2_000

const fetchBoard = async () => (await import('./NoticeBoard.tsx')).NoticeBoard

/** Functions that show a notice; `reason` is a second line with the server's own message. */
export interface Notify {
  success: (text: string, reason?: string) => void
  warning: (text: string, reason?: string) => void
  /** @param about the sentence by which a later success closes it; `text` by default */
  error: (text: string, reason?: string, about?: string) => void
  /** Closes the notices of a failure, which a success has made untrue. */
  settle: (about: string) => void
}

/** Returns the same functions at every render. */
export function useNotice(): Notify {
  return notify
}

const notify: Notify = {
  success: (text, reason) => post('success', text, reason),
  warning: (text, reason) => post('warning', text, reason),
  error: (text, reason, about) => post('error', text, reason, about),
  settle: (about) => {
    waiting = waiting.filter((notice) => notice.kind === 'success' || notice.about !== about)
    show?.({ settled: about })
  },
}

function subscribe(board: Show): () => void {
  show = board
  for (const notice of waiting.splice(0)) board(notice)
  return () => {
    show = null
  }
}

/** Null while nobody is signed in: what comes then was for the one before. */
let wake: (() => void) | null = null
let show: Show | null = null
let waiting: Notice[] = []

function post(kind: Kind, text: string, reason: string | undefined, about = text) {
  const notice = { kind, about, lines: reason && reason !== text ? [text, reason] : [text] }
  if (show) return show(notice)
  if (!wake) return
  waiting.push(notice)
  wake()
}

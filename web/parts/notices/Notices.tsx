import { useLayoutEffect, useState } from 'react'
import { useBeforeUse } from '../chunk.ts'
import type { Kind, Notice, NoticeBoard, Show } from './NoticeBoard.tsx'

/** Loads the notice board once the person turns to a control, or with the first notice. Mounted once. */
export function Notices() {
  const [Board, setBoard] = useState<typeof NoticeBoard>()
  useBeforeUse(fetchBoard)
  // Before the effects of the screens, some of which have a notice to show at once.
  useLayoutEffect(() => {
    wake = () =>
      fetchBoard()
        .then((board) => setBoard(() => board))
        .catch(() => {})
    if (waiting.length > 0) wake()
    return () => {
      wake = null
      waiting = []
    }
  }, [])
  return Board && <Board subscribe={subscribe} />
}

const fetchBoard = async () => (await import('./NoticeBoard.tsx')).NoticeBoard

/**
 * Functions that show a notice. `reason` is a second line with the server's own message. `about` is the usual sentence of the
 * failure that is shown; a success with the same closes it, since it is not true any more.
 */
export type Notify = Record<Kind, (text: string, reason?: string, about?: string) => void> & {
  /** Closes the failures of this sentence, for a success that is not told. */
  settle: (about: string) => void
}

/** Returns the same functions at every render. */
export function useNotice(): Notify {
  return notify
}

const notify: Notify = {
  success: (text, reason, about) => {
    if (about !== undefined) notify.settle(about)
    post('success', { text, reason })
  },
  error: (text, reason, about) => post('error', { text, reason, about }),
  warning: (text, reason, about) => post('warning', { text, reason, about }),
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

interface Said {
  text: string
  reason: string | undefined
  about?: string | undefined
}

function post(kind: Kind, { text, reason, about = text }: Said) {
  const notice = { kind, about, lines: reason && reason !== text ? [text, reason] : [text] }
  if (show) return show(notice)
  if (!wake) return
  waiting.push(notice)
  wake()
}

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

/** Functions that show a notice; `reason` is a second line with the server's own message. */
export type Notify = Record<Kind, (text: string, reason?: string) => void> & {
  /** Closes errors and warnings, which a later success has made untrue. */
  settle: () => void
}

/** Returns the same functions at every render. */
export function useNotice(): Notify {
  return notify
}

const notify: Notify = {
  success: (text, reason) => {
    notify.settle()
    post('success', text, reason)
  },
  error: (text, reason) => post('error', text, reason),
  warning: (text, reason) => post('warning', text, reason),
  settle: () => {
    waiting = waiting.filter(({ kind }) => kind === 'success')
    show?.(null)
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

function post(kind: Kind, text: string, reason: string | undefined) {
  const notice = { kind, lines: reason && reason !== text ? [text, reason] : [text] }
  if (show) return show(notice)
  if (!wake) return
  waiting.push(notice)
  wake()
}

import { useEffect, useRef, useState } from 'react'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import type { Role } from '../../contract/roles.ts'
import { useNotice } from '../parts/notices/Notices.tsx'
import { ApiError, send } from './api.ts'
import { noticesOf, tellFailure } from './notices.ts'
import { receive } from './receive.ts'

export type ExportCall =
  | typeof calls.clients.export
  | typeof calls.admin.exportClients
  | (typeof calls.desk)[Role]['exportTransactions']

/** The progress of a download. */
export interface Received {
  bytes: number
  /** The number of rows received; 0 where the format does not show it. */
  rows: number
}

interface Export<C extends ExportCall> {
  /** The progress of the running download; null while there is none. */
  received: Received | null
  /** Resolves to whether the whole file was received. A notice says why not. */
  start: (input: InputOf<C>) => Promise<boolean>
  stop: () => void
}

interface Told<C extends ExportCall> {
  /** Receives what the server says before the file comes. */
  onBegun?: (answer: OutputOf<C>) => void
  /** Is called instead of a notice where nothing is there of what was asked for. */
  onGone?: (input: InputOf<C>) => void
}

/** Downloads the file of an export call and saves it. One download runs at a time; leaving the page stops it. */
export function useExport<C extends ExportCall>(call: C, { onBegun, onGone }: Told<C> = {}): Export<C> {
  const [received, setReceived] = useState<Received | null>(null)
  const underWay = useRef<AbortController>(null)
  const notice = useNotice()
  useEffect(
    () => () => {
      if (!underWay.current) return
      underWay.current.abort()
      notice.warning('The export was stopped because its page was left.')
    },
    [notice],
  )
  const start = async (input: InputOf<C>) => {
    const stopper = new AbortController()
    const { signal } = stopper
    underWay.current = stopper
    setReceived({ bytes: 0, rows: 0 })
    let isBegun = false
    const begin = (answer: OutputOf<C>) => {
      isBegun = true
      onBegun?.(answer)
    }
    try {
      keep(await fetchFile(call, input, { signal, onBegun: begin, onProgress: setReceived }))
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) {
        if (!signal.aborted) throw error
      } else if (onGone && !isBegun && error.code === 'not_found') onGone(input)
      else tellFailure(notice, noticesOf(call), error)
      return false
    } finally {
      underWay.current = null
      setReceived(null)
    }
  }
  return { received, start, stop: () => underWay.current?.abort() }
}

interface Fetching<C extends ExportCall> {
  signal: AbortSignal
  onBegun: (answer: OutputOf<C>) => void
  onProgress: (received: Received) => void
}

async function fetchFile<C extends ExportCall>(
  call: C,
  input: InputOf<C>,
  { signal, onBegun, onProgress }: Fetching<C>,
): Promise<File> {
  const answer = await send(call, input, { signal })
  onBegun(answer)
  const isCsv = !('format' in input) || input.format === 'csv'
  let [bytes, lines] = [0, 0]
  return receive(
    calls.files.download,
    { ticket: answer.ticket },
    {
      signal,
      onPiece: (piece) => {
        bytes += piece.length
        if (isCsv) lines += newlinesIn(piece)
        // The first line of a CSV is its header.
        onProgress({ bytes, rows: Math.max(0, lines - 1) })
      },
    },
  )
}

function newlinesIn(piece: Uint8Array): number {
  let lines = 0
  for (const byte of piece) if (byte === 0x0a) lines += 1
  return lines
}

function keep(file: File) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = file.name
  link.click()
  // The browser reads the file asynchronously; a minute is enough for it to begin.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { calls } from '../../contract/calls.ts'
import { counted } from '../../contract/quantities.ts'
import { loadAgain } from '../calls/cache.ts'
import { Warning } from './Warning.tsx'

interface GoneProps {
  names: readonly string[]
  /** What somebody else did to them: 'deleted or moved'. */
  done: string
  /** Called with their names, so that they leave the selection. */
  onGone?: ((names: readonly string[]) => void) | undefined
}

/** Names the selected clients with which nothing can be done any more, so that a dialog goes on without them. */
export function Gone({ names, done, onGone }: GoneProps) {
  const list = names.join(', ')
  const cache = useQueryClient()
  const tell = useEffectEvent(() => {
    onGone?.(names)
    loadAgain(cache, LISTS)
  })
  useEffect(() => {
    if (list !== '') tell()
  }, [list])
  if (list === '') return null
  return (
    <Warning role="status" style={{ marginTop: 12 }}>
      <p>
        {leftOut(names, done)}: <span className="identifier">{list}</span>
      </p>
    </Warning>
  )
}

/** The lists that may still show clients that are gone, and are loaded again. */
const LISTS = [calls.clients.list, calls.clients.dueClients, calls.clients.due]

/** '2 clients are left out, deleted or moved by somebody else meanwhile' */
export function leftOut({ length }: readonly string[], done: string): string {
  return `${counted(length, 'client')} ${length === 1 ? 'is' : 'are'} left out, ${done} by somebody else meanwhile`
}

/** Returns those of the names that are not among the clients that are there. */
export function missingOf(
  names: readonly string[],
  there: readonly { name: string }[] | undefined,
): string[] {
  if (!there) return []
  const found = new Set(there.map(({ name }) => name))
  return names.filter((name) => !found.has(name))
}

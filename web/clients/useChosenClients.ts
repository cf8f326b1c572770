import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { calls } from '../../contract/calls.ts'
import { MOST_CHOSEN } from '../../contract/clients.ts'
import { MOST_PER_PAGE } from '../../contract/page.ts'
import type { ClientRow } from '../../contract/shapes.ts'
import { ApiError, send } from '../calls/api.ts'
import { useNotice } from '../parts/notices/Notices.tsx'
import { number } from '../parts/number.ts'
import type { RowSelection } from '../parts/table/selection.ts'
import { type Found, selected } from '../visits.ts'
import type { ClientPage } from './useClientPage.ts'
import { useSelected } from './useSelected.ts'

export interface Chosen {
  select: RowSelection<ClientRow>
  names: readonly string[]
  /** Offers to select all clients found; undefined where they are. */
  all: { label: string; onTake: () => void; loading: boolean } | undefined
  clear: () => void
  /** Takes clients that are gone, or to which it was done, out of the selection. */
  drop: (names: readonly string[]) => void
}

/** Holds the selected clients, whatever is searched, filtered, paged or opened meanwhile. */
export function useChosenClients(page: ClientPage): Chosen {
  const notice = useNotice()
  const [chosen, setChosen] = useSelected(selected.clients)
  const choose = (next: ReadonlySet<string>) => {
    if (next.size <= MOST_CHOSEN) setChosen(next)
    else notice.warning(TOO_MANY)
  }
  const offer = useOffer(page, chosen, choose)
  const change = (next: ReadonlySet<string>) => {
    // What is still being loaded would select again those that are let go.
    if ([...chosen].some((name) => !next.has(name))) offer.giveUp()
    choose(next)
  }
  return {
    select: { chosen, onChange: change, name: ({ name }) => name },
    names: [...chosen],
    all: offer.all,
    clear: () => {
      offer.giveUp()
      setChosen(NONE)
    },
    drop: (names) => {
      // What is still being loaded may have them too.
      offer.giveUp()
      // Of those that are selected by now: an answer may have come late.
      setChosen(new Set([...selected.clients.get()].filter((one) => !names.includes(one))))
    },
  }
}

const TOO_MANY = `At most ${number(MOST_CHOSEN)} clients can be selected.`
const NONE: ReadonlySet<string> = new Set()

/**
 * Once the whole page is selected, offers to select all clients found as well, up to the limit of one call. `giveUp`
 * takes nothing of what is still being loaded.
 */
function useOffer(page: ClientPage, chosen: ReadonlySet<string>, onTake: Chosen['select']['onChange']) {
  const notice = useNotice()
  const [found, keepFound] = useSelected(selected.found)
  const wanted = useRef<AbortController>(null)
  const { mutate, isPending, reset } = useMutation<string[], unknown, ClientPage['query']>({
    mutationFn: (query) => {
      wanted.current = new AbortController()
      return namesOf(query, wanted.current.signal)
    },
    onSuccess: (names, { search, filter }) => {
      keepFound({ search: search ?? '', filter: filter ?? 'all', names })
      // Of those that are selected by now and those that were found, as many as may be selected.
      const all = [...new Set([...selected.clients.get(), ...names])]
      onTake(new Set(all.slice(0, MOST_CHOSEN)))
      if (all.length > MOST_CHOSEN) notice.warning(TOO_MANY)
    },
    onError: (error) => {
      if (error instanceof ApiError) notice.error('Error loading clients. Please try again.', error.message)
    },
  })
  // What comes after this list was left would select them beneath whatever is done then.
  useEffect(() => () => wanted.current?.abort(), [])
  const giveUp = () => {
    wanted.current?.abort()
    reset()
  }
  const { query } = page
  const { rows = [], count = 0 } = page.rows ?? {}
  const most = Math.min(count, MOST_CHOSEN)
  const isPageTaken = rows.every(({ name }) => chosen.has(name))
  const isAllTaken =
    count === rows.length || chosen.size === MOST_CHOSEN || wereTaken(found, query, chosen, most)
  // While another search or filter is loading, the rows are still those of the one before.
  if (!isPending && (page.loading || !isPageTaken || isAllTaken)) return { all: undefined, giveUp }
  const label = `Select ${count > most ? 'the first' : 'all'} ${number(most)}`
  const all = { label: isPending ? 'Selecting…' : label, loading: isPending, onTake: () => mutate(query) }
  return { all, giveUp }
}

/** Whether all that this search finds was taken by an offer, and is still selected. */
function wereTaken(
  found: Found | null,
  { search, filter }: ClientPage['query'],
  chosen: ReadonlySet<string>,
  most: number,
): boolean {
  if (found === null || found.search !== search || found.filter !== filter || found.names.length < most)
    return false
  return found.names.every((name) => chosen.has(name))
}

async function namesOf(query: ClientPage['query'], signal: AbortSignal): Promise<string[]> {
  const names: string[] = []
  for (let page = 1; page <= MOST_CHOSEN / MOST_PER_PAGE; page += 1) {
    const { data } = await send(calls.clients.list, { ...query, page, per_page: MOST_PER_PAGE }, { signal })
    names.push(...data.map(({ name }) => name))
    if (data.length < MOST_PER_PAGE) break
  }
  return names
}

import Button from '@mui/material/Button'
import { useMutation } from '@tanstack/react-query'
import { CalendarPlus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { MOST_RENEWED } from '../../contract/clients.ts'
import type { ClientRow } from '../../contract/shapes.ts'
import { type ApiError, send } from '../api.ts'
import { useNotice } from '../parts/notices/Notices.tsx'
import type { RowSelection } from '../parts/table/selection.ts'
import type { ClientPage } from './useClientPage.ts'

interface Chosen {
  select: RowSelection<ClientRow>
  names: readonly string[]
  clear: () => void
  /** Removes a deleted client from the selection. */
  drop: (name: string) => void
}

/** Holds the selected clients, on all pages of one search and filter. */
export function useChosen(page: ClientPage, onRenew: () => void): Chosen {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE)
  const { search, filter } = page.query
  const found = `${filter} ${search}`
  // Clients of another search or filter are not visible, and must not be renewed by accident.
  useEffect(() => {
    if (found) setChosen(NONE)
  }, [found])
  const select: RowSelection<ClientRow> = {
    chosen,
    onChange: setChosen,
    name: nameOf,
    actions: (
      <Button variant="contained" startIcon={<CalendarPlus size={18} />} onClick={onRenew}>
        Renew selected
      </Button>
    ),
    all: useOffer(page, chosen, setChosen),
  }
  return {
    select,
    names: [...chosen],
    clear: () => setChosen(NONE),
    drop: (name) => setChosen(without(name)),
  }
}

const NONE: ReadonlySet<string> = new Set()

function without(dropped: string) {
  return (chosen: ReadonlySet<string>) =>
    chosen.has(dropped) ? new Set([...chosen].filter((name) => name !== dropped)) : chosen
}

function nameOf({ name }: ClientRow) {
  return name
}

/** Once the whole page is selected, offers to select all clients found, up to the limit of one renewal. */
function useOffer(
  page: ClientPage,
  chosen: ReadonlySet<string>,
  onTake: (names: ReadonlySet<string>) => void,
) {
  const notice = useNotice()
  const { mutate, isPending } = useMutation<string[], ApiError, ClientPage['query']>({
    mutationFn: namesOf,
    onSuccess: (names) => onTake(new Set(names)),
    onError: (error) => notice.error('Error loading clients. Please try again.', error.message),
  })
  const { rows, count, query } = page
  const most = Math.min(count, MOST_RENEWED)
  const taken = rows?.every(({ name }) => chosen.has(name)) === true
  if (!isPending && (!taken || chosen.size >= most)) return undefined
  const number = most.toLocaleString('en-US')
  const label = count > most ? `Select the first ${number}` : `Select all ${number}`
  return { label: isPending ? 'Selecting…' : label, loading: isPending, onTake: () => mutate(query) }
}

/** The server's largest page. */
const MOST_A_PAGE = 500

async function namesOf(query: ClientPage['query']): Promise<string[]> {
  const names: string[] = []
  for (let page = 1; page <= MOST_RENEWED / MOST_A_PAGE; page += 1) {
    const { data } = await send(calls.clients.list, { ...query, page, per_page: MOST_A_PAGE })
    names.push(...data.map(({ name }) => name))
    if (data.length < MOST_A_PAGE) break
  }
  return names
}

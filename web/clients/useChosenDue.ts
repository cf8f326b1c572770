import type { DueClient } from '../../contract/shapes.ts'
import type { RowSelection } from '../parts/table/selection.ts'
import { selected } from '../visits.ts'
import { useSelected } from './useSelected.ts'

/**
 * Holds the clients that were selected, on all pages of all filters and whatever is opened meanwhile. `chosen` returns
 * them, first expiry first.
 */
export function useChosenDue(shown: readonly DueClient[]) {
  const [clients, setClients] = useSelected(selected.due)
  // A chosen one stays as it was when it was chosen: who was renewed by somebody else since is not renewed again.
  const known = new Map([...shown.map((client) => [client.name, client] as const), ...clients])
  const select: RowSelection<DueClient> = {
    chosen: new Set(clients.keys()),
    onChange: (names) => setClients(new Map([...known].filter(([name]) => names.has(name)))),
    name: ({ name }) => name,
  }
  const chosen = () => [...clients.values()].sort((a, b) => a.expiry.localeCompare(b.expiry))
  const clear = () => setClients(new Map())
  // Of those that are selected by now: an answer may have come late.
  const drop = (gone: readonly string[]) =>
    setClients(new Map([...selected.due.get()].filter(([name]) => !gone.includes(name))))
  return { select, chosen, clear, drop }
}

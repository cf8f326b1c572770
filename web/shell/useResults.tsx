import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react'
import { resolvePath, useLocation, useNavigate } from 'react-router'
import { calls } from '../../contract/calls.ts'
import type { FoundClient } from '../../contract/shapes.ts'
import { keyOf } from '../calls/cache.ts'
import { useCall } from '../calls/useCall.ts'
import { shownPhone } from '../phone.ts'
import { menuOf, to } from '../screens.ts'
import { useSession } from '../session.tsx'
import { Expiry } from '../tables/expiry.tsx'
import { searchFault } from '../tables/served.ts'

/** One result: it opens a page or does something here, and a client can be renewed. */
export interface Result {
  key: string
  group: 'Clients' | 'Screens' | 'Actions'
  content: ReactNode
  open: () => void
  /** The address of the page that it opens, where it opens one. */
  path?: string
  /** The login to renew. */
  client?: string
}

interface Asked {
  /** Clients are found only while the list is open. */
  open: boolean
  text: string
  onSettings: () => void
  onHelp: () => void
}

/** The pause in typing after which the server is asked. */
const PAUSE_MS = 150

/** Finds a text: clients, screens and actions. `isCurrent` is false while the clients are those of an earlier text. */
export function useResults({ open, text, ...actions }: Asked) {
  const { clients, failure, isCurrent } = useFoundClients(open ? text : '')
  const go = useOpen()
  const others = useScreensAndActions({ text, ...actions }, go)
  return { results: [...clients.map(asResult(go)), ...others], failure, isCurrent }
}

function useFoundClients(text: string) {
  const { role } = useSession()
  const cache = useQueryClient()
  const term = useDeferredValue(text.trim())
  const fault = searchFault(term)
  const isAsked = role === 'dealer' && term !== '' && fault === undefined
  const [settled, setSettled] = useState('')
  useEffect(() => {
    // What was found before is shown at once, and a text that goes on being typed is not asked for.
    const known = cache.getQueryData(keyOf(calls.clients.find, { search: term })) !== undefined
    const timer = setTimeout(() => setSettled(term), known ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [term, cache])
  const { data, error, isPlaceholderData } = useCall(
    calls.clients.find,
    { search: settled },
    { enabled: isAsked && settled !== '', keep: true },
  )
  // What is asked for is the text of a moment ago.
  const isAnswered = settled === term && ((data !== undefined && !isPlaceholderData) || error !== null)
  const isCurrent = term === text.trim() && (!isAsked || isAnswered)
  return { clients: isAsked && data ? data.data : [], failure: fault ?? error?.message, isCurrent }
}

/**
 * Returns the function that opens an address. On the page itself it focuses the title; another page focuses its own
 * when it arrives.
 */
function useOpen() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return (path: string) => {
    const title = document.querySelector<HTMLElement>('main h1')
    if (resolvePath(path).pathname === pathname) title?.focus({ preventScroll: true })
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    navigate(path)
  }
}

/** What a result has that opens a page. */
function leadingTo(path: string, open: (path: string) => void): Pick<Result, 'path' | 'open'> {
  return { path, open: () => open(path) }
}

function asResult(open: (path: string) => void) {
  return (client: FoundClient): Result => ({
    key: `client ${client.name}`,
    group: 'Clients',
    client: client.name,
    content: <ClientResult {...client} />,
    ...leadingTo(to.client(client.name), open),
  })
}

function ClientResult({ name, description, mac, phone, expiry, status }: FoundClient) {
  const about = [mac ?? 'Ministra', shownPhone(phone), description].filter(Boolean).join(' · ')
  return (
    <>
      <span className="identifier name">{name}</span>
      <span className="ellipsis about" data-hint={about} data-hint-cut="">
        {about}
      </span>
      <Expiry inRows iso={expiry} inactive={!status} />
    </>
  )
}

/** Returns the screens of the role and the actions whose words have the text in them; all of them for no text. */
function useScreensAndActions(
  { text, onSettings, onHelp }: Omit<Asked, 'open'>,
  open: (path: string) => void,
): Result[] {
  const { role } = useSession()
  const screens = [
    ...menuOf(role).map(({ path, item }) => ({ label: item.label, path })),
    ...(role === 'dealer' ? LISTS : []),
  ]
  const all: Result[] = [
    ...screens.map(
      ({ label, path }): Result => ({
        key: path,
        group: 'Screens',
        content: label,
        ...leadingTo(path, open),
      }),
    ),
    { key: 'settings', group: 'Actions', content: 'Settings', open: onSettings },
    { key: 'help', group: 'Actions', content: 'Keyboard shortcuts', open: onHelp },
    ...(role === 'admin' && text.trim() !== '' ? [allClientsWith(text.trim(), open)] : []),
  ]
  const wanted = text.trim().toLowerCase()
  return all.filter(({ content }) => String(content).toLowerCase().includes(wanted))
}

/** The admin's clients are found in their list, which names the dealer of each. */
function allClientsWith(search: string, open: (path: string) => void): Result {
  return {
    key: 'clients',
    group: 'Actions',
    content: `Search all clients for ${search}`,
    ...leadingTo(to.allClients({ search }), open),
  }
}

const LISTS = [
  { label: 'Clients: Expiring Soon', path: to.clients({ filter: 'expiring' }) },
  { label: 'Clients: Expired', path: to.clients({ filter: 'expired' }) },
]

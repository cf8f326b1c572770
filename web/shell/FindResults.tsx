import { keyframes } from '@emotion/react'
import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import { CalendarPlus } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { type FoundClient, Search } from '../../contract/shapes.ts'
import { shownPhone } from '../clients/phone.ts'
import { RenewDialog } from '../clients/RenewDialog.tsx'
import { useDelayed } from '../parts/useDelayed.ts'
import { menuOf, to } from '../screens.ts'
import { useSession } from '../session.tsx'
import { Expiry } from '../tables/expiry.tsx'
import { keyOf, useCall } from '../useCall.ts'

/** What Enter or the arrow asked to do with the best result of a text, as soon as it is there. */
export interface PendingAct {
  act: 'open' | 'renew'
  text: string
}

interface FindResultsProps {
  /** The id of the list; its options are numbered after it. */
  id: string
  open: boolean
  text: string
  /** The number of the option that Enter opens. */
  active: number
  wish: PendingAct | null
  onActive: (active: number) => void
  /** Called when the result cannot do what was asked, such as renewing a screen. */
  onNothing: () => void
  onEnd: () => void
  /** Closes the list where it could not be loaded; the next letter tries again. */
  onClose: () => void
  onSettings: () => void
  onHelp: () => void
}

/** One result: it opens, and a client can be renewed. */
interface Result {
  key: string
  group: 'Clients' | 'Screens' | 'Actions'
  content: ReactNode
  open: () => void
  /** The login to renew. */
  client?: string
}

/** The list under the search field, and the renewal of a client that was found. */
export function FindResults(props: FindResultsProps) {
  const { id, open, text, active, wish, onActive, onNothing, onEnd } = props
  const [renewing, setRenewing] = useState<string | null>(null)
  const { clients, failure, isCurrent } = useFound(open ? text : '')
  const results = [...clients.map(asResult(useOpen())), ...useScreensAndActions(props)].slice(0, MOST)
  const at = results.length === 0 ? -1 : Math.min(Math.max(0, active), results.length - 1)
  const late = useDelayed(!isCurrent)
  useEffect(() => {
    if (open && at !== active) onActive(at)
  }, [open, at, active, onActive])
  const act: OnChoose = (result, how) => {
    if (!result) return
    if (how === 'renew' && result.client === undefined) return onNothing()
    onEnd()
    if (how === 'renew') setRenewing(result.client ?? null)
    else result.open()
  }
  useWish(isCurrent && wish?.text === text ? wish.act : null, results[at], act)
  return (
    <>
      {open && (
        <Popup pale={late}>
          <div id={id} role="listbox" aria-label="Found" aria-busy={!isCurrent}>
            {GROUPS.map((group) => (
              <ResultGroup key={group} id={id} group={group} results={results} at={at} onAct={act} />
            ))}
          </div>
          {failure && <p role="alert">{failure}</p>}
          {/* There before its words, because only what changes in it is announced. */}
          <div role="status">{results.length === 0 && isCurrent && !failure && <p>Nothing found</p>}</div>
          {clients.length > 0 && (
            <Keys aria-hidden>
              <kbd>Enter</kbd> opens, <kbd>→</kbd> renews
            </Keys>
          )}
        </Popup>
      )}
      <RenewDialog
        open={renewing !== null}
        names={renewing === null ? null : [renewing]}
        onClose={() => setRenewing(null)}
      />
    </>
  )
}

/** Does what was asked for before the results came. `due` is null where nothing was, or it was for another text. */
function useWish(due: PendingAct['act'] | null, best: Result | undefined, act: OnChoose) {
  const carryOut = useRef(act)
  useLayoutEffect(() => {
    carryOut.current = act
  })
  useEffect(() => {
    if (due) carryOut.current(best, due)
  }, [due, best])
}

type OnChoose = (result: Result | undefined, how: PendingAct['act']) => void

interface ResultGroupProps {
  id: string
  group: Result['group']
  /** The results of all groups, as they are numbered. */
  results: readonly Result[]
  /** The number of the one that Enter opens. */
  at: number
  onAct: OnChoose
}

function ResultGroup({ id, group, results, at, onAct }: ResultGroupProps) {
  const inside = results.flatMap((result, number) => (result.group === group ? [{ result, number }] : []))
  if (inside.length === 0) return null
  return (
    <Section role="group" aria-label={group}>
      <span aria-hidden>{group}</span>
      {inside.map(({ result, number }) => (
        <Line key={result.key} role="presentation" data-active={number === at}>
          <button
            type="button"
            id={`${id}-${number}`}
            role="option"
            tabIndex={-1}
            aria-selected={number === at}
            onMouseDown={keepFocus}
            onClick={() => onAct(result, 'open')}
          >
            {result.content}
          </button>
          {result.client !== undefined && (
            <button
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={false}
              aria-label={`Renew ${result.client}`}
              className="renew"
              onMouseDown={keepFocus}
              onClick={() => onAct(result, 'renew')}
            >
              <CalendarPlus aria-hidden size={16} /> Renew
            </button>
          )}
        </Line>
      ))}
    </Section>
  )
}

const GROUPS = ['Clients', 'Screens', 'Actions'] as const

/** As many as fit under the field without scrolling. */
const MOST = 10

/** The pause in typing, in milliseconds, after which the server is asked. */
const PAUSE = 150

/** A click on a result must not take the focus from the field before it is carried out. */
function keepFocus(event: React.MouseEvent) {
  event.preventDefault()
}

/** Returns the clients found for a text. `isCurrent` is false while they are those of an earlier text. */
function useFound(text: string) {
  const { role } = useSession()
  const client = useQueryClient()
  const term = useDeferredValue(text.trim())
  const fault = Search.safeParse(term).error?.issues[0]?.message
  const isAsked = role === 'dealer' && term !== '' && fault === undefined
  const [settled, setSettled] = useState('')
  useEffect(() => {
    // What was found before is shown at once, and a text that goes on being typed is not asked for.
    const known = client.getQueryData(keyOf(calls.clients.find, { search: term })) !== undefined
    const timer = setTimeout(() => setSettled(term), known ? 0 : PAUSE)
    return () => clearTimeout(timer)
  }, [term, client])
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

/** Returns the function that opens an address, and moves the focus to the page even where it was there already. */
function useOpen() {
  const navigate = useNavigate()
  return (path: string) => {
    navigate(path)
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }
}

function asResult(open: (path: string) => void) {
  return (client: FoundClient): Result => ({
    key: `client ${client.name}`,
    group: 'Clients',
    client: client.name,
    content: <ClientResult {...client} />,
    open: () => open(to.client(client.name)),
  })
}

function ClientResult({ name, description, mac, phone, expiry }: FoundClient) {
  const about = [mac ?? 'Ministra', shownPhone(phone), description].filter(Boolean).join(' · ')
  return (
    <>
      <span className="identifier name">{name}</span>
      <span className="ellipsis about" data-hint={about} data-hint-cut="">
        {about}
      </span>
      <Expiry inRows iso={expiry} />
    </>
  )
}

/** Returns the screens of the role and the actions whose words have the text in them; all of them for no text. */
function useScreensAndActions({ text, onSettings, onHelp }: FindResultsProps): Result[] {
  const { role } = useSession()
  const open = useOpen()
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
        open: () => open(path),
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
    open: () => open(to.allClients({ search })),
  }
}

const LISTS = [
  { label: 'Clients: Expiring Soon', path: to.clients({ filter: 'expiring' }) },
  { label: 'Clients: Expired', path: to.clients({ filter: 'expired' }) },
]

const appear = keyframes({ from: { opacity: 0, transform: 'translateY(-4px)' } })

const Popup = styled('div', { shouldForwardProp: (name) => name !== 'pale' })<{ pale: boolean }>(
  ({ theme, pale }) => ({
    position: 'absolute',
    top: 'calc(100% + 4px)',
    right: 0,
    zIndex: 3,
    width: 'min(560px, calc(100vw - 16px))',
    maxHeight: 'calc(100dvh - 80px)',
    overflowY: 'auto',
    padding: 8,
    borderRadius: 12,
    border: `1px solid ${theme.palette.divider}`,
    background: theme.palette.background.paper,
    boxShadow: theme.shadows[8],
    '& p': { padding: '8px 12px', color: theme.palette.text.secondary },
    '& > div, & > p': { opacity: pale ? 0.55 : 1 },
    '[data-side=right] &': { right: 'auto', left: 0 },
    [theme.breakpoints.down('sm')]: { top: 68, left: 8, right: 8 },
    '@media (prefers-reduced-motion: no-preference)': { animation: `${appear} 140ms ease-out` },
  }),
)

const Section = styled('div')(({ theme }) => ({
  '& > span': {
    display: 'block',
    padding: '8px 12px 4px',
    fontSize: '0.75rem',
    fontWeight: 600,
    color: theme.palette.text.secondary,
  },
}))

const Line = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  borderRadius: 8,
  '&[data-active=true]': { background: theme.palette.accent.fill },
  '&:hover': { background: theme.palette.background.default },
  '& [role=option]': {
    border: 0,
    background: 'none',
    textAlign: 'left',
    cursor: 'pointer',
  },
  '& [role=option]:first-of-type': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) auto',
    alignItems: 'center',
    columnGap: 12,
    flex: 1,
    minWidth: 0,
    minHeight: 44,
    padding: '4px 12px',
  },
  '& .name': { fontWeight: 600, overflowWrap: 'anywhere' },
  '& .about': { gridRow: 2, gridColumn: 1, fontSize: '0.75rem', color: theme.palette.text.secondary },
  '& .expiry': { gridRow: '1 / span 2', gridColumn: 2, justifyContent: 'flex-end' },
  '& .expiry small': { display: 'none' },
  '& .renew': {
    display: 'flex',
    alignItems: 'center',
    gap: 6,
    minHeight: 44,
    padding: '0 12px',
    borderRadius: 8,
    color: theme.palette.accent.text,
    fontWeight: 600,
    '&:hover': { background: theme.palette.accent.fill },
  },
  // A phone has no room for the day beside its state.
  [theme.breakpoints.down('sm')]: { '& .expiry .chip': { display: 'none' } },
}))

const Keys = styled('div')(({ theme }) => ({
  padding: '8px 12px 4px',
  fontSize: '0.75rem',
  color: theme.palette.text.secondary,
  '& kbd': {
    padding: '0 4px',
    borderRadius: 4,
    border: `1px solid ${theme.palette.divider}`,
    fontFamily: 'inherit',
  },
  '@media (pointer: coarse)': { display: 'none' },
}))

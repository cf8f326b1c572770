import { styled } from '@mui/material/styles'
import { CalendarPlus } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { RenewDialog } from '../clients/RenewDialog.tsx'
import { APPEARING } from '../parts/appearing.ts'
import { isForBrowser } from '../parts/focus.ts'
import { CHOSEN, FORCED_COLOURS } from '../parts/forcedColours.ts'
import { own } from '../parts/own.ts'
import { useDelayed } from '../parts/useDelayed.ts'
import { type Result, useResults } from './useResults.tsx'

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
  /** The arrow that renews, by the direction of the text. */
  forward: 'ArrowLeft' | 'ArrowRight'
  onActive: (active: number) => void
  /** Called when the result cannot do what was asked, such as renewing a screen, or there is none. */
  onNothing: () => void
  onEnd: () => void
  /** Hides the list where it could not be loaded; the next letter tries again. */
  onClose: () => void
  onSettings: () => void
  onHelp: () => void
}

/** The list under the search field, and the renewal of a client that was found. */
export function FindResults(props: FindResultsProps) {
  const { id, open, text, active, wish, forward, onActive, onNothing, onEnd } = props
  const { pathname } = useLocation()
  const [renewing, setRenewing] = useState<{ client: string; at: string } | null>(null)
  // This list outlasts each page, and its dialog is not to lie over the next one.
  if (renewing !== null && renewing.at !== pathname) setRenewing(null)
  const { results: all, failure, isCurrent } = useResults(props)
  const results = all.slice(0, MOST)
  const at = useHighlighted(results, active, text)
  const late = useDelayed(!isCurrent)
  useEffect(() => {
    if (open && at !== active) onActive(at)
  }, [open, at, active, onActive])
  const act: OnChoose = (result, how) => {
    if (!result || (how === 'renew' && result.client === undefined)) return onNothing()
    onEnd()
    if (how === 'open') result.open()
    else if (result.client !== undefined) setRenewing({ client: result.client, at: pathname })
  }
  // Its code may load after the wish: closed, as it is drawn at first, it has looked for nothing yet.
  useWish(open && isCurrent && wish?.text === text ? wish.act : null, results[at], act)
  return (
    <>
      {open && (
        <Popup pale={late}>
          {/* Whatever is clicked in it must not take the focus from the field, whose list would close. */}
          <Inside onMouseDown={(event) => event.preventDefault()}>
            <div id={id} role="listbox" aria-label="Found" aria-busy={!isCurrent}>
              {GROUPS.map((group) => (
                <ResultGroup key={group} id={id} group={group} results={results} at={at} onAct={act} />
              ))}
            </div>
            {failure && <p role="alert">{failure}</p>}
            {/* Rendered before it has text, because only what changes in it is announced. */}
            <div role="status">{results.length === 0 && isCurrent && !failure && <p>Nothing found</p>}</div>
            {results.some(({ client }) => client !== undefined) && (
              <Keys aria-hidden>
                <kbd>Enter</kbd> opens, <kbd>{forward === 'ArrowLeft' ? '←' : '→'}</kbd> renews
              </Keys>
            )}
          </Inside>
        </Popup>
      )}
      <RenewDialog
        key={pathname}
        open={renewing !== null}
        names={renewing && [renewing.client]}
        onClose={() => setRenewing(null)}
      />
    </>
  )
}

/**
 * Returns the number of the highlighted result; -1 without results. One that a person has moved to with an arrow stays
 * highlighted where clients come before it.
 */
function useHighlighted(results: readonly Result[], active: number, text: string): number {
  const [moved, setMoved] = useState({ active, text, key: '' })
  const number = results.length === 0 ? -1 : Math.min(Math.max(0, active), results.length - 1)
  if (moved.active !== active || moved.text !== text)
    setMoved({ active, text, key: active > 0 ? (results[number]?.key ?? '') : '' })
  const stayed = results.findIndex(({ key }) => key === moved.key)
  return stayed >= 0 ? stayed : number
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
          <Choice
            path={result.path}
            id={`${id}-${number}`}
            role="option"
            tabIndex={-1}
            aria-selected={number === at}
            onClick={(event) => {
              // Such a click on a link is the browser's, which opens a new tab or window.
              if (result.path !== undefined && (isForBrowser(event) || event.shiftKey)) return
              event.preventDefault()
              onAct(result, 'open')
            }}
          >
            {result.content}
          </Choice>
          {result.client !== undefined && (
            <button
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={false}
              aria-label={`Renew ${result.client}`}
              className="renew"
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

interface ChoiceProps extends React.HTMLAttributes<HTMLElement> {
  path: string | undefined
}

/** A link where the result leads to a page, and otherwise a button. */
function Choice({ path, ...option }: ChoiceProps) {
  return path === undefined ? <button type="button" {...option} /> : <Link to={path} {...option} />
}

const GROUPS = ['Clients', 'Screens', 'Actions'] as const

/** As many as fit under the field without scrolling. */
const MOST = 10

const Popup = styled(
  'div',
  own('pale'),
)<{ pale: boolean }>(({ theme, pale }) => ({
  position: 'absolute',
  top: 'calc(100% + 4px)',
  right: 0,
  zIndex: 3,
  width: 'min(560px, calc(100vw - 16px))',
  maxHeight: 'calc(100dvh - var(--bar) - 16px)',
  overflowY: 'auto',
  borderRadius: 12,
  border: `1px solid ${theme.palette.divider}`,
  background: theme.palette.background.paper,
  boxShadow: theme.shadows[8],
  '& p': { padding: '8px 12px', color: theme.palette.text.secondary },
  '& > div': { opacity: pale ? 0.55 : 1 },
  '[data-side=right] &': { right: 'auto', left: 0 },
  [theme.breakpoints.down('sm')]: { top: 'calc(var(--bar) + 4px)', left: 8, right: 8 },
  ...APPEARING,
}))

const Inside = styled('div')({ padding: 8 })

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
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'flex-end',
  columnGap: 8,
  borderRadius: 8,
  '&[data-active=true]': { background: theme.palette.accent.fill },
  [FORCED_COLOURS]: { '&[data-active=true]': CHOSEN },
  '&:hover': { background: theme.palette.background.default },
  '& [role=option]': {
    border: 0,
    background: 'none',
    textAlign: 'left',
    textDecoration: 'none',
    cursor: 'pointer',
  },
  '& [role=option]:not(.renew)': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) auto',
    alignItems: 'center',
    columnGap: 12,
    // In a large font the button goes beneath, which would leave the name no room.
    flex: '1 1 13rem',
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
  // Beside the name there is as little room as in a folded table.
  [theme.breakpoints.up('sm')]: { '& .expiry .folded-only': { display: 'flex' } },
  // A phone has no room for the expiry beside a whole MAC, nor for what is said of one switched off in one line.
  [theme.breakpoints.down('sm')]: {
    '& .expiry': { gridRow: 3, gridColumn: 1, justifyContent: 'start', rowGap: 2 },
  },
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

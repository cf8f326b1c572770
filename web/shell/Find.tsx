import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { ArrowLeft, Search } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { useBackToClose } from '../parts/dialog/useBackToClose.ts'
import { focusTitle, isForBrowser } from '../parts/focus.ts'
import { EXACT, InputFrame } from '../parts/form/controls.tsx'
import { useShortcutsOn } from '../preferences.ts'
import { useSession } from '../session.tsx'
import type { PendingAct } from './FindResults.tsx'
import { useShortcuts } from './useShortcuts.ts'

interface FindProps {
  onSettings: () => void
  onHelp: () => void
}

/**
 * The field in the top bar that finds clients, screens and actions from anywhere. It takes keys at once, also while the
 * code of its results is loading: what was asked for meanwhile is done once it has loaded.
 */
export function Find({ onSettings, onHelp }: FindProps) {
  const id = useId()
  const { role } = useSession()
  const shortcuts = useShortcutsOn()
  const { input, place, text, open, listed, active, wish, forward, change, ...act } = useSearch()
  useBackToClose(open, act.giveUp)
  useShortcuts({ onFind: act.begin, onHelp })
  return (
    <Place ref={place} role="search" data-open={open} onBlur={act.leave}>
      <Opener aria-label="Find" onClick={act.begin}>
        <Search size={20} />
      </Opener>
      <FindField as="label">
        <IconButton aria-label="Close the search" className="back" onClick={act.giveUp}>
          <ArrowLeft size={20} />
        </IconButton>
        <Search aria-hidden size={16} />
        <input
          ref={input}
          role="combobox"
          aria-label={role === 'dealer' ? 'Find a client, screen or action' : 'Find a screen or action'}
          aria-expanded={listed}
          aria-controls={listed ? id : undefined}
          aria-activedescendant={listed && active >= 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          placeholder="Find"
          autoComplete="off"
          enterKeyHint="go"
          // What is typed in Arabic or Hebrew begins at the right, and stays in view.
          dir="auto"
          {...EXACT}
          value={text}
          onClick={act.show}
          onChange={(event) => act.type(event.target)}
          onKeyDown={act.press}
        />
        {shortcuts && <kbd aria-hidden>/</kbd>}
      </FindField>
      <Later
        part={results}
        given={{
          id,
          open: listed,
          text,
          active,
          wish,
          forward,
          onActive: (active) => change({ active }),
          onNothing: () => change({ wish: null }),
          onEnd: act.end,
          onClose: () => change({ hidden: true }),
          onSettings,
          onHelp,
        }}
      />
    </Place>
  )
}

/**
 * The state of the search: its text, whether its results are open, which one is active and what Enter or the arrow
 * asked for.
 */
function useSearch() {
  const input = useRef<HTMLInputElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const before = useRef<Element | null>(null)
  const [{ text, open, hidden, active, wish }, setState] = useState(CLOSED)
  const change = (to: Partial<typeof CLOSED>) => setState((now) => ({ ...now, ...to }))
  // The arrow that moves the caret on, and leaves the text at its end.
  const [forward, setForward] = useState<'ArrowLeft' | 'ArrowRight'>('ArrowRight')
  const show = () => change({ open: true, hidden: false })
  const begin = () => {
    before.current = document.activeElement
    // A hidden field, as on a phone, takes the focus only once it is shown.
    flushSync(show)
    input.current?.focus()
    input.current?.select()
  }
  const end = () => {
    setState(CLOSED)
    before.current = null
  }
  const giveUp = () => {
    const left = before.current
    end()
    if (left instanceof HTMLElement) left.focus()
    // Another page may have opened meanwhile.
    focusTitle()
  }
  const type = (field: HTMLInputElement) => {
    setForward(getComputedStyle(field).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight')
    change({ ...CLOSED, text: field.value, open: true })
  }
  const press = (event: React.KeyboardEvent<HTMLInputElement>) => {
    // A key may belong to the input of another script.
    if (event.nativeEvent.isComposing || isForBrowser(event) || event.shiftKey) return
    const isAtEnd = event.currentTarget.selectionStart === text.length
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') giveUp()
    // Enter or the arrow was meant for the result that was active before.
    else if (step) change({ wish: null, active: Math.max(0, active + step) })
    else if (event.key === 'Enter') change({ wish: { act: 'open', text } })
    else if (event.key === forward && isAtEnd && text !== '' && !event.repeat)
      change({ wish: { act: 'renew', text } })
    else return
    if (event.key !== 'Escape') show()
    event.preventDefault()
  }
  const leave = ({ relatedTarget }: React.FocusEvent) => {
    // Another window may have taken the focus, and gives it back.
    if (!place.current?.contains(relatedTarget) && document.hasFocus()) end()
  }
  return {
    input,
    place,
    text,
    open,
    listed: open && !hidden,
    active,
    wish,
    forward,
    change,
    begin,
    end,
    giveUp,
    type,
    press,
    leave,
    show,
  }
}

/** `hidden` where the list could not be loaded: the field stays, also on a phone, and the next letter tries again. */
const CLOSED = { text: '', open: false, hidden: false, active: 0, wish: null as PendingAct | null }

const results = chunk(async () => (await import('./FindResults.tsx')).FindResults)

const Place = styled('div')(({ theme }) => ({
  position: 'relative',
  flex: '0 1 280px',
  minWidth: 0,
  [theme.breakpoints.down('sm')]: {
    position: 'static',
    flex: 'none',
    '&:not([data-open=true]) > label': { display: 'none' },
    // The field takes the bar, but for the place where the settings button floats.
    '&[data-open=true] > label': {
      position: 'absolute',
      inset: '8px 60px 8px 8px',
      zIndex: 1,
    },
    '[data-side=right] &[data-open=true] > label': { inset: '8px 8px 8px 60px' },
  },
}))

const Opener = styled(IconButton)(({ theme }) => ({
  [theme.breakpoints.up('sm')]: { display: 'none' },
}))

const FindField = styled(InputFrame)(({ theme }) => ({
  paddingRight: 8,
  '& .MuiIconButton-root': { marginRight: 0 },
  '& kbd': {
    padding: '0 6px',
    borderRadius: 4,
    border: `1px solid ${theme.palette.divider}`,
    fontFamily: 'inherit',
    fontSize: '0.75rem',
  },
  '&:focus-within kbd': { visibility: 'hidden' },
  '@media (pointer: coarse)': { '& kbd': { display: 'none' } },
  [theme.breakpoints.up('sm')]: { '& .back': { display: 'none' } },
}))

import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Check } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { APPEARING } from '../appearing.ts'
import { isForBrowser } from '../focus.ts'
import { useBackToClose } from './useBackToClose.ts'

interface MenuProps {
  /** The accessible name of the menu. */
  label: string
  /** The content of the button; the label by default. */
  children?: ReactNode
  icon?: ReactNode
  items: readonly MenuItem[]
  /** Opens at the end of the bar that the button is in. */
  inBar?: boolean
}

export interface MenuItem {
  label: string
  /** Whether it is on, for an item that is switched on and off. */
  checked?: boolean
  onChoose: () => void
}

/** A menu button. Arrow keys move through its items; Escape closes it and returns the focus to the button. */
export function Menu({ label, children = label, icon, items, inBar = false }: MenuProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  useBackToClose(open, close)
  useLayoutEffect(() => {
    if (!open || !list.current) return
    unfold(list.current)
    // It stands where the button was when it opened. The event of a movement before that may come after it.
    const opened = whereIs(button.current)
    const fold = ({ target }: Event) => {
      if (target === list.current || whereIs(button.current) === opened) return
      if (list.current?.contains(document.activeElement)) button.current?.focus({ preventScroll: true })
      setOpen(false)
    }
    window.addEventListener('scroll', fold, { capture: true })
    window.addEventListener('resize', fold)
    return () => {
      window.removeEventListener('scroll', fold, { capture: true })
      window.removeEventListener('resize', fold)
    }
  }, [open])
  const leave = (event: React.FocusEvent) => {
    if (!place.current?.contains(event.relatedTarget)) setOpen(false)
  }
  const press = (event: React.KeyboardEvent) => {
    if (isForBrowser(event)) return
    if (!open && event.key === 'ArrowDown') setOpen(true)
    else if (open && event.key === 'Escape') close()
    else if (open) step(place.current, event.key)
    if (moves.has(event.key)) event.preventDefault()
  }
  return (
    <Place ref={place} style={inBar ? STATIC : undefined} onBlur={leave} onKeyDown={press}>
      <Button
        ref={button}
        variant="outlined"
        startIcon={icon}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {children}
      </Button>
      {open && (
        <List id={id} role="menu" aria-label={label} ref={list}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              {...roleOf(item)}
              tabIndex={-1}
              onClick={() => {
                close()
                item.onChoose()
              }}
            >
              {item.label}
              {item.checked && <Check aria-hidden size={16} />}
            </button>
          ))}
        </List>
      )}
    </Place>
  )
}

function roleOf({ checked }: MenuItem) {
  return checked === undefined ? { role: 'menuitem' } : { role: 'menuitemcheckbox', 'aria-checked': checked }
}

const moves = new Set(['ArrowDown', 'ArrowUp', 'Home', 'End'])

/** The distance of a list from its button, and from the edges of the window, in pixels. */
const GAP = 4
const EDGE = 8

/**
 * Places a list at its button, or its bar, within the window, and focuses the first item. It is fixed there, since the
 * card around the button cuts off what reaches beyond it.
 */
function unfold(list: HTMLElement) {
  const place = list.offsetParent?.getBoundingClientRect() ?? new DOMRect()
  const { offsetWidth: width, offsetHeight: height } = list
  const below = window.innerHeight - coveredAtBottom() - EDGE - (place.bottom + GAP)
  const above = place.top - GAP - EDGE - coveredAtTop()
  // Where neither side has room for all of it, it scrolls on the side that has more.
  const isBelow = height <= below || below >= above
  const maxHeight = isBelow ? below : above
  const top = isBelow ? place.bottom + GAP : place.top - GAP - Math.min(height, above)
  const left = Math.min(Math.max(EDGE, place.right - width), window.innerWidth - EDGE - width)
  const pixels = { top: `${top}px`, left: `${left}px`, maxHeight: `${maxHeight}px` }
  Object.assign(list.style, { position: 'fixed', ...pixels })
  list.querySelector('button')?.focus({ preventScroll: true })
}

/** Returns the position of an element in the window, and the size of that, as a text to compare. */
function whereIs(element: HTMLElement | null): string {
  const { x, y } = element?.getBoundingClientRect() ?? new DOMRect()
  return [x, y, window.innerWidth, window.innerHeight].join()
}

/** Returns how much of the window's top the bar there covers, in pixels: pages scroll to just beneath it. */
function coveredAtTop(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0
}

/** Returns how much of the window's bottom the banner of a lost connection covers, in pixels. */
function coveredAtBottom(): number {
  return Number.parseFloat(document.documentElement.style.getPropertyValue('--offline-bar')) || 0
}

/** Moves the focus to the next or previous item; after the last comes the first. */
function step(place: HTMLElement | null, key: string) {
  const items = [...(place?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]
  const at = items.findIndex((item) => item.matches(':focus'))
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key]
  if (next !== undefined) items.at(next === items.length ? 0 : next)?.focus()
}

const STATIC = { position: 'static' } as const

const Place = styled('div')({ position: 'relative' })

const List = styled('div')(({ theme }) => ({
  position: 'absolute',
  zIndex: theme.zIndex.modal,
  overflowY: 'auto',
  display: 'grid',
  width: 'max-content',
  minWidth: 168,
  maxWidth: `calc(100vw - ${2 * EDGE}px)`,
  padding: 4,
  borderRadius: 12,
  border: `1px solid ${theme.palette.divider}`,
  background: theme.palette.background.paper,
  boxShadow: theme.shadows[8],
  '& button': {
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'space-between',
    gap: 16,
    minHeight: 36,
    padding: '6px 12px',
    border: 0,
    borderRadius: 8,
    background: 'none',
    textAlign: 'left',
    overflowWrap: 'anywhere',
    cursor: 'pointer',
    '&:hover, &:focus-visible': { background: theme.palette.action.hover },
    '@media (pointer: coarse)': { minHeight: 44 },
  },
  ...APPEARING,
}))

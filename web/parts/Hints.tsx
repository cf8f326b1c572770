import { styled } from '@mui/material/styles'
import { useEffect, useRef, useState } from 'react'
import { EDGE, FORCED_COLOURS } from './forcedColours.ts'
import { UNPRINTED } from './unprinted.ts'

/**
 * The console's only tooltip, mounted once. An element with `data-hint` shows that text on hover, focus and tap; with
 * `data-hint-cut` it does so only while its own text is cut off. One tooltip component for each cell would cost more
 * than the table itself.
 */
export function Hints() {
  const [shown, setShown] = useState<Shown | null>(null)
  const bubble = useRef<HTMLDivElement>(null)
  useEffect(() => listen(setShown, bubble), [])
  useEffect(() => {
    if (!shown) return
    shown.target.setAttribute('aria-describedby', id)
    return () => shown.target.removeAttribute('aria-describedby')
  }, [shown])
  if (!shown) return null
  return (
    <Bubble ref={bubble} id={id} role="tooltip" style={placed(shown)}>
      {shown.text}
    </Bubble>
  )
}

interface Shown {
  target: Element
  text: string
}

const id = 'hint'

/** Listens to pointer, focus and Escape on the whole page. Returns a function that removes the listeners. */
function listen(show: (shown: Shown | null) => void, bubble: { current: HTMLElement | null }) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let next: Shown | null = null
  const later = (shown: Shown | null, ms: number) => {
    next = shown
    clearTimeout(timer)
    timer = setTimeout(() => show(shown), ms)
  }
  const enter = (event: Event) => {
    const over = event.target as Element
    if (bubble.current?.contains(over)) return clearTimeout(timer)
    const found = hintOf(over)
    later(found, found ? (event.type === 'pointerover' ? 300 : 0) : 100)
  }
  const leave = () => later(null, 0)
  // What gets the focus by a key is scrolled into view: its hint goes with it.
  const follow = () => {
    if (next && isFocusVisibleIn(next.target)) later({ ...next }, 0)
    else leave()
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') leave()
  }
  const kinds = ['pointerover', 'focusin', 'click'] as const
  for (const kind of kinds) document.addEventListener(kind, enter)
  document.addEventListener('focusout', leave)
  document.addEventListener('keydown', key)
  window.addEventListener('scroll', follow, { capture: true, passive: true })
  return () => {
    clearTimeout(timer)
    for (const kind of kinds) document.removeEventListener(kind, enter)
    document.removeEventListener('focusout', leave)
    document.removeEventListener('keydown', key)
    window.removeEventListener('scroll', follow, { capture: true })
  }
}

/** Returns whether an element has the focus by a key, or has within it what does. */
function isFocusVisibleIn(element: Element): boolean {
  const focused = document.activeElement
  return element.contains(focused) && focused?.matches(':focus-visible') === true
}

function hintOf(element: Element): Shown | null {
  const target = element.closest('[data-hint]')
  const text = target?.getAttribute('data-hint')
  if (!target || !text) return null
  if (target.hasAttribute('data-hint-cut') && target.scrollWidth <= target.clientWidth) return null
  return { target, text }
}

/**
 * Returns the position below the target, or above it at the end of the window, and always inside the window. A long
 * text gets more room.
 */
function placed({ target, text }: Shown) {
  const box = target.getBoundingClientRect()
  const [width, height] = text.length > 200 ? [640, 288] : [320, 72]
  const below = box.bottom + height < window.innerHeight
  const left = Math.max(8, Math.min(box.left, window.innerWidth - width - 16))
  const at = below ? { top: box.bottom + 6 } : { bottom: window.innerHeight - box.top + 6 }
  return { ...at, left, maxWidth: `min(${width}px, 100vw - 16px)` }
}

const Bubble = styled('div')(({ theme }) => ({
  position: 'fixed',
  zIndex: theme.zIndex.tooltip,
  padding: '4px 8px',
  borderRadius: 6,
  fontSize: '0.75rem',
  lineHeight: 1.5,
  overflowWrap: 'anywhere',
  color: theme.palette.background.paper,
  background: theme.palette.text.primary,
  [FORCED_COLOURS]: EDGE,
  // Covers the distance to what it is about, so that a slow pointer gets onto it.
  '&::before': { content: '""', position: 'absolute', inset: '-6px 0', zIndex: -1 },
  ...UNPRINTED,
}))

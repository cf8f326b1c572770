import { styled } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { chunk } from '../parts/chunk.ts'
import { Drawer } from '../parts/dialog/Drawer.tsx'
import { Later } from '../parts/dialog/Later.tsx'
import { isFinding } from '../parts/focus.ts'
import { keepText } from '../parts/keepText.ts'
import { own } from '../parts/own.ts'
import { UNPRINTED } from '../parts/unprinted.ts'
import { useSettings } from '../settings.ts'
import { keepVisit, lastVisit } from '../visits.ts'
import { Broadcast } from './Broadcast.tsx'
import { SettingsButton } from './SettingsButton.tsx'
import { Sidebar } from './Sidebar.tsx'
import { TopBar } from './TopBar.tsx'

/** The frame of every page: top bar, menu, settings and broadcast message. */
export function Shell({ children }: { children: ReactNode }) {
  const { layout } = useSettings()
  const narrow = useMediaQuery('(max-width: 1024px)', { noSsr: true })
  const [collapsed, setCollapsed] = useCollapsed()
  const [drawer, setDrawer] = useDrawer(narrow)
  const [aside, setAside] = useState<'settings' | 'help' | null>(null)
  const main = useFocusOnArrival()
  const toggle = () => (narrow ? setDrawer(!drawer) : setCollapsed(!collapsed))
  // The browser would go to another address, with which a page that was called again begins anew.
  const skip = (event: React.MouseEvent) => {
    event.preventDefault()
    main.current?.focus()
  }
  return (
    <Frame>
      <SkipLink href="#main" onClick={skip}>
        Skip to the content
      </SkipLink>
      <TopBar
        side={layout}
        showCredits={narrow || collapsed}
        expanded={narrow ? drawer : !collapsed}
        onToggle={toggle}
        onSettings={() => setAside('settings')}
        onHelp={() => setAside('help')}
      />
      {narrow ? (
        <Drawer
          anchor={layout}
          open={drawer}
          onClose={() => setDrawer(false)}
          slotProps={{
            paper: {
              sx: { width: 240, paddingBottom: 'var(--offline-bar, 0px)' },
              'aria-label': 'Menu',
              role: 'dialog',
            },
          }}
        >
          <Sidebar collapsed={false} />
        </Drawer>
      ) : (
        <Aside side={layout} width={collapsed ? 60 : 240}>
          <Sidebar collapsed={collapsed} />
        </Aside>
      )}
      <Main id="main" ref={main} tabIndex={-1} side={layout} beside={narrow ? 0 : collapsed ? 60 : 240}>
        <div>{children}</div>
      </Main>
      <SettingsButton
        side={layout}
        open={aside === 'settings'}
        onOpen={() => setAside('settings')}
        onClose={() => setAside(null)}
      />
      <Later part={help} given={{ open: aside === 'help', onClose: () => setAside(null) }} />
      <Broadcast />
    </Frame>
  )
}

const help = chunk(async () => (await import('./ShortcutHelp.tsx')).ShortcutHelp)

/** Returns whether the sidebar is collapsed to icons; the browser remembers it. */
function useCollapsed() {
  const [collapsed, setCollapsed] = useState(() => localStorage.getItem('sidebar') === 'collapsed')
  const set = (next: boolean) => {
    keepText('sidebar', next ? 'collapsed' : 'expanded')
    setCollapsed(next)
  }
  return [collapsed, set] as const
}

/** Opens the menu's drawer for the current address, so that following a link closes it. */
function useDrawer(narrow: boolean) {
  const { key } = useLocation()
  const [openAt, setOpenAt] = useState<string | null>(null)
  return [narrow && openAt === key, (open: boolean) => setOpenAt(open ? key : null)] as const
}

/**
 * Moves the focus to the title of a new page, as a new document would, unless a form has already taken it, and scrolls
 * to its top; by Back, or where an update leads back, to where it was left. A change of URL parameters moves nothing.
 */
function useFocusOnArrival() {
  const { pathname, search, state } = useLocation()
  const way = useNavigationType()
  const main = useRef<HTMLElement>(null)
  const last = useRef({ pathname, search, y: 0 })
  useEffect(() => {
    // The page that follows may be too short for the position of the last, and scroll.
    const note = () => {
      if (window.location.pathname === last.current.pathname) last.current.y = window.scrollY
    }
    window.addEventListener('scroll', note, { passive: true })
    return () => window.removeEventListener('scroll', note)
  }, [])
  useEffect(() => {
    const left = last.current
    if (left.pathname === pathname) {
      left.search = search
      return
    }
    keepVisit(left.pathname, left)
    const y = way === 'POP' ? lastVisit(pathname)?.y : state?.y
    last.current = { pathname, search, y: y ?? 0 }
    window.scrollTo(0, y ?? 0)
    const title = main.current?.querySelector('h1') ?? main.current
    if (isFinding() || main.current?.querySelector(':focus')) return
    title?.focus({ preventScroll: true })
  }, [pathname, search, state, way])
  return main
}

type Side = { side: 'left' | 'right' }
const plain = own('side', 'beside', 'width')

const Frame = styled('div')({ minHeight: '100dvh' })

const SkipLink = styled('a')(({ theme }) => ({
  position: 'fixed',
  top: 8,
  left: 8,
  zIndex: theme.zIndex.tooltip,
  padding: '12px 16px',
  borderRadius: 8,
  background: theme.palette.background.paper,
  border: `1px solid ${theme.palette.edge}`,
  '&:not(:focus)': { clipPath: 'inset(50%)', width: 1, height: 1, padding: 0, overflow: 'hidden' },
}))

const Aside = styled(
  'aside',
  plain,
)<Side & { width: number }>(({ theme, side, width }) => ({
  position: 'fixed',
  top: 'var(--bar)',
  bottom: 'var(--offline-bar, 0px)',
  [side]: 0,
  width,
  overflowX: 'hidden',
  overflowY: 'auto',
  background: theme.palette.background.paper,
  [side === 'left' ? 'borderRight' : 'borderLeft']: `1px solid ${theme.palette.divider}`,
  ...UNPRINTED,
}))

const Main = styled(
  'main',
  plain,
)<Side & { beside: number }>(({ theme, side, beside }) => ({
  minWidth: 0,
  paddingTop: 'var(--bar)',
  // The offset at which the head of a long table sticks.
  '--table-top': 'var(--bar)',
  [side === 'left' ? 'marginLeft' : 'marginRight']: beside,
  outline: 'none',
  // Its end can be scrolled clear of the banner of a lost connection.
  paddingBottom: 'var(--offline-bar, 0px)',
  '& > div': { maxWidth: 1440, margin: '0 auto', padding: '24px 24px 96px' },
  [theme.breakpoints.down('sm')]: { '& > div': { padding: '16px 16px 64px' } },
  '@media print': { margin: 0, '& > div': { padding: 0 } },
}))

import Fab from '@mui/material/Fab'
import { styled, type Theme } from '@mui/material/styles'
import { Settings } from 'lucide-react'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { EDGE, FORCED_COLOURS } from '../parts/forcedColours.ts'
import { own } from '../parts/own.ts'
import { UNPRINTED } from '../parts/unprinted.ts'

interface SettingsButtonProps {
  side: 'left' | 'right'
  open: boolean
  onOpen: () => void
  onClose: () => void
}

/** The floating button that opens the settings. */
export function SettingsButton({ side, open, onOpen, onClose }: SettingsButtonProps) {
  const away = side === 'left' ? 'right' : 'left'
  return (
    <>
      <Tab aria-label="Settings" color="primary" side={away} onClick={onOpen}>
        <Settings size={20} />
      </Tab>
      <Later part={drawer} given={{ side: away, open, onClose }} />
    </>
  )
}

const drawer = chunk(async () => (await import('./SettingsDrawer.tsx')).SettingsDrawer)

/**
 * Where the button floats in the top bar, which reserves the space: on a phone, whose page has no margin, and for a
 * finger, which needs more than the margin.
 */
export const inTopBar = ({ breakpoints }: Theme) => `${breakpoints.down('sm')}, (pointer: coarse)`

/** Elsewhere the button hangs over the page's margin, where it covers no text. */
const Tab = styled(
  Fab,
  own('side'),
)<{ side: 'left' | 'right' }>(({ theme, side }) => ({
  position: 'fixed',
  // Above the banner of a lost connection.
  bottom: 64,
  [side]: 0,
  zIndex: theme.zIndex.fab,
  // As wide as the margin and the edge of a card.
  width: 28,
  minWidth: 0,
  height: 48,
  borderRadius: side === 'right' ? '8px 0 0 8px' : '0 8px 8px 0',
  boxShadow: theme.shadows[8],
  [inTopBar(theme)]: {
    top: 'calc((var(--bar) - 44px) / 2)',
    bottom: 'auto',
    [side]: 8,
    zIndex: theme.zIndex.appBar,
    width: 44,
    height: 44,
    borderRadius: 8,
    boxShadow: 'none',
    color: theme.palette.text.secondary,
    background: 'none',
    '&:hover, &:active': { background: theme.palette.tones.plain.fill, boxShadow: 'none' },
  },
  [FORCED_COLOURS]: EDGE,
  ...UNPRINTED,
}))

import Fab from '@mui/material/Fab'
import { styled } from '@mui/material/styles'
import { Settings } from 'lucide-react'
import { useState } from 'react'
import { Later, part } from '../parts/dialog/later.tsx'
import type { SettingsDrawerProps } from './SettingsDrawer.tsx'

/** The floating button and the drawer behind it, away from the menu. */
export function SettingsButton({ side }: { side: 'left' | 'right' }) {
  const [open, setOpen] = useState(false)
  const away = side === 'left' ? 'right' : 'left'
  return (
    <>
      <Tab aria-label="Settings" color="primary" side={away} onClick={() => setOpen(true)}>
        <Settings size={22} />
      </Tab>
      <Later part={drawer} given={{ side: away, open, onClose: () => setOpen(false) }} />
    </>
  )
}

const drawer = part<SettingsDrawerProps>(async () => (await import('./SettingsDrawer.tsx')).SettingsDrawer)

/**
 * Hangs on the edge, over the margins of a page and of the cards in it, so that it hides no word of theirs. A phone has
 * no such margins: there it floats in the bar above, which keeps the room.
 */
const Tab = styled(Fab, { shouldForwardProp: (name) => name !== 'side' })<{ side: 'left' | 'right' }>(
  ({ theme, side }) => ({
    position: 'fixed',
    // Above the banner that says that the connection is lost.
    bottom: 64,
    [side]: 0,
    zIndex: theme.zIndex.fab,
    width: 44,
    height: 48,
    borderRadius: side === 'right' ? '12px 0 0 12px' : '0 12px 12px 0',
    boxShadow: theme.shadows[4],
    [theme.breakpoints.down('sm')]: {
      top: 10,
      bottom: 'auto',
      [side]: 8,
      zIndex: theme.zIndex.appBar,
      height: 44,
      borderRadius: 8,
      boxShadow: 'none',
      color: theme.palette.text.secondary,
      background: 'none',
      '&:hover, &:active': { background: theme.palette.tones.plain.fill, boxShadow: 'none' },
    },
  }),
)

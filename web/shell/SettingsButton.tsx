import Fab from '@mui/material/Fab'
import { styled } from '@mui/material/styles'
import { Settings } from 'lucide-react'
import { useState } from 'react'
import { Later, part } from '../parts/later.tsx'
import type { SettingsDrawerProps } from './SettingsDrawer.tsx'

/** The floating button and the drawer behind it, away from the menu. */
export function SettingsButton({ side }: { side: 'left' | 'right' }) {
  const [open, setOpen] = useState(false)
  const away = side === 'left' ? 'right' : 'left'
  return (
    <>
      <Corner aria-label="Settings" color="primary" style={{ [away]: 24 }} onClick={() => setOpen(true)}>
        <Settings size={22} />
      </Corner>
      <Later part={drawer} given={{ side: away, open, onClose: () => setOpen(false) }} />
    </>
  )
}

const drawer = part<SettingsDrawerProps>(async () => (await import('./SettingsDrawer.tsx')).SettingsDrawer)

const Corner = styled(Fab)(({ theme }) => ({
  position: 'fixed',
  bottom: 24,
  zIndex: theme.zIndex.fab,
  width: 48,
  height: 48,
  boxShadow: theme.shadows[6],
}))

import type { DrawerProps } from '@mui/material/Drawer'
import { chunk } from '../chunk.ts'
import { Later } from './Later.tsx'
import { useBackToClose } from './useBackToClose.ts'

/**
 * A drawer at the side, loaded once the person turns to a control. It traps the focus and returns it; Escape closes it.
 */
export function Drawer(props: DrawerProps) {
  useBackToClose(props.open === true, () => props.onClose?.({}, 'escapeKeyDown'))
  return <Later part={drawer} given={props} />
}

const drawer = chunk(async () => (await import('@mui/material/Drawer')).default)

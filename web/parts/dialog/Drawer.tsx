import type { DrawerProps } from '@mui/material/Drawer'
import { Later, part } from './later.tsx'

/** A drawer at the side, loaded shortly after the page. It traps the focus and returns it; Escape closes it. */
export function Drawer(props: DrawerProps) {
  return <Later part={drawer} given={props} />
}

const drawer = part<DrawerProps>(async () => (await import('@mui/material/Drawer')).default)

import type { DrawerProps } from '@mui/material/Drawer'
import { Later, part } from './later.tsx'

/** What slides in from a side. The focus goes in and comes back; Escape closes. */
export function Drawer(props: DrawerProps) {
  return <Later part={drawer} given={props} />
}

const drawer = part<DrawerProps>(async () => (await import('@mui/material/Drawer')).default)

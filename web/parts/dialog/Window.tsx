import type { ReactNode } from 'react'
import { Later, part } from './later.tsx'

export interface WindowProps {
  open: boolean
  title: string
  onClose: () => void
  /** A call runs, so the window stays until it has ended. */
  busy?: boolean | undefined
  /** In CSS pixels; 480 if unsaid. */
  width?: number | undefined
  /** Asks a question that cannot be waved away by a click beside it. */
  question?: boolean | undefined
  children: ReactNode
  /** The buttons at its foot; a form inside brings its own. */
  actions?: ReactNode
}

/** What opens over the page. The focus goes in and comes back; Escape closes. */
export function Window(props: WindowProps) {
  return <Later part={dialog} given={props} />
}

const dialog = part<WindowProps>(async () => (await import('./Dialog.tsx')).Dialog)

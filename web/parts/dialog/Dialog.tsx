import type { DialogProps } from './DialogFrame.tsx'
import { Later, part } from './later.tsx'

/** What opens over the page. The focus goes in and comes back; Escape closes. */
export function Dialog(props: DialogProps) {
  return <Later part={dialog} given={props} />
}

const dialog = part<DialogProps>(async () => (await import('./DialogFrame.tsx')).DialogFrame)

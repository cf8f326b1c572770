import { chunk } from '../chunk.ts'
import type { DialogProps } from './DialogFrame.tsx'
import { Later } from './Later.tsx'

/** A modal dialog, loaded once the person turns to a control. It traps the focus and returns it; Escape closes it. */
export function Dialog(props: DialogProps) {
  return <Later part={dialog} given={props} />
}

const dialog = chunk(async () => (await import('./DialogFrame.tsx')).DialogFrame)

import '../parts.css'
import type { ReactNode } from 'react'

interface RowButtonProps {
  /** The accessible name: 'Renew client7'. */
  label: string
  /** The short label, shown in an unfolded row. */
  word: string
  onClick: () => void
  /** Why the button is disabled. It then shows this reason; it can still be focused. */
  blocked?: string | undefined
  /** The key that presses it while its row has the focus. */
  shortcut?: string | undefined
  /** An icon of 16 px. */
  children: ReactNode
}

/** An icon button of one row. A table has a hundred of them, so it is a plain HTML button. */
export function RowButton({ label, word, onClick, blocked, shortcut, children }: RowButtonProps) {
  return (
    <button
      type="button"
      className="row-button"
      aria-label={label}
      aria-keyshortcuts={shortcut}
      aria-disabled={blocked !== undefined}
      data-hint={blocked ?? label}
      onClick={blocked === undefined ? onClick : undefined}
    >
      {children}
      <span>{word}</span>
    </button>
  )
}

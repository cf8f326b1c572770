import '../parts.css'
import type { ReactNode } from 'react'

interface RowButtonProps {
  /** What it does to which row: 'Renew client7'. */
  label: string
  /** The same in a word, shown where a row unfolds and there is room for it. */
  word: string
  onClick: () => void
  /** Why it cannot be done now: the button says so instead of doing it, and can still be reached. */
  blocked?: string | undefined
  /** An icon of 16. */
  children: ReactNode
}

/** An action of one row, as an icon; a page of a table has a hundred of them, so it is the browser's own button. */
export function RowButton({ label, word, onClick, blocked, children }: RowButtonProps) {
  return (
    <button
      type="button"
      className="row-button"
      aria-label={label}
      aria-disabled={blocked !== undefined}
      data-hint={blocked ?? label}
      onClick={blocked === undefined ? onClick : undefined}
    >
      {children}
      <span>{word}</span>
    </button>
  )
}

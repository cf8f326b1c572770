import './parts.css'
import type { ReactNode } from 'react'

interface RowButtonProps {
  /** What it does to which row: 'Renew client7'. */
  label: string
  onClick: () => void
  disabled?: boolean | undefined
  /** An icon of 16. */
  children: ReactNode
}

/** An action of one row, as an icon; a page of a table has a hundred of them, so it is the browser's own button. */
export function RowButton({ label, onClick, disabled, children }: RowButtonProps) {
  return (
    <button
      type="button"
      className="row-button"
      aria-label={label}
      data-hint={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  )
}

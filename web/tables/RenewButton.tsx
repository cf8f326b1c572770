import { CalendarPlus } from 'lucide-react'
import { RowButton } from '../parts/table/RowButton.tsx'
import { areShortcutsOn } from '../preferences.ts'

interface RenewButtonProps {
  /** The login of the client. */
  name: string
  onClick: () => void
}

/** Renews the client of a row. The key R presses it, where single keys do something. */
export function RenewButton({ name, onClick }: RenewButtonProps) {
  return (
    <RowButton
      label={`Renew ${name}`}
      word="Renew"
      shortcut={areShortcutsOn() ? 'r' : undefined}
      onClick={onClick}
    >
      <CalendarPlus aria-hidden size={16} />
    </RowButton>
  )
}

import { CalendarPlus } from 'lucide-react'
import { RowButton } from '../parts/table/RowButton.tsx'

interface RenewButtonProps {
  /** The login of the client. */
  name: string
  /** Whether the key R presses it. */
  hasKey: boolean
  onClick: () => void
}

/** Renews the client of a row. */
export function RenewButton({ name, hasKey, onClick }: RenewButtonProps) {
  return (
    <RowButton label={`Renew ${name}`} word="Renew" shortcut={hasKey ? 'r' : undefined} onClick={onClick}>
      <CalendarPlus aria-hidden size={16} />
    </RowButton>
  )
}

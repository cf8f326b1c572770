import Button from '@mui/material/Button'

interface CancelProps {
  onClick: () => void
  disabled?: boolean | undefined
  /** True where cancelling is the safe answer, which has the focus at first. */
  autoFocus?: boolean | undefined
}

/** The button that closes a dialog and changes nothing. */
export function Cancel({ onClick, disabled = false, autoFocus = false }: CancelProps) {
  return (
    <Button autoFocus={autoFocus} variant="outlined" disabled={disabled} onClick={onClick}>
      Cancel
    </Button>
  )
}

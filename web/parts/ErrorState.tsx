import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

/** A load that failed: what was said, and the way to try again. */
export function ErrorState({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <Quiet role="alert">
      <CircleAlert aria-hidden size={28} strokeWidth={1.5} />
      <p>Error: {message}</p>
      <Button variant="outlined" onClick={onRetry}>
        Retry
      </Button>
    </Quiet>
  )
}

/** Nothing to show: the sentence, a quiet icon, and the next step if there is one. */
export function EmptyState({ icon, text, action }: { icon: ReactNode; text: string; action?: ReactNode }) {
  return (
    <Quiet>
      {icon}
      <p>{text}</p>
      {action}
    </Quiet>
  )
}

const Quiet = styled('div')(({ theme }) => ({
  display: 'grid',
  placeItems: 'center',
  alignContent: 'center',
  gap: 12,
  minHeight: 160,
  padding: 24,
  textAlign: 'center',
  overflowWrap: 'anywhere',
  color: theme.palette.text.secondary,
}))

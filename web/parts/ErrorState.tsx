import { styled } from '@mui/material/styles'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { PassingButton } from './PassingButton.tsx'

interface FaultProps {
  message: string
  /** Tries again. What it returns is awaited. */
  onRetry: () => unknown
}

/** Shown in place of data that could not be loaded, with a button to try again. */
export function ErrorState({ message, onRetry }: FaultProps) {
  const { tries, retry } = useTries(onRetry)
  return (
    <Centred role="alert">
      <CircleAlert aria-hidden size={28} strokeWidth={1.5} />
      <p key={tries}>Error: {message}</p>
      <PassingButton variant="outlined" onClick={retry}>
        Retry
      </PassingButton>
    </Centred>
  )
}

/** Warns above data that is still shown but could not be loaded again. */
export function Outdated({ message, onRetry }: FaultProps) {
  const { tries, retry } = useTries(onRetry)
  return (
    <Strip role="alert">
      <CircleAlert aria-hidden size={16} />
      {/* That of an unknown error has no full stop. */}
      <span key={tries}>Error: {message.replace(/\w$/, '$&.')} This is what was there before.</span>
      <PassingButton size="small" onClick={retry}>
        Retry
      </PassingButton>
    </Strip>
  )
}

/** Warns above data that is still shown of something that is gone, with the way to what is there. */
export function LastSeen({ message, action }: { message: string; action: ReactNode }) {
  return (
    <Strip role="alert">
      <CircleAlert aria-hidden size={16} />
      <span>{message} This is what was there before.</span>
      {action}
    </Strip>
  )
}

/** Says in the place of a text why it is not known, with a button to try again. What is around it announces it. */
export function Fault({ message, onRetry }: FaultProps) {
  const { tries, retry } = useTries(onRetry)
  return (
    <Sentence>
      <span key={tries}>{message}</span>
      <PassingButton size="small" onClick={retry}>
        Retry
      </PassingButton>
    </Sentence>
  )
}

/**
 * Counts the tries that failed too. A screen reader tells of a sentence that is new, not of one that stays the same.
 */
function useTries(onRetry: () => unknown) {
  const [tries, setTries] = useState(0)
  const retry = async () => {
    await onRetry()
    setTries((tries) => tries + 1)
  }
  return { tries, retry }
}

/** Shown in place of an empty list, with a button for the next step if there is one. */
export function EmptyState({ icon, text, action }: { icon: ReactNode; text: string; action?: ReactNode }) {
  return (
    <Centred>
      {icon}
      <p>{text}</p>
      {action}
    </Centred>
  )
}

const Centred = styled('div')(({ theme }) => ({
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

/** The button stands beside the sentence, never in a line of it: as high as a finger, it would tear that from the next. */
const besideButton = {
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  overflowWrap: 'anywhere',
  '& svg, & button': { flex: 'none' },
} as const

const Sentence = styled('span')(besideButton)

const Strip = styled('p')(({ theme }) => ({
  ...besideButton,
  padding: '4px 24px',
  color: theme.palette.tones.bad.text,
  background: theme.palette.tones.bad.fill,
  [theme.breakpoints.down('sm')]: { padding: '12px 16px' },
}))

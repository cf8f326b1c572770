import LinearProgress from '@mui/material/LinearProgress'
import { styled } from '@mui/material/styles'
import { FORCED_COLOURS } from '../forcedColours.ts'

interface WorkProps {
  /** How long it takes on a phone. */
  seconds: number
  /** The progress, from 0 to 1. */
  done: number
}

/** Explains why the device has to solve a longer challenge, for about how long, and shows the progress. */
export function Work({ seconds, done }: WorkProps) {
  return (
    <Frame>
      <p role="status">
        There were many wrong logins for this username, perhaps by somebody else. So this device has to work
        for {aboutSeconds(seconds)} first; then it signs you in by itself.
      </p>
      <LinearProgress variant="determinate" value={Math.round(done * 100)} aria-label="Work done" />
    </Frame>
  )
}

function aboutSeconds(seconds: number): string {
  return seconds < 60 ? `about ${seconds} seconds` : 'about a minute'
}

const Frame = styled('div')(({ theme }) => ({
  display: 'grid',
  gap: 12,
  paddingBlock: 8,
  '& p': { color: theme.palette.text.secondary },
  // It only changes, so it does not move.
  '& .MuiLinearProgress-bar': { transition: 'none' },
  [FORCED_COLOURS]: {
    '& .MuiLinearProgress-root': { outline: '1px solid' },
    '& .MuiLinearProgress-bar': { background: 'Highlight' },
  },
}))

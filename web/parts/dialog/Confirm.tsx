import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { NOT_TWICE } from '../notTwice.ts'
import { Working } from '../Spinner.tsx'
import { Dialog } from './Dialog.tsx'

interface ConfirmProps {
  open: boolean
  title: string
  /** The body: it names the thing, the number and the consequence. */
  children: ReactNode
  /** The label of the confirming button; 'Yes' by default. */
  yes?: string | undefined
  /** The label of the other button; 'Cancel' by default. */
  no?: string | undefined
  onYes: () => void
  onNo: () => void
  loading?: boolean
  blocked?: boolean
  /** True where the answer was lost: nobody knows whether it was done, which is still said once the notice is gone. */
  unanswered?: boolean
}

/**
 * Asks for confirmation before money is spent or something is lost. The safe button has the focus, and Escape presses
 * it.
 */
export function Confirm({
  open,
  title,
  children,
  yes = 'Yes',
  no = 'Cancel',
  onYes,
  onNo,
  loading = false,
  blocked = false,
  unanswered = false,
}: ConfirmProps) {
  return (
    <Dialog
      question
      open={open}
      title={title}
      onClose={onNo}
      busy={loading}
      actions={
        <>
          <Button autoFocus variant="outlined" disabled={loading} onClick={onNo}>
            {no}
          </Button>
          <Danger variant="contained" disabled={loading || blocked} onClick={onYes}>
            <Working loading={loading}>{yes}</Working>
          </Danger>
        </>
      }
    >
      {children}
      {unanswered && <p role="status">{NOT_TWICE}</p>}
    </Dialog>
  )
}

const Danger = styled(Button)(({ theme }) => ({
  color: theme.palette.background.paper,
  background: theme.palette.tones.bad.text,
  // The filter changes the label too. It moves the background away from the label's colour, to keep the contrast.
  '&:hover': {
    background: theme.palette.tones.bad.text,
    filter: theme.palette.mode === 'dark' ? 'brightness(1.08)' : 'brightness(0.92)',
  },
}))

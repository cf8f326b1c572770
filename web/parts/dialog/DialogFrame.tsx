import MuiDialog from '@mui/material/Dialog'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { X } from 'lucide-react'
import { type ReactNode, useId, useRef } from 'react'
import { useEscapeWithoutFocus, useTitleAfterwards } from '../focus.ts'
import { useBackToClose } from './useBackToClose.ts'

export interface DialogProps {
  open: boolean
  title: string
  onClose: () => void
  /** True while a call runs: the dialog cannot be closed. */
  busy?: boolean | undefined
  /** A question cannot be dismissed by a click outside of it, and neither can a dialog with a form. */
  question?: boolean | undefined
  /** True where a click outside would lose what was done in the dialog. */
  touched?: boolean | undefined
  children: ReactNode
  /** The buttons at the bottom; a form inside has its own. */
  actions?: ReactNode
}

export function DialogFrame(props: DialogProps) {
  const { open, title, onClose, busy, question, touched, children, actions } = props
  const id = useId()
  const content = useRef<HTMLDivElement>(null)
  const leave = () => {
    if (!busy) onClose()
  }
  useBackToClose(open, leave)
  const close = (_event: object, reason: 'backdropClick' | 'escapeKeyDown') => {
    const stays = question || touched || content.current?.querySelector('form')
    if (!(stays && reason === 'backdropClick')) leave()
  }
  return (
    <MuiDialog
      open={open}
      onClose={close}
      role={question ? 'alertdialog' : 'dialog'}
      aria-labelledby={id}
      aria-describedby={question ? `${id}-body` : undefined}
      // The banner of a lost connection covers none of its buttons.
      sx={{ paddingBottom: 'var(--offline-bar, 0px)' }}
      // What still shows while it fades out takes no more clicks: one of them would do the same again.
      slotProps={{ paper: { inert: !open, sx: { width: 480, maxWidth: 'calc(100% - 32px)' } } }}
    >
      <Head>
        <h2 id={id}>{title}</h2>
        {!question && (
          <IconButton aria-label="Close" disabled={busy === true} onClick={onClose}>
            <X size={18} />
          </IconButton>
        )}
      </Head>
      <Content ref={content} id={`${id}-body`}>
        {children}
      </Content>
      <LostFocus dialog={id} onEscape={leave} />
      {actions && <Foot>{actions}</Foot>}
    </MuiDialog>
  )
}

/** Handles Escape while the dialog has lost the focus, and returns the focus to the title afterwards. */
function LostFocus({ dialog, onEscape }: { dialog: string; onEscape: () => void }) {
  useEscapeWithoutFocus(dialog, onEscape)
  useTitleAfterwards()
  return null
}

const Head = styled('div')({
  display: 'flex',
  justifyContent: 'space-between',
  alignItems: 'center',
  gap: 8,
  minHeight: 56,
  padding: '8px 12px 0 24px',
  '& h2': { overflowWrap: 'anywhere' },
  // Without the button to close it, as far from the edge as the content.
  '& h2:only-child': { marginRight: 12 },
})

const Content = styled('div')({ overflowY: 'auto', padding: '8px 24px 24px', overflowWrap: 'anywhere' })

const Foot = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'flex-end',
  gap: 8,
  padding: '0 24px 24px',
})

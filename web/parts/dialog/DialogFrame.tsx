import MuiDialog from '@mui/material/Dialog'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'

export interface DialogProps {
  open: boolean
  title: string
  onClose: () => void
  /** A call runs, so the dialog stays until it has ended. */
  busy?: boolean | undefined
  /** In CSS pixels; 480 if unsaid. */
  width?: number | undefined
  /** Asks a question that cannot be waved away by a click beside it. */
  question?: boolean | undefined
  children: ReactNode
  /** The buttons at its foot; a form inside brings its own. */
  actions?: ReactNode
}

/** The dialog itself, as MUI makes it. */
export function DialogFrame({
  open,
  title,
  onClose,
  busy,
  width = 480,
  question,
  children,
  actions,
}: DialogProps) {
  const id = useId()
  const close = (_event: object, reason: 'backdropClick' | 'escapeKeyDown') => {
    if (!busy && !(question && reason === 'backdropClick')) onClose()
  }
  return (
    <MuiDialog
      open={open}
      onClose={close}
      role={question ? 'alertdialog' : 'dialog'}
      aria-labelledby={id}
      aria-describedby={question ? `${id}-body` : undefined}
      slotProps={{ paper: { sx: { width, maxWidth: 'calc(100% - 32px)' } } }}
    >
      <Head>
        <h2 id={id}>{title}</h2>
        {!question && (
          <IconButton aria-label="Close" disabled={busy === true} onClick={onClose}>
            <X size={18} />
          </IconButton>
        )}
      </Head>
      <Content id={`${id}-body`}>{children}</Content>
      {actions && <Foot>{actions}</Foot>}
    </MuiDialog>
  )
}

const Head = styled('div')({
  display: 'flex',
  justifyContent: 'space-between',
  alignItems: 'center',
  gap: 8,
  minHeight: 56,
  padding: '8px 12px 0 24px',
  '& h2': { fontSize: '0.875rem', fontWeight: 600, overflowWrap: 'anywhere' },
})

const Content = styled('div')({ overflowY: 'auto', padding: '8px 24px 24px', overflowWrap: 'anywhere' })

const Foot = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'flex-end',
  gap: 8,
  padding: '0 24px 24px',
})

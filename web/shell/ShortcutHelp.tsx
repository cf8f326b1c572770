import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { levelBeneath } from '../levels.ts'
import { DialogFrame } from '../parts/dialog/DialogFrame.tsx'
import { useSession } from '../session.tsx'
import { ShortcutSwitch } from './ShortcutSwitch.tsx'

interface ShortcutHelpProps {
  open: boolean
  onClose: () => void
}

/** Lists the keys that act from anywhere, and switches them off. */
export function ShortcutHelp({ open, onClose }: ShortcutHelpProps) {
  const { role } = useSession()
  const level = levelBeneath(role)
  const keys = [
    {
      keys: ['/', 'Ctrl K', '⌘ K'],
      does: role === 'dealer' ? 'Find clients, screens and actions' : 'Find screens and actions',
    },
    { keys: ['n'], does: level ? `Add ${level.title}` : 'New Client' },
    { keys: ['j', '↓'], does: 'Next row' },
    { keys: ['k', '↑'], does: 'Previous row' },
    ...(role === 'dealer'
      ? [
          { keys: ['x'], does: 'Select the row' },
          { keys: ['r'], does: 'Renew the client of the row or page' },
        ]
      : []),
    { keys: ['?'], does: 'This help' },
  ]
  return (
    <DialogFrame
      open={open}
      title="Keyboard shortcuts"
      onClose={onClose}
      actions={
        <Button autoFocus variant="contained" onClick={onClose}>
          Close
        </Button>
      }
    >
      <Keys>
        {keys.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </Keys>
      <ShortcutSwitch />
    </DialogFrame>
  )
}

const Keys = styled('dl')(({ theme }) => ({
  marginBottom: 16,
  '& > div': { display: 'flex', alignItems: 'center', gap: 16, minHeight: 36 },
  '& dt': { display: 'flex', flex: '0 0 136px', gap: 4 },
  '& kbd': {
    padding: '1px 8px',
    borderRadius: 4,
    border: `1px solid ${theme.palette.edge}`,
    fontFamily: 'inherit',
    fontWeight: 600,
    whiteSpace: 'nowrap',
  },
}))

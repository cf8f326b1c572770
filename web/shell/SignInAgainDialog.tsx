import Button from '@mui/material/Button'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { replaceSession, useSession } from '../session.tsx'
import { SignInForm } from './SignInForm.tsx'

interface SignInAgainDialogProps {
  open: boolean
  /** How long the session lasts: '5 minutes'. */
  left: string
  onClose: () => void
}

/** The form that signs in again, in a dialog over the page. */
export function SignInAgainDialog({ open, left, onClose }: SignInAgainDialogProps) {
  const { name } = useSession()
  return (
    <Dialog open={open} title={`Your session ends in ${left}`} onClose={onClose}>
      <SignInForm
        username={name}
        label="Sign in again"
        autoFocus
        onDone={replaceSession}
        aside={<Button onClick={onClose}>Later</Button>}
      >
        <p>
          Sign in again as <b>{name}</b> to go on. What you have typed stays.
        </p>
        {/* Tells the password manager which account the password belongs to. */}
        <input hidden readOnly autoComplete="username" value={name} />
      </SignInForm>
    </Dialog>
  )
}

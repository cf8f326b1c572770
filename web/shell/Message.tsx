import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { useCall } from '../queries.ts'
import { useSession } from '../session.tsx'

/** Shows the broadcast message once after each login. */
export function Message() {
  const { role, justSignedIn, token } = useSession()
  const [read, setRead] = useState('')
  const { data } = useCall(calls.desk[role].message, {}, { enabled: justSignedIn })
  const message = data?.message ?? ''
  return (
    <Dialog
      open={justSignedIn && message !== '' && read !== token}
      title="Message"
      onClose={() => setRead(token)}
      actions={
        <Button autoFocus variant="contained" onClick={() => setRead(token)}>
          Close
        </Button>
      }
    >
      <Words>{message}</Words>
    </Dialog>
  )
}

const Words = styled('p')({ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' })

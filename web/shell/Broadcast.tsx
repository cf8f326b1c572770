import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { send } from '../calls/api.ts'
import { keyOf } from '../calls/cache.ts'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { useSession } from '../session.tsx'

/** Shows the broadcast message once after each login. */
export function Broadcast() {
  const { role, justSignedIn, token } = useSession()
  const [read, setRead] = useState('')
  const call = calls.desk[role].message
  const { data } = useQuery({
    queryKey: keyOf(call, token),
    queryFn: ({ signal }) => send(call, {}, { signal }),
    // The first answer counts: a message that is set while people work must not interrupt them.
    enabled: ({ state }) => justSignedIn && state.data === undefined,
  })
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
      <Body>{message}</Body>
    </Dialog>
  )
}

/**
 * Returns a function that counts what there is as read: who sets a message has seen the one before, and is not shown
 * their own, though the first answer may still be awaited.
 */
export function useTakeAsRead(): () => Promise<void> {
  const { role, token } = useSession()
  const cache = useQueryClient()
  const queryKey = keyOf(calls.desk[role].message, token)
  return async () => {
    await cache.cancelQueries({ queryKey })
    cache.setQueryData(queryKey, { message: '' })
  }
}

const Body = styled('p')({ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' })

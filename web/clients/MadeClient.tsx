import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useLayoutEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { Card, CardFoot } from '../parts/Card.tsx'
import { whenUndisturbed } from '../parts/focus.ts'
import { FOR_READERS } from '../parts/forReaders.ts'
import { useHasLeft } from '../parts/useHasLeft.ts'
import { to } from '../screens.ts'
import { CredentialSheet } from './CredentialSheet.tsx'
import type { Credentials } from './credentials.ts'

interface MadeClientProps {
  client: Credentials
  /** Begins the form of another client. */
  onAnother: () => void
}

/** The credentials of a client that was just made. Unless the person does something here, the list opens soon. */
export function MadeClient({ client, onAnother }: MadeClientProps) {
  const { left, stay } = useLeaving()
  const point = ({ movementX, movementY }: React.PointerEvent) => {
    // A card that appears under a pointer at rest is not pointed at.
    if (movementX !== 0 || movementY !== 0) stay()
  }
  return (
    <div onPointerMove={point} onPointerDown={stay}>
      <Card form title={`Credentials of ${client.login}`}>
        <CredentialSheet client={client} onAnother={onAnother} />
        <Foot>
          <Button component={Link} to={to.clients()}>
            Show all clients
          </Button>
          {left !== null && (
            <span>
              <span role="status">
                The clients open in <span aria-hidden>{left}</span>
                <span className="for-readers">{SECONDS}</span> s.
              </span>{' '}
              <Button onClick={stay}>Stay</Button>
            </span>
          )}
        </Foot>
      </Card>
    </div>
  )
}

/** The time that the specification sets, in seconds. */
const SECONDS = 3

/** Opens the list of clients after SECONDS. `stay` stops that, as does any key; `left` is null then. */
function useLeaving() {
  const navigate = useNavigate()
  const hasLeft = useHasLeft()
  const [left, setLeft] = useState<number | null>(SECONDS)
  const isLeaving = left !== null
  // As soon as the card can be seen, so that no key comes too early.
  useLayoutEffect(() => {
    if (!isLeaving) return
    const stop = () => setLeft(null)
    let stopWaiting = () => {}
    const open = () => hasLeft() || navigate(to.clients())
    const timers = [
      setTimeout(() => {
        stopWaiting = whenUndisturbed(open)
      }, SECONDS * 1000),
      setInterval(() => setLeft((seconds) => seconds && Math.max(1, seconds - 1)), 1000),
    ]
    window.addEventListener('keydown', stop)
    return () => {
      stopWaiting()
      timers.forEach(clearTimeout)
      window.removeEventListener('keydown', stop)
    }
  }, [isLeaving, navigate, hasLeft])
  return { left, stay: () => setLeft(null) }
}

const Foot = styled(CardFoot)({
  fontVariantNumeric: 'tabular-nums',
  '& .for-readers': FOR_READERS,
})

import Button from '@mui/material/Button'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { LEVELS } from '../../contract/levels.ts'
import { useCall } from '../calls/useCall.ts'
import { manages } from '../levels.ts'
import { Card, CardButtons } from '../parts/Card.tsx'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { PassingButton } from '../parts/PassingButton.tsx'
import { useSession } from '../session.tsx'
import { holdsClients, whyHeld } from './held.ts'

/** Lets those above an account move it to another parent, and its parent close it. */
export function MoveOrClose({ name }: { name: string }) {
  const { role } = useSession()
  const loaded = useCall(calls.tree.account, { name })
  const account = loaded.data
  const [asking, setAsking] = useState<'move' | 'clients' | 'close' | null>(null)
  const ask = (what: 'move' | 'clients' | 'close') => {
    // The question shows what the account has at this moment.
    loaded.refetch()
    setAsking(what)
  }
  const onClose = () => setAsking(null)
  const owner = account && LEVELS[account.role].owner
  // Whoever is above both ends moves an account: not its parent, who is one of them.
  const isAboveParent = owner !== 'admin' && owner !== role
  const mayClose = account && manages(role, account)
  return (
    <Card title="Place in the tree">
      <Loaded of={loaded}>
        <p>{account && `${account.name} is beneath ${account.parent}. ${whyHeld(account)}`}</p>
      </Loaded>
      <CardButtons>
        {account && isAboveParent && !account.held_above && (
          <Button variant="outlined" onClick={() => ask('move')}>
            Move
          </Button>
        )}
        {account?.role === 'dealer' && account.beneath.clients > 0 && !holdsClients(account) && (
          <PassingButton variant="outlined" onClick={() => ask('clients')}>
            Move clients
          </PassingButton>
        )}
        {mayClose && (
          <Button variant="outlined" onClick={() => ask('close')}>
            Close
          </Button>
        )}
      </CardButtons>
      <Later part={moving} given={{ open: asking === 'move', account, onClose }} />
      <Later
        part={movingClients}
        given={{ open: asking === 'clients', account, loadedAt: loaded.dataUpdatedAt, onClose }}
      />
      <Later
        part={closing}
        given={{ open: asking === 'close', account, onClose, onMoveClients: () => setAsking('clients') }}
      />
    </Card>
  )
}

const moving = chunk(async () => (await import('./MoveAccountDialog.tsx')).MoveAccountDialog)
const movingClients = chunk(async () => (await import('./MoveClients.tsx')).MoveClients)
const closing = chunk(async () => (await import('./CloseAccountDialog.tsx')).CloseAccountDialog)

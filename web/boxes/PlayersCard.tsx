import Button from '@mui/material/Button'
import { useState } from 'react'
import type * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { Players } from '../../contract/channels.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { Card, CardButtons } from '../parts/Card.tsx'
import { differing } from '../parts/differing.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'

/**
 * The players that boxes are told to use: the word before a channel's address. `players` is undefined while they load.
 */
export function PlayersCard({ players }: { players: z.output<typeof Players> | undefined }) {
  const [changing, setChanging] = useState(false)
  const isOld = useIsOld(calls.channels.all)
  const close = () => setChanging(false)
  const save = useSubmit(calls.channels.savePlayers, { onDone: close, changes: [calls.channels.all] })
  /** Sends what was changed alone, so that what another admin changed meanwhile stays. */
  const submit = (typed: z.output<typeof Players>) => {
    const changed = differing(typed, players ?? {})
    if (Object.keys(changed).length > 0) save.submit(changed)
    else close()
  }
  return (
    <Card title="Players" form>
      <p>
        Boxes play each channel with '{players?.player ?? '…'}', or with '{players?.alt_player ?? '…'}' where
        Alt Player is on.
      </p>
      <CardButtons>
        <Button variant="outlined" disabled={!players} onClick={() => setChanging(true)}>
          Change players
        </Button>
      </CardButtons>
      {players && (
        <FormDialog
          open={changing}
          title="Change players"
          onClose={close}
          schema={Players}
          values={players}
          autoFocus
          label="Save"
          // What differs from older words would not be what the person has changed.
          blocked={isOld && !save.unanswered}
          onSubmit={submit}
          sending={save}
        >
          <TextInput name="player" label="Player" help="Such as ffmpeg, ffrt or auto" identifier />
          <TextInput name="alt_player" label="Alt Player" identifier />
        </FormDialog>
      )}
    </Card>
  )
}

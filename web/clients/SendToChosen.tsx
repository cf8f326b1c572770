import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { BoxMessage } from '../../contract/clients.ts'
import { counted } from '../../contract/quantities.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import type { BoxEvent } from './chosenAct.ts'
import { ActContent, type ActProps, useAct } from './useAct.tsx'

/** Sends something to the boxes of clients, who get it at their next poll. */
export function SendToChosen(props: ActProps<BoxEvent>) {
  const { act, open, onClose } = props
  const does = useAct(calls.clients.tell, props)
  const { data, acted, names, sending, blocked } = does
  const { title, labelOf, effect } = TEXTS[act]
  return (
    <FormDialog
      open={open}
      title={title}
      onClose={onClose}
      schema={act === 'message' ? WithMessage : Without}
      values={FIRST}
      label={data ? labelOf(counted(acted.length, 'client')) : title}
      onSubmit={({ message }) => sending.submit({ clients: names, event: act, message })}
      autoFocus={act === 'message'}
      sending={sending}
      blocked={blocked}
    >
      {act === 'message' && <TextInput name="message" label="Message" />}
      <ActContent {...props} does={does} doing="Sending to">
        <p>{acted.length === 0 ? 'The boxes of expired clients get nothing.' : effect}</p>
      </ActContent>
    </FormDialog>
  )
}

const FIRST = { message: '' }
const WithMessage = z.object({ message: BoxMessage })
const Without = z.object({ message: z.literal('') })

/** The title, the button that does it, and what it does. */
const TEXTS = {
  message: {
    title: 'Send a message',
    labelOf: (some: string) => `Send to ${some}`,
    effect:
      'A box that is on shows it over the picture within two minutes; one that is off, when it is switched on within 7 days. Kodi and apps like it show no messages.',
  },
  reboot: {
    title: 'Reboot the box',
    labelOf: (some: string) => `Reboot the box of ${some}`,
    effect: 'The box reboots once it asks, if it does so within 4 minutes. One that is off is left alone.',
  },
  reload: {
    title: 'Reload the portal',
    labelOf: (some: string) => `Reload the portal of ${some}`,
    effect:
      'The box loads its portal anew once it asks, if it does so within 4 minutes. One that is off is left alone.',
  },
} as const satisfies Record<BoxEvent, object>

import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { BoxMessage } from '../../contract/clients.ts'
import { Cancel } from '../parts/dialog/Cancel.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { Form } from '../parts/form/Form.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { UnderWay } from '../parts/Progress.tsx'
import { useSubmit } from '../queries.ts'
import { inClients } from '../words.ts'
import { Content, LeftOut, type OneAct, useAgreement, useEnd } from './ChosenParts.tsx'
import { type BoxEvent, sortFor } from './chosenAct.ts'

/** Sends something to the boxes of clients, who get it at their next poll. */
export function SendToChosen({ open, act, data, fault, again, onClose, onDone }: OneAct & { act: BoxEvent }) {
  const { acted, leftOut } = sortFor(act, data ?? [])
  const [agreed, setAgreed] = useAgreement(open)
  const names = acted.map(({ name }) => name)
  const { submit, loading, submitError, reset } = useSubmit(calls.clients.tell, { onDone: () => end(names) })
  const { end, close } = useEnd({ submitError, reset, again, onClose, onDone })
  const { title, whole, does } = WORDS[act]
  return (
    <Dialog open={open} title={title} onClose={close} busy={loading}>
      <Form
        schema={act === 'message' ? WithMessage : Without}
        values={FIRST}
        submit={data ? whole(inClients(acted.length)) : title}
        onSubmit={({ message }) => submit({ clients: names, event: act, message })}
        autoFocus
        loading={loading}
        submitError={submitError}
        blocked={!data || acted.length === 0 || (leftOut.length > 0 && !agreed)}
        aside={<Cancel autoFocus={act !== 'message'} disabled={loading} onClick={close} />}
      >
        {act === 'message' && <TextInput name="message" label="Message" />}
        <Content data={data} fault={fault} again={again}>
          <p>
            {acted.length === 0 ? 'The boxes of expired clients are not served, and hear of nothing.' : does}
          </p>
          {acted.length > 0 && (
            <LeftOut some={leftOut} why="expired" agreed={agreed} onAgree={setAgreed} busy={loading} />
          )}
          <UnderWay loading={loading} what={`Telling the boxes of ${inClients(acted.length)}`} />
        </Content>
      </Form>
    </Dialog>
  )
}

const FIRST = { message: '' }
const WithMessage = z.object({ message: BoxMessage })
const Without = z.object({ message: z.literal('') })

/** The title, the button that does it, and what it does. */
const WORDS = {
  message: {
    title: 'Send a message',
    whole: (some: string) => `Send to ${some}`,
    does: 'It is shown over the picture once the box asks, every two minutes while it is on, within 7 days. Kodi and apps like it show no messages.',
  },
  reboot: {
    title: 'Reboot the box',
    whole: (some: string) => `Reboot the box of ${some}`,
    does: 'The box reboots once it asks, if it does so within 4 minutes. One that is off is left alone.',
  },
  reload: {
    title: 'Reload the portal',
    whole: (some: string) => `Reload on the box of ${some}`,
    does: 'The box loads its portal anew once it asks, if it does so within 4 minutes. One that is off is left alone.',
  },
} as const satisfies Record<BoxEvent, object>

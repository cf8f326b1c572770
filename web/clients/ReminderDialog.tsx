import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Copy } from 'lucide-react'
import { useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { ReminderText } from '../../contract/due.ts'
import type { DueClient } from '../../contract/shapes.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { useNow } from '../clock.ts'
import { At } from '../moments.tsx'
import { Buttons } from '../parts/Buttons.tsx'
import { CardFoot } from '../parts/Card.tsx'
import { Cancel } from '../parts/dialog/Cancel.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { Form } from '../parts/form/Form.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { useKnowsPreferences, usePreferences } from '../preferences.ts'
import { useSavePreferences } from '../remembered.tsx'
import { useSession } from '../session.tsx'
import { useCopy } from '../useCopy.ts'
import { zone } from '../zone.ts'
import { remindingText, usualReminder } from './reminder.ts'
import { SendTo } from './SendTo.tsx'

interface ReminderDialogProps {
  /** Null while the dialog is closed. */
  client: DueClient | null
  onClose: () => void
}

/** The text that reminds a client of its expiry. The dealer sends it; Boxtree notes that it was opened or copied. */
export function ReminderDialog({ client, onClose }: ReminderDialogProps) {
  const shown = useLastValue(client)
  const [editing, setEditing] = useState(false)
  const [noted, setNoted] = useState<JustNoted | null>(null)
  const isOld = useIsOld(calls.clients.dueClients)
  const knowsText = useKnowsPreferences()
  if (!shown) return null
  // Its row was loaded again, and knows it, or what somebody else has noted since.
  if (noted && !isOld) setNoted(null)
  const close = () => {
    setEditing(false)
    onClose()
  }
  return (
    <Dialog open={client !== null} title={`Remind ${shown.name}`} onClose={close}>
      {!knowsText ? (
        <div aria-busy="true">
          <Skeleton height={180} />
        </div>
      ) : editing ? (
        <EditText client={shown} onDone={() => setEditing(false)} />
      ) : (
        <Reminder
          client={shown}
          noted={noted?.name === shown.name ? noted : { reminded: shown.reminded, by: shown.reminded_by }}
          onNoted={setNoted}
          onEdit={() => setEditing(true)}
        />
      )}
    </Dialog>
  )
}

/** When a client was reminded, and by whom. */
type Noted = { reminded: string | null; by: string | null }

/** What was noted of a client here, which counts until its row is loaded again. */
type JustNoted = Noted & { name: string }

interface ReminderProps {
  client: DueClient
  noted: Noted
  onNoted: (noted: JustNoted) => void
  onEdit: () => void
}

function Reminder({ client, noted, onNoted, onEdit }: ReminderProps) {
  const { reminder } = usePreferences()
  const copy = useCopy()
  const text = remindingText(reminder, client, zone(), useNow())
  const { name: self } = useSession()
  const note = useSubmit(calls.clients.remind, {
    changes: [calls.clients.dueClients],
    onDone: ({ reminded }, { name }) => onNoted({ name, reminded, by: self }),
  })
  const isDone = () => note.submit({ name: client.name, reminded: true })
  return (
    <>
      <Letter>{text}</Letter>
      <Buttons>
        <SendTo client={{ ...client, login: client.name }} text={text} bySms onOpen={isDone} />
        <Button
          autoFocus
          variant="contained"
          startIcon={<Copy size={18} />}
          onClick={async () => (await copy(text)) && isDone()}
        >
          Copy
        </Button>
      </Buttons>
      <Foot aria-live="polite">
        {noted.reminded === null ? (
          <span>Not reminded yet</span>
        ) : (
          <>
            <span>
              Reminded on <At iso={noted.reminded} /> by {noted.by}
            </span>
            <Button
              size="small"
              disabled={note.loading}
              onClick={() => note.submit({ name: client.name, reminded: false })}
            >
              Undo
            </Button>
          </>
        )}
        <Button size="small" onClick={onEdit}>
          Change the text
        </Button>
      </Foot>
    </>
  )
}

/** The dealer's own text, for all clients. The usual one, left as it is, is not kept as the dealer's. */
function EditText({ client, onDone }: { client: DueClient; onDone: () => void }) {
  const { reminder } = usePreferences()
  const now = useNow()
  const [usual] = useState(() => usualReminder(client, now))
  const values = useMemo(() => ({ reminder: reminder || usual }), [reminder, usual])
  const save = useSavePreferences(onDone)
  return (
    <Form
      schema={OwnText}
      values={values}
      autoFocus
      label="Save the text"
      onSubmit={(typed) => save.submit({ reminder: typed.reminder === usual ? '' : typed.reminder })}
      sending={save}
      aside={<Cancel onClick={onDone} />}
    >
      <TextInput
        multiline
        name="reminder"
        label="Text"
        help="Fields: {name} {login} {expiry} {days} {package}. The name is the description, where there is one."
      />
    </Form>
  )
}

const OwnText = z.object({ reminder: ReminderText })

const Letter = styled('blockquote')(({ theme }) => ({
  margin: 0,
  padding: '12px 16px',
  borderRadius: 8,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  background: theme.palette.background.default,
}))

const Foot = styled(CardFoot)({ '& > span': { flex: '1 1 auto' } })

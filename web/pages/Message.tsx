import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { MessageText } from '../../contract/text.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { MESSAGE } from '../drafts.ts'
import { KeepDraft, useDraft } from '../KeepDraft.tsx'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { PassingButton } from '../parts/PassingButton.tsx'
import { Awaited, Stack } from '../parts/Stack.tsx'
import { Question } from '../Question.tsx'
import { to } from '../screens.ts'
import { useTakeAsRead } from '../shell/Broadcast.tsx'

/** Edits the message that everybody sees after signing in. */
export function Message() {
  const loaded = useCall(calls.desk.admin.message, {})
  const { data, error, isPending } = loaded
  const { values, emptied, noteSent, forget, keep } = useDraft(MESSAGE, calls.admin.setMessage, EMPTY)
  const update = useSubmit(calls.admin.setMessage, {
    onDone: forget,
    goTo: { path: to.home.admin(), after: 2_000 },
  })
  const takeAsRead = useTakeAsRead()
  const { error: say } = useNotice()
  useEffect(() => {
    if (error) say('Error fetching current message', error.message)
  }, [error, say])
  return (
    <>
      <PageHead title="Update Message" />
      <Card form>
        <Stack>
          <Present>
            <h2>Current Message:</h2>
            <Loaded of={loaded}>
              <Quote>
                {data?.message || (data && 'There is no message.')}
                {isPending && <Awaited height={14} />}
              </Quote>
            </Loaded>
            {data?.message && <Remove message={data.message} />}
          </Present>
          <Form
            schema={NewMessage}
            values={values}
            resetKey={emptied}
            autoFocus
            label="Update Message"
            onlyWhenValid
            blocked={({ message }) => message.trim() === ''}
            onSubmit={(typed) => {
              noteSent()
              takeAsRead()
              update.submit(typed)
            }}
            disabled={isPending}
            sending={update}
          >
            <KeepDraft {...keep} isSending={update.loading} />
            <TextInput name="message" label="New Message" multiline />
          </Form>
        </Stack>
      </Card>
    </>
  )
}

const EMPTY = { message: '' }

// While the field is empty its button is disabled, so that leaving it untyped is not called a mistake.
const NewMessage = z.object({ message: MessageText })

/** Removes the message for everybody, after a question. */
function Remove({ message }: { message: string }) {
  const [asked, setAsked] = useState<string | null>(null)
  return (
    <>
      <PassingButton variant="outlined" onClick={() => setAsked(message)}>
        Remove message
      </PassingButton>
      <Question
        about={asked}
        title="Remove message"
        yes="Remove message"
        no="No"
        call={calls.admin.removeMessage}
        input={(message) => ({ message })}
        onClose={() => setAsked(null)}
      >
        {(message) => (
          <>
            <Quote>{message}</Quote>
            Nobody will see this message any more after signing in. It cannot be brought back.
          </>
        )}
      </Question>
    </>
  )
}

const Present = styled('div')({
  maxWidth: 560,
})

const Quote = styled('blockquote')(({ theme }) => ({
  minHeight: 20,
  margin: '8px 0 12px',
  padding: '8px 16px',
  borderLeft: `3px solid ${theme.palette.accent.text}`,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  color: theme.palette.text.secondary,
}))

import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import { type FieldValues, useFormContext } from 'react-hook-form'
import { useBlocker } from 'react-router'
import { type Draft, keepDraft } from '../drafts.ts'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { useSession } from '../session.tsx'

interface KeepDraftProps<Values extends FieldValues> {
  /** Which form it is, among all of this account. */
  form: string
  /** What of the values was typed, without a password; null where nothing was. */
  draftFrom: (values: Values) => Draft | null
  /** What the form shows was kept from before. */
  isBack: boolean
  /** It is sent, or about to be. */
  sent: boolean
  /** Puts the form back to what it was before anything was typed. */
  onDiscard: () => void
}

/** Keeps what is typed into the form around it, and says so of what came back. */
export function KeepDraft<Values extends FieldValues>(props: KeepDraftProps<Values>) {
  const { form, draftFrom, isBack, sent, onDiscard } = props
  const { name } = useSession()
  const { subscribe } = useFormContext<Values>()
  const [isLost, setIsLost] = useState(false)
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        callback: ({ type, values }) => {
          if (type !== 'change') return
          const draft = draftFrom(values)
          setIsLost(!keepDraft(name, form, draft) && draft !== null)
        },
      }),
    [subscribe, draftFrom, name, form],
  )
  const discard = () => {
    keepDraft(name, form, null)
    onDiscard()
  }
  return (
    <>
      {isBack && !sent && (
        <Back role="status">
          <span>
            <strong>Your unsent entries</strong> A password is not kept.
          </span>
          <Button size="small" variant="outlined" onClick={discard}>
            Discard
          </Button>
        </Back>
      )}
      <AskBeforeLeaving when={isLost && !sent} />
    </>
  )
}

/** Where this browser keeps nothing, what was typed is lost with the page. */
function AskBeforeLeaving({ when }: { when: boolean }) {
  const { state, proceed, reset } = useBlocker(when)
  useEffect(() => {
    if (!when) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [when])
  return (
    <Confirm
      open={state === 'blocked'}
      title="Leave this page?"
      yes="Leave"
      no="Stay"
      onYes={() => proceed?.()}
      onNo={() => reset?.()}
      loading={false}
    >
      <p>This browser does not keep what you have typed: it would be lost.</p>
    </Confirm>
  )
}

const Back = styled('p')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 8,
  marginBottom: 8,
  padding: '8px 8px 8px 16px',
  borderRadius: 8,
  color: theme.palette.text.secondary,
  background: theme.palette.background.default,
  '& strong': { display: 'block', fontWeight: 600, color: theme.palette.text.primary },
}))

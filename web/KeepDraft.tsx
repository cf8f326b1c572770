import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { FieldValues } from 'react-hook-form'
import { useBlocker } from 'react-router'
import { type Draft, draftOf, dropSentDraft, keepDraft, onDraftSent } from './drafts.ts'
import { Confirm } from './parts/dialog/Confirm.tsx'
import { useTypedValues } from './parts/form/useTypedValues.ts'
import { useSession } from './session.tsx'

interface KeepDraftProps<Values extends FieldValues> {
  /** The name of the form, unique within the account. */
  form: string
  /** Returns the typed values without a password, or null where nothing was typed. */
  draftFrom: (values: Values) => Draft | null
  /** True when the form shows a restored draft. */
  isRestored: boolean
  /** True when nobody knows whether what the draft has was sent. */
  mayBeSent?: boolean
  /** True when the form is being submitted or has been. */
  sent: boolean
  /** Resets the form to its values before anything was typed. */
  onDiscard: () => void
  hasPassword?: boolean
}

/** Keeps the draft of the form that it is rendered in, and shows a notice when a draft was restored. */
export function KeepDraft<Values extends FieldValues>(props: KeepDraftProps<Values>) {
  const { form, draftFrom, isRestored, mayBeSent, sent, onDiscard, hasPassword = false } = props
  const { name } = useSession()
  const [isLost, setIsLost] = useState(false)
  useTypedValues<Values>(
    useCallback(
      (values) => {
        const draft = draftFrom(values)
        setIsLost(!keepDraft(name, form, draft) && draft !== null)
      },
      [draftFrom, name, form],
    ),
  )
  const [discarding, setDiscarding] = useState(false)
  const discard = () => {
    setDiscarding(false)
    keepDraft(name, form, null)
    onDiscard()
  }
  return (
    <>
      {isRestored && (
        // While it is sent its place stays, so that a refusal moves nothing.
        <Back role="status" style={{ visibility: sent ? 'hidden' : undefined }}>
          <span>
            <strong>{mayBeSent ? 'These entries may have been sent' : 'Your unsent entries'}</strong>{' '}
            {hasPassword && 'A password is not kept.'}
          </span>
          <Button size="small" variant="outlined" onClick={() => setDiscarding(true)}>
            Discard
          </Button>
        </Back>
      )}
      <Confirm
        open={discarding}
        title="Discard your entries?"
        yes="Discard"
        no="Keep"
        onYes={discard}
        onNo={() => setDiscarding(false)}
      >
        <p>What was typed into this form is lost.</p>
      </Confirm>
      <AskBeforeLeaving when={isLost && !sent} />
    </>
  )
}

/**
 * Restores the draft of a form, or begins with its empty values. `emptied` counts how often the form became empty.
 */
export function useDraft<Values extends object>(form: string, empty: Values) {
  const { name } = useSession()
  const [restored, setRestored] = useState(() => draftOf(name, form) as Values | null)
  const draftFrom = useCallback(
    (typed: Values) => (JSON.stringify(typed) === JSON.stringify(empty) ? null : typed),
    [empty],
  )
  const [emptied, setEmptied] = useState(0)
  const onDiscard = useCallback(() => {
    setRestored(null)
    setEmptied((times) => times + 1)
  }, [])
  const { noteSent, forget } = useForgetSent(form, onDiscard)
  return {
    values: restored ?? empty,
    emptied,
    noteSent,
    forget,
    keep: { form, draftFrom, isRestored: restored !== null, onDiscard },
  }
}

/**
 * Forgets the draft of a form that was sent. `noteSent` is called as it is sent, and `forget` once it is answered. Then every
 * form that shows it calls `onForgotten`, also one that was opened again meanwhile. What was changed since stays.
 */
export function useForgetSent(form: string, onForgotten: () => void) {
  const { name } = useSession()
  const sent = useRef<Draft | null>(null)
  useEffect(() => onDraftSent((sentForm) => sentForm === form && onForgotten()), [form, onForgotten])
  return {
    noteSent: () => {
      sent.current = draftOf(name, form)
    },
    forget: () => dropSentDraft(name, form, sent.current),
  }
}

/** If the browser stores nothing, leaving the page would lose the draft, so the person is asked first. */
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

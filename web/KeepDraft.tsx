import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { FieldValues } from 'react-hook-form'
import { useBlocker } from 'react-router'
import { type Call, holdsSecret, withoutSecrets } from '../contract/call.ts'
import { type Draft, draftOf, dropSentDraft, keepDraft, onDraftSent } from './drafts.ts'
import { Confirm } from './parts/dialog/Confirm.tsx'
import { differing } from './parts/differing.ts'
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
  /** True while the form is being sent, and until the next page opens. */
  isSending: boolean
  /** Resets the form to its values before anything was typed. */
  onDiscard: () => void
  hasPassword?: boolean
}

/** Keeps the draft of the form that it is rendered in, and shows a notice when a draft was restored. */
export function KeepDraft<Values extends FieldValues>(props: KeepDraftProps<Values>) {
  const { form, draftFrom, isRestored, mayBeSent, isSending, onDiscard, hasPassword = false } = props
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
        <Back role="status" style={{ visibility: isSending ? 'hidden' : undefined }}>
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
      <AskBeforeLeaving when={isLost && !isSending} />
    </>
  )
}

/**
 * Restores the draft of a form for what a call makes, or begins with its empty values. `emptied` counts how often the
 * form became empty. `noteSent` is called as it is sent, and `forget` once that is answered.
 */
export function useDraft<Values extends object>(form: string, call: Call, empty: Values) {
  const { name } = useSession()
  const [restored, setRestored] = useState(() => draftOf<Partial<Values>>(name, form))
  const values = useMemo(() => ({ ...empty, ...restored }), [empty, restored])
  const draftFrom = useCallback(
    (typed: Values) => {
      const changed = withoutSecrets(call, differing(typed, empty))
      return Object.keys(changed).length > 0 ? changed : null
    },
    [call, empty],
  )
  const [emptied, setEmptied] = useState(0)
  const onDiscard = useCallback(() => {
    setRestored(null)
    setEmptied((times) => times + 1)
  }, [])
  const sent = useRef<Draft | null>(null)
  // Every form that shows what was sent becomes empty, also one that was opened again meanwhile.
  useEffect(() => onDraftSent((sentForm) => sentForm === form && onDiscard()), [form, onDiscard])
  return {
    values,
    emptied,
    noteSent: () => {
      sent.current = draftOf(name, form)
    },
    forget: () => dropSentDraft(name, form, sent.current),
    keep: {
      ...{ form, draftFrom, isRestored: restored !== null, onDiscard },
      hasPassword: holdsSecret(call, empty),
    },
  }
}

/** If the browser stores nothing, leaving the page would lose the draft, so the person is asked first. */
function AskBeforeLeaving({ when }: { when: boolean }) {
  const { state, proceed, reset } = useBlocker(
    // What only sorts or pages a table changes the address, too.
    ({ currentLocation, nextLocation }) => when && currentLocation.pathname !== nextLocation.pathname,
  )
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

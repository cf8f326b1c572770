import type { ReactNode } from 'react'
import type { Call } from '../contract/call.ts'
import type { InputOf } from '../contract/calls.ts'
import type { CallNotices } from './calls/notices.ts'
import { useSubmit } from './calls/useSubmit.ts'
import { Confirm } from './parts/dialog/Confirm.tsx'
import { useLastValue } from './parts/dialog/useLastValue.ts'
import { useHeld } from './parts/useHeld.ts'

interface QuestionProps<C extends Call, About> {
  /** The thing that the question is about; null while the dialog is closed. */
  about: About | null
  title: string | ((about: About) => string)
  /** The labels of the two buttons; 'Yes' and 'Cancel' by default. */
  yes?: string
  no?: string
  call: C
  input: (about: About) => InputOf<C>
  /** The notices of this place, where they differ from those of the call. */
  notices?: CallNotices<NoInfer<C>>
  onClose: () => void
  onDone?: (about: About) => void
  /** Called where the thing has changed, for what is not loaded again by itself. */
  onOutdated?: (about: About) => void
  /** The body of the dialog: it names the thing, the number and the consequence. */
  children: (about: About) => ReactNode
}

/**
 * Asks before a call that loses something, makes the call on confirmation, and stays open if the server refuses it. It
 * closes where what it asks about has changed or is gone, because it would be refused again.
 */
export function Question<C extends Call, About>(props: QuestionProps<C, About>) {
  const { about, title, call, input, notices, onClose, onDone, onOutdated } = props
  const last = useLastValue(about)
  const { submit, loading, unanswered, reset } = useSubmit(call, {
    ...(notices && { notices }),
    onDone: () => {
      if (last !== null) onDone?.(last)
      onClose()
    },
    onOutdated: () => {
      if (last !== null) onOutdated?.(last)
      onClose()
    },
  })
  const shown = useHeld(last, loading || unanswered)
  const close = () => {
    reset()
    onClose()
  }
  if (shown === null) return null
  return (
    <Confirm
      open={about !== null}
      title={typeof title === 'string' ? title : title(shown)}
      yes={props.yes}
      no={props.no}
      onYes={() => submit(input(shown))}
      onNo={close}
      loading={loading}
      unanswered={unanswered}
    >
      {props.children(shown)}
    </Confirm>
  )
}

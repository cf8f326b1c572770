import type { ReactNode } from 'react'
import type { Call } from '../contract/call.ts'
import type { InputOf } from '../contract/calls.ts'
import type { Words } from './notices.ts'
import { Confirm } from './parts/dialog/Confirm.tsx'
import { useHeld } from './parts/dialog/useHeld.ts'
import { useSubmit } from './queries.ts'

interface QuestionProps<C extends Call, About> {
  /** What it is asked of; null while the question is closed. */
  about: About | null
  title: string | ((about: About) => string)
  /** What yes and no say; 'Yes' and 'No' if unsaid. */
  yes?: string
  no?: string
  /** What yes does. */
  call: C
  input: (about: About) => InputOf<C>
  /** What is told of it, where it is not what is told of the call everywhere else. */
  words?: Words<NoInfer<C>>
  onClose: () => void
  onDone?: (about: About) => void
  /** Names the thing, the number and the consequence. */
  children: (about: About) => ReactNode
}

/** Asks before a call that loses something, makes it at yes, and stays open where it is refused. */
export function Question<C extends Call, About>(props: QuestionProps<C, About>) {
  const { about, title, call, input, words, onClose, onDone } = props
  const held = useHeld(about)
  const { submit, loading } = useSubmit(call, {
    ...(words && { words }),
    onDone: () => {
      if (held !== null) onDone?.(held)
      onClose()
    },
  })
  if (held === null) return null
  return (
    <Confirm
      open={about !== null}
      title={typeof title === 'string' ? title : title(held)}
      yes={props.yes}
      no={props.no}
      onYes={() => submit(input(held))}
      onNo={onClose}
      loading={loading}
    >
      {props.children(held)}
    </Confirm>
  )
}

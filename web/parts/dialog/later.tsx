import { type ComponentType, type ReactNode, useCallback, useEffect, useState } from 'react'
import { type Chunk, useBeforeUse, useFetch, useValue } from '../chunk.ts'
import { useNotice } from '../notices/Notices.tsx'

interface Opens {
  open?: boolean | undefined
  onClose?: ((event: object, reason: 'escapeKeyDown') => void) | undefined
}

/**
 * Renders a dialog or drawer whose code is a chunk of its own. The chunk is loaded when the person turns to any
 * control, or at the latest when it opens. Until then nothing is rendered. One that cannot be loaded closes with a
 * notice: the page beneath keeps what was selected and typed, and the next opening tries again.
 */
export function Later<Props extends Opens>({
  part,
  given,
}: {
  part: Chunk<ComponentType<Props>>
  given: NoInfer<Props>
}): ReactNode {
  const { open = false, onClose } = given
  const [wanted, setWanted] = useState(false)
  const notice = useNotice()
  const Component = useValue(part)
  const giveUp = useCallback(() => {
    onClose?.({}, 'escapeKeyDown')
    notice.error('This could not be loaded. Please try again, or reload the page.')
  }, [onClose, notice])
  useBeforeUse(part.load)
  useFetch(part, open, giveUp)
  if (open && !wanted) setWanted(true)
  return wanted && Component && <Entering Component={Component} given={given} />
}

/** Renders it closed first, so that its first opening is animated as well. */
function Entering<Props extends Opens>({
  Component,
  given,
}: {
  Component: ComponentType<Props>
  given: Props
}) {
  const [there, setThere] = useState(false)
  useEffect(() => setThere(true), [])
  return <Component {...given} open={there && given.open === true} />
}

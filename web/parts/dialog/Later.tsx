import { styled } from '@mui/material/styles'
import { type ComponentType, type ReactNode, useCallback, useEffect, useState } from 'react'
import { type Chunk, useBeforeUse, useFetch } from '../chunk.ts'
import { useNotice } from '../notices/Notices.tsx'
import { Spinner } from '../Spinner.tsx'
import { useDelayed } from '../useDelayed.ts'

interface Opens {
  open?: boolean | undefined
  onClose?: ((event: object, reason: 'escapeKeyDown') => void) | undefined
}

/**
 * Renders a dialog or drawer whose code is a chunk of its own. The chunk is loaded when the person turns to any
 * control, or at the latest when it opens. While it is awaited for longer than 200 ms, a line at the foot of the window
 * says so, and Escape gives it up. One that cannot be loaded closes with a notice: the page beneath keeps what was
 * selected and typed, and the next opening tries again.
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
  const Component = part.value.use()
  const giveUp = useCallback(() => {
    onClose?.({}, 'escapeKeyDown')
    notice.error('This could not be loaded. Please try again, or reload the page.')
  }, [onClose, notice])
  useBeforeUse(part.load)
  useFetch(part, open, giveUp)
  if (open && !wanted) setWanted(true)
  if (!Component) return open && <Coming onGiveUp={(event) => onClose?.(event, 'escapeKeyDown')} />
  return wanted && <Entering Component={Component} given={given} />
}

function Coming({ onGiveUp }: { onGiveUp: (event: object) => void }) {
  const late = useDelayed(true)
  useEffect(() => {
    const giveUp = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onGiveUp(event)
    }
    document.addEventListener('keydown', giveUp)
    return () => document.removeEventListener('keydown', giveUp)
  }, [onGiveUp])
  return (
    <Over role="status" style={{ visibility: late ? 'visible' : 'hidden' }}>
      <Spinner />
      Loading…
    </Over>
  )
}

/** Lies over the page, so that nothing moves. */
const Over = styled('p')(({ theme }) => ({
  position: 'fixed',
  zIndex: theme.zIndex.modal,
  insetInline: 0,
  bottom: 'calc(24px + var(--offline-bar, 0px))',
  width: 'fit-content',
  margin: '0 auto',
  padding: '8px 16px',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  borderRadius: 8,
  color: theme.palette.background.paper,
  background: theme.palette.text.primary,
}))

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

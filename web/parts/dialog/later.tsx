import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { type Chunk, useChunk } from '../chunk.ts'

interface Opens {
  open?: boolean | undefined
}

/**
 * Renders a dialog or drawer whose code is a chunk of its own. The chunk is loaded shortly after the page, or at the
 * latest when it opens. Until then nothing is rendered.
 */
export function Later<Props extends Opens>({
  part,
  given,
}: {
  part: Chunk<ComponentType<Props>>
  given: NoInfer<Props>
}): ReactNode {
  const [wanted, setWanted] = useState(false)
  useAfterLoad(part.load)
  if (given.open && !wanted) setWanted(true)
  const Component = useChunk(part, wanted)
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

/** Calls `act` after the page has had time to load. */
export function useAfterLoad(act: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => act().catch(() => {}), QUIET)
    return () => clearTimeout(timer)
  }, [act])
}

const QUIET = 2_000

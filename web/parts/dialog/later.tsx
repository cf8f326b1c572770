import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'

interface Opens {
  open?: boolean | undefined
}

/** A component that is loaded on demand. */
export interface Part<Props> {
  load: () => Promise<unknown>
  Component: ComponentType<Props>
}

/** Declares a component that is loaded on demand; once for each, beside its `<Later>`. */
export function part<Props>(load: () => Promise<ComponentType<Props>>): Part<Props> {
  return { load, Component: lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props> }
}

/**
 * Renders a dialog or drawer whose code is a chunk of its own. The chunk is loaded shortly after the page, or at the
 * latest when it opens. Until then nothing is rendered.
 */
export function Later<Props extends Opens>({
  part,
  given,
}: {
  part: Part<Props>
  given: NoInfer<Props>
}): ReactNode {
  const [wanted, setWanted] = useState(false)
  useAfterLoad(part.load)
  if (given.open && !wanted) setWanted(true)
  return (
    wanted && (
      <Suspense>
        <Entering part={part} given={given} />
      </Suspense>
    )
  )
}

/** Renders it closed first, so that its first opening is animated as well. */
function Entering<Props extends Opens>({ part, given }: { part: Part<Props>; given: Props }) {
  const [there, setThere] = useState(false)
  useEffect(() => setThere(true), [])
  return <part.Component {...given} open={there && given.open === true} />
}

/** Calls `act` after the page has had time to load. */
export function useAfterLoad(act: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => act().catch(() => {}), QUIET)
    return () => clearTimeout(timer)
  }, [act])
}

const QUIET = 2_000

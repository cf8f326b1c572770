import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'

interface Opens {
  open?: boolean | undefined
}

/** A component whose script comes later. */
export interface Part<Props> {
  load: () => Promise<unknown>
  Component: ComponentType<Props>
}

/** Says where a part comes from; once for each, beside its `<Later>`. */
export function part<Props>(load: () => Promise<ComponentType<Props>>): Part<Props> {
  return { load, Component: lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props> }
}

/**
 * What opens over a page that can stand without its script: fetched in the first quiet moment, so that it opens at
 * once, and at the latest when it opens. Until then it is nothing.
 */
export function Later<Props extends Opens>({
  part,
  given,
}: {
  part: Part<Props>
  given: NoInfer<Props>
}): ReactNode {
  const [wanted, setWanted] = useState(false)
  useQuiet(part.load)
  if (given.open && !wanted) setWanted(true)
  return (
    wanted && (
      <Suspense>
        <Entering part={part} given={given} />
      </Suspense>
    )
  )
}

/** Begins closed, so that the first time it opens before the eye like any other. */
function Entering<Props extends Opens>({ part, given }: { part: Part<Props>; given: Props }) {
  const [there, setThere] = useState(false)
  useEffect(() => setThere(true), [])
  return <part.Component {...given} open={there && given.open === true} />
}

/** Does something once the page has had time to come. */
export function useQuiet(act: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => act().catch(() => {}), QUIET)
    return () => clearTimeout(timer)
  }, [act])
}

/** In milliseconds. */
const QUIET = 2_000

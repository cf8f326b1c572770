import type { Store } from '../parts/store.ts'
import { signedInAs, useSession } from '../session.tsx'

/** Follows what is selected. What comes late for whoever was signed in before is dropped. */
export function useSelected<T>(store: Store<T>): readonly [selected: T, select: (next: T) => void] {
  const { name: by } = useSession()
  const select = (next: T) => {
    if (signedInAs() === by) store.set(next)
  }
  return [store.use(), select]
}

import { useSyncExternalStore } from 'react'

/** A value that belongs to no component and may be changed from anywhere. */
interface Store<T> {
  get: () => T
  set: (next: T) => void
  /** A hook: returns the value, and follows it. */
  use: () => T
}

export function storeOf<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  const get = () => value
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set: (next) => {
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get),
  }
}

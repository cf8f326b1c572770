import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'

/**
 * Undoes and redoes what was typed into a field whose value a mask sets. The browser's own steps end where the mask has
 * set it, and would put back characters that nobody typed.
 * @param put shows a value of before again
 */
export function useUndo(
  input: RefObject<HTMLInputElement | null>,
  value: string,
  put: (value: string) => void,
) {
  const kept = useRef({ values: [value], at: 0 })
  // A value that came from elsewhere, such as that of another client, has nothing before it.
  const stepsAt = (now: string) => {
    if (kept.current.values[kept.current.at] !== now) kept.current = { values: [now], at: 0 }
    return kept.current
  }
  const go = (by: number) => {
    const { values, at } = stepsAt(value)
    const next = values[at + by]
    if (next === undefined) return
    kept.current.at += by
    put(next)
  }
  const follow = useEffectEvent((event: InputEvent) => {
    const by = STEPS.get(event.inputType)
    if (by === undefined) return
    event.preventDefault()
    go(by)
  })
  useEffect(() => {
    const { current: element } = input
    // The browser's menu undoes, too.
    element?.addEventListener('beforeinput', follow)
    return () => element?.removeEventListener('beforeinput', follow)
  }, [input])
  return {
    note: (before: string, next: string) => {
      const { values, at } = stepsAt(before)
      if (next !== before) kept.current = { values: [...values.slice(0, at + 1), next], at: at + 1 }
    },
    /** The browser does nothing at a key where it knows no step. */
    press: (event: React.KeyboardEvent) => {
      // A keyboard with other letters has these two where Latin ones do.
      const key = (/[a-z]/i.test(event.key) ? event.key : event.code.replace('Key', '')).toLowerCase()
      if (!(event.ctrlKey || event.metaKey) || event.altKey || !(key === 'z' || key === 'y')) return
      event.preventDefault()
      go(key === 'y' || event.shiftKey ? 1 : -1)
    },
  }
}

const STEPS = new Map([
  ['historyUndo', -1],
  ['historyRedo', 1],
])

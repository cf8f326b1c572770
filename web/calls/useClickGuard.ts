import { useRef } from 'react'

/** Keeps a form from sending the same twice by a double click. What is sent, or what it is about, is compared as text. */
export function useClickGuard() {
  const last = useRef({ at: Number.NEGATIVE_INFINITY, text: '', isOpen: false })
  const underWay = useRef(new Set<string>())
  return {
    /**
     * Begins a submit; false for the second click of a double click, which may arrive before the disabled button is
     * rendered, or after the answer. An input that was refused or has been edited since is sent again.
     */
    begin(text: string): boolean {
      const isSame = text === last.current.text
      const isSoon = performance.now() - last.current.at < DOUBLE_CLICK_MS
      if (underWay.current.has(text) || (isSame && isSoon)) return false
      last.current = { at: performance.now(), text, isOpen: isSame && last.current.isOpen }
      underWay.current.add(text)
      return true
    },
    /** Ends it. It stays open where nobody knows whether it was carried out. */
    end(text: string, how: 'done' | 'refused' | 'open'): void {
      underWay.current.delete(text)
      if (how === 'done') last.current.at = performance.now()
      else if (text === last.current.text)
        last.current = { at: Number.NEGATIVE_INFINITY, text, isOpen: how === 'open' }
    },
    /** Whether the last submit had this input and stayed open. */
    isOpen: (text: string): boolean => last.current.isOpen && text === last.current.text,
  }
}

/** The same input counts as one submit for so long after it was sent, and after its success. */
const DOUBLE_CLICK_MS = 600

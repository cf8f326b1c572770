import { useEffect, useRef } from 'react'

/**
 * Calls `act` in the first frame in which no dialog is open and nothing is being searched for in the top bar: a dialog
 * that closes moves the focus itself, and the keys that are typed into a search belong to it. What is in a dialog does
 * not wait. Returns a function that stops the wait.
 */
export function whenUndisturbed(act: () => void, own: Element | null = null): () => void {
  let frame = 0
  const look = () => {
    if (own?.closest(DIALOG) || !(document.querySelector(DIALOG) || isFinding())) act()
    else frame = requestAnimationFrame(look)
  }
  look()
  return () => cancelAnimationFrame(frame)
}

const DIALOG = '[role=dialog], [role=alertdialog]'

/**
 * Returns whether a key belongs to the browser: Alt and an arrow go back and forth, Ctrl and an arrow to another word.
 */
export function isForBrowser({ altKey, ctrlKey, metaKey }: Keys): boolean {
  return altKey || ctrlKey || metaKey
}

type Keys = Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey'>

/**
 * Keeps a key that is held down from acting in what it has opened: a dialog would take its repeats for an answer. Enter
 * is not repeated at all, but for the lines of a text, since what it opens or sends may be a page or form.
 */
export function leaveHeldKeys(): void {
  let place: Element | null = null
  const hear = (event: KeyboardEvent) => {
    const target = event.target as Element
    const at = target.closest(DIALOG)
    if (!event.repeat) place = at
    else if (at !== place || (event.key === 'Enter' && !target.matches('textarea'))) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  window.addEventListener('keydown', hear, { capture: true })
}

/** Returns whether a form of the page has typed text that was not sent. */
export function isTextUnsent(): boolean {
  return document.querySelector('main form[data-typed=true]:not([aria-busy=true])') !== null
}

/** Returns whether the person is typing into the search of the top bar, whose results are open. */
export function isFinding(): boolean {
  return document.activeElement?.matches('[role=combobox][aria-expanded=true]') === true
}

/** Returns whether no element has the focus, because the one that had it was removed or disabled. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** Moves a lost focus to the title of the page, where reading and tabbing begin again. */
export function focusTitle(): void {
  if (isFocusLost()) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}

/**
 * Calls `act` for an Escape that reaches no dialog, because the button that had the focus is gone, as 'Undo' is
 * once it was pressed. Only the dialog on top hears it.
 * @param title the id of the dialog's title
 */
export function useEscapeWithoutFocus(title: string, act: () => void): void {
  useEffect(() => {
    const hear = ({ key }: KeyboardEvent) => {
      const onTop = [...document.querySelectorAll(DIALOG)].at(-1)
      if (key === 'Escape' && isFocusLost() && onTop?.getAttribute('aria-labelledby') === title) act()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [title, act])
}

/** Moves the focus to the title of the page, if it is lost when the component is removed. */
export function useTitleAfterwards(): void {
  useEffect(() => focusTitleAfterwards, [])
}

/** Moves a lost focus to the title, after a list or form of the page could take it in the frame after a dialog. */
export function focusTitleAfterwards(): void {
  requestAnimationFrame(() => requestAnimationFrame(settle))
}

/**
 * Gives back the focus that the browser takes from a button when it is disabled. Returns what is to be called when the
 * button is pressed.
 */
export function useFocusBack(disabled: boolean): () => void {
  const used = useRef<Element | null>(null)
  useEffect(() => {
    const { current: button } = used
    if (!disabled && isFocusLost() && button instanceof HTMLElement) button.focus({ preventScroll: true })
  }, [disabled])
  return () => {
    used.current = document.activeElement
  }
}

function settle() {
  whenUndisturbed(focusTitle)
}

import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { focusTitle, isFocusLost, whenUndisturbed } from '../focus.ts'

interface FormState {
  loading: boolean
  disabled: boolean
  /** True while its button waits for something else, such as a price, although the fields are valid. */
  blocked: boolean
  /** True focuses the first field, a text the field of that name. */
  atFirst: boolean | string
  /** True where an empty form cannot be sent, so that whoever leaves its field is told what is wrong with it. */
  onlyWhenValid: boolean
  resetKey: number | undefined
}

/**
 * Focuses the first field once it is enabled, and again when `resetKey` changes, or then the title, where an empty form
 * cannot be sent and did not begin with the focus. A submit disables the field or button that has the focus, which gets
 * it back after a refusal, and so does a button once it is no longer blocked. Returns what is to be called when the form
 * is submitted.
 */
export function useFormFocus(fields: RefObject<HTMLFieldSetElement | null>, state: FormState): () => void {
  const { loading, disabled, blocked, atFirst, onlyWhenValid, resetKey } = state
  const due = useRef(false)
  const isFirst = useRef(true)
  const last = useRef(resetKey)
  const used = useRef<Element | null>(null)
  const given = useRef<Element | null>(null)
  const wasLoading = useRef(false)
  const wasDisabled = useRef(disabled)
  const waiting = useRef<Element | null>(null)
  const stop = useRef(() => {})
  useLayoutEffect(() => {
    const at = document.activeElement
    // Later the browser has taken the focus from it.
    if (blocked && at?.matches('[type=submit]') && isOf(fields.current, at)) waiting.current = at
  }, [blocked, fields])
  useEffect(() => () => stop.current(), [])
  useEffect(() => {
    const isReset = last.current !== resetKey
    if (isReset) {
      due.current = !disabled
      given.current = null
    }
    last.current = resetKey
    const isAnswered = wasLoading.current && !loading
    wasLoading.current = loading
    // Until the next page opens, all fields of a form that was sent stay disabled.
    if (loading && isReset) focusTitle()
    if (loading) return
    // With what has sent it, a form that was reset sends nothing more.
    if (isAnswered && !due.current) given.current = giveBack(used.current)
    if (blocked) {
      if (isAnswered) waiting.current = given.current
    } else {
      giveBack(waiting.current)
      waiting.current = null
      given.current = passOn(given.current, fields.current)
    }
    const isLeft = disabled && !wasDisabled.current
    wasDisabled.current = disabled
    if (isLeft) leave(fields.current)
    if (disabled) return
    if (isFirst.current && atFirst !== false) due.current = true
    isFirst.current = false
    if (!due.current) return
    due.current = false
    stop.current()
    const isOver = onlyWhenValid && atFirst === false
    const act = isOver ? focusTitle : () => focusField(fields.current, atFirst)
    stop.current = whenUndisturbed(act, fields.current)
  })
  return () => {
    used.current = document.activeElement
  }
}

/** Returns the element if it is the one that is to have the focus. */
function giveBack(element: Element | null): Element | null {
  // A dialog takes the focus that its form has lost.
  const isLost = isFocusLost() || document.activeElement?.matches('[tabindex="-1"]')
  if (!isLost || !(element instanceof HTMLElement)) return null
  element.focus()
  return element
}

/**
 * Passes the focus that was given back to a button on to the last field, once the button is disabled: a login waits for
 * another captcha. Returns the button while it has the focus, which from then on the person alone moves.
 */
function passOn(button: Element | null, fields: Element | null): Element | null {
  if (!button || !(isFocusLost() || document.activeElement === button)) return null
  if (!button.matches(':disabled')) return button
  const all = fields?.querySelectorAll<HTMLElement>(FIELD) ?? []
  all[all.length - 1]?.focus()
  return null
}

/** A form that nothing can be done with any more does not keep the focus, which the browser may have taken from it. */
function leave(fields: Element | null) {
  const at = document.activeElement
  if (at instanceof HTMLElement && at.matches(':disabled') && isOf(fields, at)) at.blur()
  focusTitle()
}

/** Returns whether an element is of the form of these fields. */
function isOf(fields: Element | null, element: Element): boolean {
  return fields?.closest('form')?.contains(element) === true
}

const FIELD = ':is(input:not([hidden]), select, textarea):not(:disabled)'

function focusField(fields: Element | null, which: boolean | string) {
  if (!fields || isBusy(fields)) return
  const field = fields.querySelector<HTMLElement>(typeof which === 'string' ? `[name=${which}]` : FIELD)
  // A space that is to scroll would turn a switch.
  if (field?.matches('[role=switch]')) focusTitle()
  else field?.focus()
}

/** Returns whether the person is already using another control on the page or in the dialog. */
function isBusy(fields: Element) {
  const place = (element: Element | null) => element?.closest('main, [role=dialog]') ?? null
  const at = document.activeElement
  if (!at?.matches('a, button, input, select, textarea') || isOf(fields, at)) return false
  return place(at) === place(fields)
}

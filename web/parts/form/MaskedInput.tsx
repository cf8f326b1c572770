import { type ChangeEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { useController } from 'react-hook-form'
import { EXACT, InputFrame } from './controls.tsx'
import { type ControlProps, Field, type FieldProps } from './Field.tsx'
import { applyEdit, type EditResult, type Mask, type Selected } from './masks.ts'
import { useUndo } from './useUndo.ts'

interface MaskedInputProps extends FieldProps {
  /** Create it once, outside of the component. */
  mask: Mask
}

/** A text field with a mask. The form holds the value as shown, or '' while it is empty. */
export function MaskedInput({ mask, ...frame }: MaskedInputProps) {
  return <Field {...frame}>{(control) => <Masked name={frame.name} mask={mask} control={control} />}</Field>
}

interface Composing {
  before: string
  selection: Selected | undefined
}

function Masked({ name, mask, control }: { name: string; mask: Mask; control: ControlProps }) {
  const { field } = useController({ name })
  const input = useRef<HTMLInputElement>(null)
  const selection = useSelectionBefore(input)
  const moveCaret = useCaret(input)
  const composing = useRef<Composing>(null)
  const isTyped = useRef(false)
  const value = String(field.value ?? '')
  const put = (next: string, caret = next.length) => {
    isTyped.current = true
    moveCaret({ value: next, caret }, next !== value)
    field.onChange(next)
  }
  const undo = useUndo(input, value, put)
  const take = (target: HTMLInputElement, from: Composing, forward: boolean) => {
    const { value: raw, selectionStart: caret } = target
    const next = applyEdit(mask, { ...from, raw, caret: caret ?? raw.length, forward })
    undo.note(from.before, next.value)
    put(next.value, next.caret)
  }
  const change = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    // Changing the value during a composition would break it (IME).
    if (composing.current) return field.onChange(target.value)
    const { inputType } = nativeEvent as InputEvent
    take(target, { before: value, selection: selection.current }, inputType === 'deleteContentForward')
  }
  const endComposing = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    if (composing.current) take(currentTarget, composing.current, false)
    composing.current = null
  }
  const leave = () => {
    const settled = mask.settled(value)
    // A change that changes nothing would take away what was found or refused by the value.
    if (isTyped.current && settled !== value) field.onChange(settled)
    isTyped.current = false
    field.onBlur()
  }
  return (
    <InputFrame className={mask.identifier ? 'identifier' : undefined}>
      <input
        {...control}
        ref={(element) => {
          input.current = element
          field.ref(element)
        }}
        value={value}
        onChange={change}
        onKeyDown={undo.press}
        onCompositionStart={() => {
          composing.current = { before: value, selection: selection.current }
        }}
        onCompositionEnd={endComposing}
        onBlur={leave}
        placeholder={mask.placeholder}
        inputMode={mask.inputMode}
        autoComplete="off"
        {...EXACT}
      />
    </InputFrame>
  )
}

/**
 * Tracks the selection before each edit. The value afterwards does not tell '0' typed over '00:1A:79:12' from '0'
 * typed to its left.
 */
function useSelectionBefore(input: { current: HTMLInputElement | null }) {
  const selection = useRef<Selected>(undefined)
  useEffect(() => {
    const { current: element } = input
    const remember = () => {
      const { selectionStart: start, selectionEnd: end } = element ?? {}
      selection.current = typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined
    }
    element?.addEventListener('beforeinput', remember)
    return () => element?.removeEventListener('beforeinput', remember)
  }, [input])
  return selection
}

/** Restores the caret after the typed text, because React moves it to the end of a changed value. */
function useCaret(input: { current: HTMLInputElement | null }) {
  const at = useRef<number>(null)
  useLayoutEffect(() => {
    if (at.current !== null) input.current?.setSelectionRange(at.current, at.current)
    at.current = null
  })
  return ({ value, caret }: EditResult, isDrawnAnew: boolean) => {
    const { current: element } = input
    if (!element) return
    // If the mask undoes an edit, the value has not changed and React does not render the field.
    element.value = value
    element.setSelectionRange(caret, caret)
    at.current = isDrawnAnew ? caret : null
  }
}

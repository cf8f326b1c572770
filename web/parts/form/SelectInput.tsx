import { useController } from 'react-hook-form'
import { Select } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'
import { useIsCut } from './useIsCut.ts'

/** An option: the value that the form holds, and its label. */
export interface SelectOption {
  value: string | number
  label: string
}

interface SelectInputProps extends FieldProps {
  options: readonly SelectOption[]
  /** Called at each choice of the person, before the form holds it: what it changes is part of the same edit. */
  onChoose?: () => void
}

/**
 * A select whose values keep their type: numbers stay numbers. Without a help text it shows a label that is cut off
 * whole.
 */
export function SelectInput({ options, onChoose, ...frame }: SelectInputProps) {
  const { field } = useController({ name: frame.name })
  const label = options.find(({ value }) => value === field.value)?.label ?? ''
  const { list, isCut } = useIsCut(label)
  const choose = (shown: string) => {
    onChoose?.()
    field.onChange(options.find(({ value }) => String(value) === shown)?.value)
  }
  return (
    <Field help={isCut && <span aria-hidden>{label}</span>} {...frame}>
      {(control) => (
        <Select
          {...control}
          ref={(element) => {
            list.current = element
            field.ref(element)
          }}
          value={String(field.value ?? '')}
          onBlur={field.onBlur}
          onKeyDown={submitOnEnter}
          onChange={(event) => choose(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** Enter in a list submits its form, as in any other field; while its options are shown it chooses one. */
function submitOnEnter(event: React.KeyboardEvent<HTMLSelectElement>) {
  const { currentTarget: list, key } = event
  if (key !== 'Enter' || event.defaultPrevented || isOpen(list)) return
  event.preventDefault()
  list.form?.requestSubmit()
}

function isOpen(list: HTMLSelectElement): boolean {
  try {
    return list.matches(':open')
  } catch {
    // A browser that does not know the selector sends no keys to a list that is open.
    return false
  }
}

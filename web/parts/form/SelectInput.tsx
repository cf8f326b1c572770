import { useController } from 'react-hook-form'
import { Select } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'

/** An option: the value that the form holds, and its label. */
export interface Choice {
  value: string | number
  label: string
}

interface SelectInputProps extends FieldProps {
  options: readonly Choice[]
}

/** A select whose values keep their type: numbers stay numbers. */
export function SelectInput({ options, ...frame }: SelectInputProps) {
  const { field } = useController({ name: frame.name })
  const choose = (shown: string) =>
    field.onChange(options.find(({ value }) => String(value) === shown)?.value)
  return (
    <Field {...frame}>
      {(control) => (
        <Select
          {...control}
          ref={field.ref}
          value={String(field.value ?? '')}
          onBlur={field.onBlur}
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

interface AmountSelectProps extends Omit<SelectInputProps, 'options'> {
  amounts: readonly number[]
  /** Formats an amount: '2 credits'. */
  words: (amount: number) => string
}

/** A select of amounts, each with its unit. */
export function AmountSelect({ amounts, words, ...field }: AmountSelectProps) {
  const options = amounts.map((value) => ({ value, label: words(value) }))
  return <SelectInput {...field} options={options} />
}

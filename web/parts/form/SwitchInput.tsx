import { useId } from 'react'
import { useController } from 'react-hook-form'
import { type FieldProps, HelpOrError } from './Field.tsx'
import { Toggle } from './Toggle.tsx'

type OnOffProps = Pick<FieldProps, 'name' | 'label' | 'disabled'>

export function SwitchInput(props: OnOffProps) {
  return <OnOff {...props} kind="switch" />
}

export function CheckboxInput(props: OnOffProps) {
  return <OnOff {...props} kind="box" />
}

function OnOff({ name, label, disabled, kind }: OnOffProps & { kind: 'switch' | 'box' }) {
  const id = useId()
  const { field, fieldState } = useController({ name })
  return (
    <div>
      <Toggle
        kind={kind}
        label={label}
        name={name}
        disabled={disabled}
        checked={field.value === true}
        onChange={field.onChange}
        onBlur={field.onBlur}
        ref={field.ref}
        aria-invalid={fieldState.invalid}
        aria-describedby={`${id}-help`}
      />
      {fieldState.error && <HelpOrError id={`${id}-help`} error={fieldState.error.message} />}
    </div>
  )
}

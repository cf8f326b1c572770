import { useId } from 'react'
import { useController } from 'react-hook-form'
import { Beneath, type FieldProps } from './Field.tsx'
import { Toggle } from './Toggle.tsx'

/** A boolean, shown as a switch. */
export function SwitchInput(props: FieldProps) {
  return <OnOff {...props} kind="switch" />
}

/** A boolean, shown as a checkbox. */
export function CheckboxInput(props: FieldProps) {
  return <OnOff {...props} kind="box" />
}

function OnOff({ name, label, help, disabled, kind }: FieldProps & { kind: 'switch' | 'box' }) {
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
      {(help || fieldState.error) && (
        <Beneath id={`${id}-help`} help={help} error={fieldState.error?.message} />
      )}
    </div>
  )
}

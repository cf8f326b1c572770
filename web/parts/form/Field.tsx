import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'
import { useController } from 'react-hook-form'

export interface FieldProps {
  /** The name of the value in the form. */
  name: string
  label: string
  /** What helps before there is an error; it stands where the error will. */
  help?: string | undefined
  /** What stands against a value that is sound in itself: a price beyond the balance. */
  fault?: string | undefined
  disabled?: boolean | undefined
}

/** What a control needs to be the control of a field. */
export interface ControlProps {
  id: string
  name: string
  disabled: boolean | undefined
  'aria-invalid': boolean
  'aria-describedby': string
}

interface FieldFrameProps extends FieldProps {
  children: (control: ControlProps) => ReactNode
}

/** The label above, the control, and one line kept beneath for help or error. */
export function Field({ name, label, help, fault, disabled, children }: FieldFrameProps) {
  const id = useId()
  const { error } = useController({ name }).fieldState
  const wrong = error?.message ?? fault
  return (
    <Frame>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        name,
        disabled,
        'aria-invalid': wrong !== undefined,
        'aria-describedby': `${id}-help`,
      })}
      <Beneath id={`${id}-help`} help={help} error={wrong} />
    </Frame>
  )
}

/** Help, or what is wrong, in the same place. */
export function Beneath(props: { id: string; help: string | undefined; error: string | undefined }) {
  return (
    <Line id={props.id} data-wrong={props.error !== undefined} aria-live="polite">
      {props.error ?? props.help}
    </Line>
  )
}

const Frame = styled('div')({
  minWidth: 0,
  '& > label': { display: 'block', marginBottom: 4, fontWeight: 600, width: 'fit-content' },
})

const Line = styled('p')(({ theme }) => ({
  minHeight: 20,
  paddingTop: 2,
  fontSize: '0.75rem',
  lineHeight: 1.5,
  color: theme.palette.text.secondary,
  '&[data-wrong=true]': { color: theme.palette.tones.bad.text },
}))

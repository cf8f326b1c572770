import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'
import { useController } from 'react-hook-form'

export interface FieldProps {
  /** The name of the value in the form. */
  name: string
  label: string
  /** The help text; an error replaces it. */
  help?: ReactNode
  /** An error of a value that is valid by itself, such as a price above the balance. */
  fault?: ReactNode
  /** What stands after an error and leads out of it, such as a link. */
  wayOut?: ReactNode
  disabled?: boolean | undefined
}

/** The props that connect a control to its field. */
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

/** The label, the control, and one line below that is reserved for help or an error. */
export function Field({ name, label, help, fault, wayOut, disabled, children }: FieldFrameProps) {
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
      <HelpOrError id={`${id}-help`} help={help} error={wrong} wayOut={wayOut} />
    </Frame>
  )
}

interface HelpOrErrorProps extends Pick<FieldProps, 'help' | 'wayOut'> {
  id: string
  error: ReactNode
}

/** Shows the help text or the error, in the same line. */
export function HelpOrError({ id, help, error, wayOut }: HelpOrErrorProps) {
  return (
    <Line id={id} data-wrong={error !== undefined} aria-live="polite">
      {error ?? help}
      {error !== undefined && wayOut && <> {wayOut}</>}
    </Line>
  )
}

const Frame = styled('div')({
  minWidth: 0,
  '& > label': { display: 'block', marginBottom: 4, fontWeight: 600, width: 'fit-content' },
})

const Line = styled('p')(({ theme }) => ({
  minHeight: '1.125rem',
  paddingTop: 2,
  fontSize: '0.75rem',
  lineHeight: '1rem',
  color: theme.palette.text.secondary,
  '&[data-wrong=true]': { color: theme.palette.tones.bad.text },
}))

import IconButton from '@mui/material/IconButton'
import { Eye, EyeOff } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useController } from 'react-hook-form'
import { EXACT, InputFrame } from './controls.tsx'
import { Field, type FieldProps } from './Field.tsx'

interface PasswordInputProps extends FieldProps {
  /**
   * `current-password` lets the browser fill it in. `new-password` lets it suggest one; it is also for somebody else's:
   * for passwords browsers ignore `off`, and fill in or keep the person's own.
   */
  autoComplete: 'current-password' | 'new-password'
  /** A button within the field, before the one that shows the password. */
  action?: ReactNode
}

/** A password field with a button that shows the password, even while the field is disabled. */
export function PasswordInput({ name, label, help, disabled, action, ...rest }: PasswordInputProps) {
  // Controlled for the same reason as in TextInput.
  const { field } = useController({ name })
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <Field {...{ name, label, help, disabled }}>
      {(control) => (
        <InputFrame>
          <input
            {...rest}
            {...field}
            {...control}
            value={String(field.value ?? '')}
            type={shown ? 'text' : 'password'}
            {...EXACT}
          />
          {action}
          <IconButton
            size="small"
            aria-label={shown ? 'Hide password' : 'Show password'}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            <Icon size={18} />
          </IconButton>
        </InputFrame>
      )}
    </Field>
  )
}

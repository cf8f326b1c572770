import Button, { type ButtonProps } from '@mui/material/Button'
import { useFocusBack, useTitleAfterwards } from './focus.ts'

/**
 * A button that goes once its work is done. If it had the focus, the title of the page gets it, and after a failure the
 * button itself.
 */
export function PassingButton({ onClick, ...props }: ButtonProps) {
  const noteFocus = useFocusBack(props.disabled === true)
  useTitleAfterwards()
  return (
    <Button
      {...props}
      onClick={(event) => {
        noteFocus()
        onClick?.(event)
      }}
    />
  )
}

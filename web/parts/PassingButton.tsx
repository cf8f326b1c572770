import Button, { type ButtonProps } from '@mui/material/Button'
import { useTitleAfterwards } from './focus.ts'

/** A button that goes once its work is done. If it had the focus, the title of the page gets it. */
export function PassingButton(props: ButtonProps) {
  useTitleAfterwards()
  return <Button {...props} />
}

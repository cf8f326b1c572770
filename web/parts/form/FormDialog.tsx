import Button from '@mui/material/Button'
import type { FieldValues } from 'react-hook-form'
import { Cancel } from '../dialog/Cancel.tsx'
import { Dialog } from '../dialog/Dialog.tsx'
import { Form, type FormProps } from './Form.tsx'

interface FormDialogProps<Values extends FieldValues, Output> extends FormProps<Values, Output> {
  open: boolean
  title: string
  onClose: () => void
  /** Stops long work. While it runs, 'Stop' replaces 'Cancel'. */
  onStop?: () => void
  /** True once stopping has begun. */
  stopping?: boolean
}

/**
 * A form in a dialog, which cannot be closed while the call runs; closing forgets the refusal. Where `autoFocus` names
 * no field, 'Cancel' is the safe answer and has the focus at first. `aside` replaces it.
 */
export function FormDialog<Values extends FieldValues, Output>(props: FormDialogProps<Values, Output>) {
  const { open, title, onClose, onStop, stopping = false, ...form } = props
  const { loading, reset } = form.sending
  const close = () => {
    reset?.()
    onClose()
  }
  return (
    <Dialog open={open} title={title} onClose={close} busy={loading}>
      <Form
        {...form}
        aside={
          form.aside ??
          (onStop && loading ? (
            <Button variant="outlined" disabled={stopping} onClick={onStop}>
              {stopping ? 'Stopping…' : 'Stop'}
            </Button>
          ) : (
            <Cancel autoFocus={!form.autoFocus} disabled={loading} onClick={close} />
          ))
        }
      />
    </Dialog>
  )
}

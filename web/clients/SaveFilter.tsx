import * as z from 'zod/mini'
import { FilterName } from '../../contract/preferences.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'

interface SaveFilterProps {
  open: boolean
  /** Whether other filters are saved, whose names would be taken. */
  replaces: boolean
  onSave: (name: string) => void
  onClose: () => void
}

/** Asks for the name under which the list's filter is saved. */
export function SaveFilter({ open, replaces, onSave, onClose }: SaveFilterProps) {
  return (
    <FormDialog
      open={open}
      title="Save this filter"
      onClose={onClose}
      schema={Named}
      values={NO_NAME}
      label="Save"
      onSubmit={({ name }) => onSave(name.trim())}
      autoFocus
      sending={{ loading: false, submitError: null }}
    >
      <p>{`It keeps the search, the filter and the order. ${replaces ? 'A name that is taken is replaced.' : ''}`}</p>
      <TextInput name="name" label="Name" />
    </FormDialog>
  )
}

const Named = z.object({
  name: FilterName.check(z.refine((name) => name.trim() !== '', 'Please type a name')),
})
const NO_NAME = { name: '' }

import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { FilterName, SavedFilter } from '../../contract/preferences.ts'
import { Menu } from '../parts/dialog/Menu.tsx'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import type { ListState } from '../parts/table/useListState.ts'
import { useRemember } from '../remembered.tsx'
import { useKnowsPreferences, usePreferences } from '../session.tsx'

/** Keeps the search, filter and order of the clients under names, and returns to them. */
export function SavedFilters({ list }: { list: ListState }) {
  const { filters = {} } = usePreferences()
  const remember = useRemember()
  const navigate = useNavigate()
  const [saving, setSaving] = useState(false)
  const { search, filter, sort, order } = list
  const now = { search, filter, sort, order }
  const saved = Object.entries(filters).flatMap(([name, one]) => (one ? [[name, one] as const] : []))
  const current = saved.find(([, one]) => isSame(one, now))?.[0]
  if (!useKnowsPreferences()) return null
  return (
    <>
      <Menu
        label="Filters"
        icon={<ListFilter size={18} />}
        items={[
          ...saved.map(([name, one]) => ({
            label: name,
            checked: name === current,
            onChoose: () => navigate({ search: String(new URLSearchParams(fieldsOf(one))) }),
          })),
          current === undefined
            ? { label: 'Save this filter', onChoose: () => setSaving(true) }
            : { label: `Forget ${current}`, onChoose: () => remember({ filters: { [current]: null } }) },
        ]}
      />
      <FormDialog
        open={saving}
        title="Save this filter"
        onClose={() => setSaving(false)}
        schema={Named}
        values={NO_NAME}
        submit="Save"
        onSubmit={({ name }) => {
          remember({ filters: { [name.trim()]: SavedFilter.parse(now) } })
          setSaving(false)
        }}
        autoFocus
        sending={{ loading: false, submitError: null }}
      >
        <p>{`It keeps the search, the filter and the order. ${saved.length > 0 ? 'A name that is taken is replaced.' : ''}`}</p>
        <TextInput name="name" label="Name" />
      </FormDialog>
    </>
  )
}

const Named = z.object({
  name: FilterName.check(z.refine((name) => name.trim() !== '', 'Please type a name')),
})
const NO_NAME = { name: '' }

/** The fields of a filter, as the URL has them. */
type Fields = { [Field in keyof SavedFilter]: string | undefined }

function fieldsOf({ search = '', filter = 'all', sort = 'name', order = 'asc' }: Fields) {
  return { ...(search && { search }), ...(filter !== 'all' && { filter }), sort, order }
}

function isSame(one: Fields, other: Fields): boolean {
  return JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other))
}

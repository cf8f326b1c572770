import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { SavedFilter } from '../../contract/preferences.ts'
import { trimmed } from '../../contract/text.ts'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { Menu } from '../parts/dialog/Menu.tsx'
import { useKnowsPreferences, usePreferences } from '../preferences.ts'
import { useRemember } from '../remembered.tsx'
import type { ClientPage } from './useClientPage.ts'

/** Keeps the search, filter and order of the clients under names, and returns to them. */
export function SavedFilters({ list }: Pick<ClientPage, 'list'>) {
  const { filters = {} } = usePreferences()
  const remember = useRemember()
  const navigate = useNavigate()
  const [saving, setSaving] = useState(false)
  const { search, filter, sort, order } = list
  const now = { search: trimmed(search), filter, sort, order }
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
      <Later
        part={dialog}
        given={{
          open: saving,
          replaces: saved.length > 0,
          onSave: (name) => {
            remember({ filters: { [name]: SavedFilter.parse(now) } })
            setSaving(false)
          },
          onClose: () => setSaving(false),
        }}
      />
    </>
  )
}

const dialog = chunk(async () => (await import('./SaveFilter.tsx')).SaveFilter)

/** The fields of a filter, as the URL has them. */
type Fields = { [Field in keyof SavedFilter]: string | undefined }

function fieldsOf({ search = '', filter = 'all', sort = 'name', order = 'asc' }: Fields) {
  return { ...(search && { search }), ...(filter !== 'all' && { filter }), sort, order }
}

function isSame(one: Fields, other: Fields): boolean {
  return JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other))
}

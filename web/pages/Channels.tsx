import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { calls, type OutputOf } from '../../contract/calls.ts'
import type { Assigned } from '../boxes/AssignDialog.tsx'
import { PlayersCard } from '../boxes/PlayersCard.tsx'
import { PlaylistCard } from '../boxes/PlaylistCard.tsx'
import { keyOf } from '../calls/cache.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { PageHead } from '../PageHead.tsx'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { Stack } from '../parts/Stack.tsx'
import { TableCard } from '../TableCard.tsx'
import { groupsTable, packageRows, packagesTable } from '../tables/channels.tsx'

/** The playlist of the channels, its groups, and what each package holds of them. */
export function Channels() {
  const cache = useQueryClient()
  const loaded = useCall(calls.channels.all, {})
  const [choosing, setChoosing] = useState<Assigned | null>(null)
  const { submit: save } = useSubmit(calls.channels.saveGroup, {
    about: ({ group }) => group,
    changes: [calls.channels.all],
    // The same button takes it back, also before the list is loaded again. All else in it is as old as before.
    onDone: (_, { group, adult }) => {
      const key = keyOf(calls.channels.all, {})
      const updatedAt = cache.getQueryState(key)?.dataUpdatedAt ?? 0
      cache.setQueryData<All>(key, (last) => last && marked(last, group, adult), { updatedAt })
    },
  })
  const groups = loaded.data?.groups
  const rows = useMemo(() => groups && packageRows(groups), [groups])
  const packages = useMemo(() => packagesTable({ choose: ({ value }) => setChoosing(value) }), [])
  const table = groupsTable({ choose: setChoosing, mark: ({ id }, adult) => save({ group: id, adult }) })
  return (
    <>
      <PageHead title="Channels" />
      <Stack>
        <PlaylistCard
          playlist={loaded.data?.playlist}
          loading={loaded.isPending}
          unprotected={groups?.reduce((sum, { unprotected }) => sum + unprotected, 0) ?? 0}
        />
        <TableCard label="Packages" name="packages" table={packages} rows={rows} loaded={loaded} />
        <TableCard label="Groups" name="groups" table={table} rows={groups} loaded={loaded} />
        <PlayersCard players={loaded.data?.players} />
      </Stack>
      <Later
        part={dialog}
        given={{
          open: choosing !== null,
          choosing,
          groups: groups ?? [],
          onClose: () => setChoosing(null),
        }}
      />
    </>
  )
}

type All = OutputOf<typeof calls.channels.all>

/** Returns the channels as they are once a group is marked. */
function marked(all: All, id: number, adult: boolean | undefined): All {
  const groups = all.groups.map((group) =>
    group.id === id && adult !== undefined ? { ...group, adult } : group,
  )
  return { ...all, groups }
}

const dialog = chunk(async () => (await import('../boxes/AssignDialog.tsx')).AssignDialog)

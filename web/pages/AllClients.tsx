import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { AnyClientRow } from '../../contract/shapes.ts'
import { ClientList } from '../clients/ClientList.tsx'
import { DeleteAnyClient } from '../clients/DeleteAnyClient.tsx'
import { ExportMenu } from '../clients/ExportMenu.tsx'
import { useClientPage } from '../clients/useClientPage.ts'
import { PageHead } from '../PageHead.tsx'
import { allClients } from '../tables/clients.tsx'

/** The clients of every dealer, for the admin. */
export function AllClients() {
  const [deleting, setDeleting] = useState<AnyClientRow | null>(null)
  const [table] = useState(() => allClients({ remove: setDeleting }))
  const page = useClientPage(calls.admin.clients, table)
  return (
    <>
      <PageHead title="All Clients" action={<ExportMenu call={calls.admin.exportClients} page={page} />} />
      <ClientList label="All Clients" table={table} page={page} />
      <DeleteAnyClient client={deleting} onClose={() => setDeleting(null)} />
    </>
  )
}

import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { ClientRow } from '../../contract/shapes.ts'
import { ClientList } from '../clients/ClientList.tsx'
import { DeleteClient } from '../clients/DeleteClient.tsx'
import { ExportMenu } from '../clients/ExportMenu.tsx'
import { NewClientButton } from '../clients/NewClientButton.tsx'
import { RenewDialog } from '../clients/RenewDialog.tsx'
import { useChosen } from '../clients/useChosen.tsx'
import { useClientPage } from '../clients/useClientPage.ts'
import { Actions, PageTitle } from '../parts/PageTitle.tsx'
import { ownClients } from '../tables/clients.tsx'

/** The dealer's list of clients, where they renew one or many, and delete those that have expired. */
export function Clients() {
  const [renewing, setRenewing] = useState<readonly string[] | null>(null)
  const [deleting, setDeleting] = useState<ClientRow | null>(null)
  const [table] = useState(() =>
    ownClients({ renew: ({ name }) => setRenewing([name]), remove: setDeleting }),
  )
  const page = useClientPage(calls.clients.list, table)
  const { select, names, clear, drop } = useChosen(page, () => setRenewing(names))
  return (
    <>
      <title>Clients · Boxtree</title>
      <PageTitle
        action={
          <Actions>
            <ExportMenu call={calls.clients.export} page={page} />
            <NewClientButton beside />
          </Actions>
        }
      >
        Clients
      </PageTitle>
      <ClientList label="Clients" table={table} page={page} select={select} start={<NewClientButton />} />
      <RenewDialog names={renewing} onClose={() => setRenewing(null)} onDone={clear} />
      <DeleteClient client={deleting} onClose={() => setDeleting(null)} onDone={drop} />
    </>
  )
}

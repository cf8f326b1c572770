import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { ClientRow } from '../../contract/shapes.ts'
import { ChosenBar } from '../clients/ChosenBar.tsx'
import { ClientList } from '../clients/ClientList.tsx'
import type { Act } from '../clients/chosenAct.ts'
import { DeleteClient } from '../clients/DeleteClient.tsx'
import { ExportMenu } from '../clients/ExportMenu.tsx'
import { NewClientButton } from '../clients/NewClientButton.tsx'
import { useChosenClients } from '../clients/useChosenClients.ts'
import { useClientPage } from '../clients/useClientPage.ts'
import { Actions, PageHead } from '../PageHead.tsx'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { ownClients } from '../tables/clients.tsx'

/** The dealer's list of clients, where they renew one or many, and delete those that have expired. */
export function Clients() {
  const [renewing, setRenewing] = useState<Renewing | null>(null)
  const [deleting, setDeleting] = useState<ClientRow | null>(null)
  const [table] = useState(() =>
    ownClients({
      renew: ({ name }) => setRenewing({ names: [name], chosen: false }),
      remove: setDeleting,
    }),
  )
  const page = useClientPage(calls.clients.list, table)
  const chosen = useChosenClients(page)
  const [acting, setActing] = useState<Acting | null>(null)
  return (
    <>
      <PageHead
        title="Clients"
        action={
          <Actions>
            <ExportMenu call={calls.clients.export} page={page} />
            <NewClientButton beside />
          </Actions>
        }
      />
      <ClientList
        label="Clients"
        table={table}
        page={page}
        select={chosen.select}
        start={<NewClientButton />}
      />
      <ChosenBar
        page={page}
        chosen={chosen}
        onRenew={() => setRenewing({ names: chosen.names, chosen: true })}
        onAct={(act) => setActing({ act, names: chosen.names })}
      />
      <Later
        part={renewDialog}
        given={{
          open: renewing !== null,
          names: renewing?.names ?? null,
          onClose: () => setRenewing(null),
          onDone: () => renewing?.chosen && chosen.drop(renewing.names),
          onGone: chosen.drop,
        }}
      />
      <Later
        part={chosenDialog}
        given={{
          open: acting !== null,
          act: acting?.act ?? null,
          names: acting?.names ?? null,
          onClose: () => setActing(null),
          onDone: () => acting && chosen.drop(acting.names),
          onGone: chosen.drop,
        }}
      />
      <DeleteClient
        client={deleting}
        onClose={() => setDeleting(null)}
        onDone={(name) => chosen.drop([name])}
      />
    </>
  )
}

const renewDialog = chunk(async () => (await import('../clients/RenewDialog.tsx')).RenewDialog)
const chosenDialog = chunk(async () => (await import('../clients/ChosenDialog.tsx')).ChosenDialog)

/** What is to be done to the clients that were selected. */
interface Acting {
  act: Act
  names: readonly string[]
}

/** The clients to renew, and whether they are the selected ones. */
interface Renewing {
  names: readonly string[]
  chosen: boolean
}

import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { ExportButton } from '../accounts/ExportButton.tsx'
import { SpentCard } from '../accounts/SpentCard.tsx'
import { TransactionFilters } from '../accounts/TransactionFilters.tsx'
import { TransactionSums } from '../accounts/TransactionSums.tsx'
import { useTransactionFilter, useTransactionPage } from '../accounts/useTransactions.ts'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Quiet } from '../parts/Quiet.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import { useSession } from '../session.tsx'
import { allTransactions } from '../tables/transactions.tsx'

/** All transactions of the caller and all beneath. The server filters, searches, sorts, sums and pages them. */
export function Transactions() {
  const { role } = useSession()
  const { filter, change, clear } = useTransactionFilter()
  const table = role === 'dealer' ? allTransactions.ofDealer : allTransactions.ofBranch
  const page = useTransactionPage(table, filter)
  const { search } = page.served.list
  return (
    <>
      <PageHead
        title="Transactions"
        action={<ExportButton filter={{ ...filter, ...(search !== '' && { search }) }} />}
      />
      {role === 'dealer' && (
        <Above>
          <SpentCard />
        </Above>
      )}
      <TransactionFilters filter={filter} onChange={change} />
      <Loaded of={page.sums}>
        <TransactionSums
          sums={page.sums.data?.data}
          loading={page.summing}
          of={filter.type}
          // Of a client that was moved, the dealer before paid a part.
          ofOneBalance={role === 'dealer' && filter.client === undefined}
        />
      </Loaded>
      <Card flush>
        <DataTable
          label="Transactions"
          table={table}
          {...page.served}
          tools={
            page.isPartlySorted && <Quiet>Only the newest 10,000 are sorted: choose days for others.</Quiet>
          }
          unmatchedAction={
            (search !== '' || Object.keys(filter).length > 0) && (
              <Button variant="outlined" onClick={clear}>
                Show all transactions
              </Button>
            )
          }
        />
      </Card>
    </>
  )
}

const Above = styled('div')({ marginBottom: 16 })

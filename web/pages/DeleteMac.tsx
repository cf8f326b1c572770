import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { type ApiError, send } from '../calls/api.ts'
import { noticesOf, tellFailure } from '../calls/notices.ts'
import { DeleteMacDialog } from '../clients/DeleteMacDialog.tsx'
import { MacField } from '../clients/fields.tsx'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { useTypedValues } from '../parts/form/useTypedValues.ts'
import { useNotice } from '../parts/notices/Notices.tsx'
import { Stack } from '../parts/Stack.tsx'
import { FewRows } from '../parts/table/FewRows.tsx'
import { type FoundMac, foundMacs } from '../tables/macs.tsx'

/** Finds the client of a MAC, whichever dealer has it, and deletes it. */
export function DeleteMac() {
  const { search, loading, found, forget } = useSearch()
  const [deleted, setDeleted] = useState(0)
  const [asking, setAsking] = useState(false)
  const [table] = useState(() => foundMacs({ remove: () => setAsking(true) }))
  const forgetFound = () => {
    setAsking(false)
    forget()
  }
  const start = () => {
    forgetFound()
    setDeleted((times) => times + 1)
  }
  return (
    <>
      <PageHead title="Delete MAC" />
      <Stack>
        <Card form>
          <Form
            schema={Wanted}
            values={EMPTY}
            resetKey={deleted}
            autoFocus
            label="Search"
            onlyWhenValid
            onSubmit={({ mac }) => search(mac)}
            sending={{ loading, submitError: null }}
          >
            <MacField name="mac" />
            <Forget forget={forgetFound} />
          </Form>
        </Card>
        {/* There before its content, because only what changes in it is announced. */}
        <div aria-live="polite">
          {found !== undefined && (
            <Card flush>
              <FewRows label="Search result" table={table} rows={found ? [found] : []} />
            </Card>
          )}
        </div>
      </Stack>
      <DeleteMacDialog
        client={asking ? (found ?? null) : null}
        onClose={() => setAsking(false)}
        onDone={start}
        onOutdated={({ mac }) => search(mac)}
      />
    </>
  )
}

/** Forgets what was found once something else is typed. */
function Forget({ forget }: { forget: () => void }) {
  useTypedValues(forget)
  return null
}

const EMPTY = { mac: '' }
const Wanted = calls.admin.searchMac.input

/** Searches for a MAC. The data is null where no client has it, and undefined after a failed search. */
function useSearch() {
  const notice = useNotice()
  const notices = noticesOf(calls.admin.searchMac)
  const { mutate, isPending, data, reset } = useMutation<FoundMac | null, ApiError, string>({
    mutationFn: (mac) => send(calls.admin.searchMac, { mac }).catch(noneIfUnknown),
    onSuccess: () => notices && notice.settle(notices.failure),
    onError: (error) => tellFailure(notice, notices, error),
  })
  return { search: mutate, loading: isPending, found: data, forget: reset }
}

function noneIfUnknown(error: ApiError): null {
  if (error.code === 'not_found') return null
  throw error
}

import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { MOST_MOVED } from '../../contract/tree.ts'
import { counted } from '../../contract/words.ts'
import { ApiError } from '../api.ts'
import { failureOf, wordsOf } from '../notices.ts'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { ErrorState } from '../parts/ErrorState.tsx'
import { Box } from '../parts/form/controls.tsx'
import { Form } from '../parts/form/Form.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { Toggle } from '../parts/form/Toggle.tsx'
import { Moment } from '../parts/Moment.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { useCall } from '../queries.ts'
import { useSession } from '../session.tsx'
import { submitOnce } from '../submits.ts'
import { zone } from '../zone.ts'

export interface MoveClientsProps {
  open: boolean
  /** The dealer; undefined while it is loading. The dialog opens only after that. */
  account: AccountBeneath | undefined
  onClose: () => void
}

/** Moves all clients of a dealer to another one, or chosen ones. */
export function MoveClients({ open, account, onClose }: MoveClientsProps) {
  const { data: users } = useCall(calls.session.users, {}, { enabled: open })
  const [chosen, setChosen] = useState<readonly string[]>([])
  const { run, progress, stop } = useRun(() => {
    setChosen([])
    onClose()
  })
  if (!account) return null
  const { name, beneath } = account
  const dealers = users?.filter((user) => user.role === 'dealer' && user.name !== name) ?? []
  const many = (which: string) => (which === 'all' ? beneath.clients : chosen.length)
  return (
    <Dialog open={open} title={`Move clients of ${name}`} onClose={onClose} busy={progress !== null}>
      <Form
        schema={Asked}
        values={ALL_NOWHERE}
        submit={({ to, which }) => says(many(which), to)}
        onSubmit={({ to, which }, form) => {
          if (many(which) > 0) return run(name, to, which === 'all' ? beneath.clients : chosen)
          form.setError('which', { message: 'Please choose at least one client' })
        }}
        loading={progress !== null}
        submitError={null}
        aside={
          progress === null ? (
            <Button autoFocus variant="outlined" onClick={onClose}>
              Cancel
            </Button>
          ) : (
            <Button variant="outlined" disabled={progress.isStopped} onClick={stop}>
              {progress.isStopped ? 'Stopping…' : 'Stop'}
            </Button>
          )
        }
      >
        <p>They take along the months that were used on them, and their history. No balance changes.</p>
        <SelectInput
          name="to"
          label="To"
          options={[
            { value: '', label: 'Choose a dealer' },
            ...dealers.map((user) => ({ value: user.name, label: user.name })),
          ]}
        />
        <SelectInput
          name="which"
          label="Clients"
          options={[
            { value: 'all', label: `All ${beneath.clients.toLocaleString('en-US')}` },
            { value: 'chosen', label: 'Chosen ones' },
          ]}
        />
        <Choice of={name} chosen={chosen} onChoose={setChosen} />
        {progress && (
          <p role="status">
            {progress.moved.toLocaleString('en-US')} of {counted(progress.all, 'client')} moved
          </p>
        )}
      </Form>
    </Dialog>
  )
}

function says(count: number, to: string): string {
  if (count === 0) return 'Move clients'
  return `Move ${counted(count, 'client')}${to && ` to ${to}`}`
}

const ALL_NOWHERE = { to: '', which: 'all' }

const Asked = z.object({
  to: z.string().check(z.minLength(1, 'Please choose a dealer')),
  which: z.enum(['all', 'chosen']),
})

interface ChoiceProps {
  of: string
  chosen: readonly string[]
  onChoose: (names: readonly string[]) => void
}

/** Finds the clients of the dealer, and lets the person tick some of them. */
function Choice({ of, chosen, onChoose }: ChoiceProps) {
  const id = useId()
  const isWanted = useWatch({ name: 'which' }) === 'chosen'
  const [search, setSearch] = useState('')
  const found = useCall(calls.tree.clients, { name: of, search }, { enabled: isWanted, keep: true })
  if (!isWanted) return null
  const { data, error, refetch } = found
  const tick = (name: string, isChosen: boolean) =>
    onChoose(isChosen ? [...chosen, name].slice(0, MOST_MOVED) : chosen.filter((one) => one !== name))
  return (
    <div>
      <label htmlFor={id}>Search by name or MAC</label>
      <Box>
        <input id={id} type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
      </Box>
      {error && !data && <ErrorState message={error.message} onRetry={refetch} />}
      <Found aria-label="Clients found" aria-busy={found.isFetching}>
        {data?.data.map(({ name, mac, expiry }) => (
          <li key={name}>
            <Toggle
              kind="box"
              label={name}
              checked={chosen.includes(name)}
              onChange={(isChosen) => tick(name, isChosen)}
            />
            <span>
              {mac ?? 'Ministra'} · <Moment iso={expiry} zone={zone()} format="date" />
            </span>
          </li>
        ))}
      </Found>
      <p>
        {data && data.count > data.data.length
          ? `The first ${data.data.length} of ${data.count.toLocaleString('en-US')} are shown.`
          : ''}
      </p>
    </div>
  )
}

const Found = styled('ul')(({ theme }) => ({
  listStyle: 'none',
  margin: '8px 0 0',
  padding: 0,
  maxHeight: 280,
  overflowY: 'auto',
  '& li': {
    display: 'flex',
    flexWrap: 'wrap',
    justifyContent: 'space-between',
    alignItems: 'center',
    gap: '0 16px',
    borderBottom: `1px solid ${theme.palette.divider}`,
  },
  '& span': { fontVariantNumeric: 'tabular-nums', color: theme.palette.text.secondary },
}))

interface Run {
  moved: number
  all: number
  /** True once the person has asked to stop after the part that is under way. */
  isStopped: boolean
}

/** Moves in parts of MOST_MOVED, each all or none and once, and can stop between two of them. */
function useRun(onDone: () => void) {
  const session = useSession()
  const cache = useQueryClient()
  const notice = useNotice()
  const [progress, setProgress] = useState<Run | null>(null)
  const isStopped = useRef(false)
  const words = wordsOf(calls.tree.moveClients)
  const stop = () => {
    isStopped.current = true
    setProgress((run) => run && { ...run, isStopped: true })
  }
  // Whoever leaves the page has left the button that stops too.
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )
  const run = async (from: string, to: string, which: number | readonly string[]) => {
    const all = typeof which === 'number' ? which : which.length
    if (all === 0) return
    isStopped.current = false
    setProgress({ moved: 0, all, isStopped: false })
    let moved = 0
    try {
      for (;;) {
        const input = { from, to, ...(typeof which !== 'number' && { clients: [...which] }) }
        const output = await submitOnce(calls.tree.moveClients, input, session.name)
        moved += output.moved
        setProgress((run) => run && { ...run, moved })
        if (typeof which !== 'number' || output.left === 0 || isStopped.current) break
      }
      notice.success(words?.success?.({ from, to }, { status: 'OK', moved, left: 0 }) ?? '')
      onDone()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const [text, reason] = words ? failureOf(words, error) : [error.message]
      const before = moved > 0 ? `${counted(moved, 'client')} moved before. ` : ''
      if (error.code !== 'no_session') notice.error(text, `${before}${reason ?? ''}`)
    } finally {
      setProgress(null)
      cache.invalidateQueries()
    }
  }
  return { run, progress, stop }
}

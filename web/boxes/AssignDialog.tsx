import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type Dispatch, memo, type SetStateAction, useDeferredValue, useMemo, useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { Group } from '../../contract/channels.ts'
import { leavesOutAdults, PACKAGES, packageLabel } from '../../contract/packages.ts'
import { counted } from '../../contract/quantities.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { Cancel } from '../parts/dialog/Cancel.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { Toggle } from '../parts/form/Toggle.tsx'
import { NOT_TWICE } from '../parts/notTwice.ts'
import { Working } from '../parts/Spinner.tsx'
import { searchable } from '../parts/searchable.ts'
import { SearchBox } from '../parts/table/SearchBox.tsx'

/** A package whose groups are chosen, by its value on the wire, or a group whose packages are. */
export type Assigned = number | Group

interface AssignDialogProps {
  open: boolean
  /** Null while the dialog is closed. */
  choosing: Assigned | null
  groups: readonly Group[]
  onClose: () => void
}

/** One line of the matrix of groups and packages: the groups of a package, or the packages of a group. */
export function AssignDialog({ open, choosing, groups, onClose }: AssignDialogProps) {
  // What was chosen last still shows while the dialog fades out.
  const last = useLastValue(choosing)
  const line = useMemo(() => last !== null && lineOf(last, groups), [last, groups])
  return line && <LineDialog key={line.title} open={open} line={line} onClose={onClose} />
}

/** What may be ticked in a dialog. */
interface Tickable {
  id: number
  label: string
  note: string
  /** Whether the package holds the group, as it was loaded. */
  held: boolean
}

interface Line {
  title: string
  noun: 'group' | 'package'
  choices: readonly Tickable[]
  /** Returns the pairs of what the line belongs to with some of its choices. */
  pairs: (ids: number[]) => { packages: number[]; groups: number[] }
}

function lineOf(of: Assigned, groups: readonly Group[]): Line {
  if (typeof of === 'number') {
    return {
      title: `Groups of ${packageLabel(of) ?? ''}`,
      noun: 'group',
      choices: groups.map(({ id, name, channels, adult, packages }) => ({
        id,
        label: name,
        note: adult && leavesOutAdults(of) ? 'for adults: left out' : counted(channels, 'channel'),
        held: packages.includes(of),
      })),
      pairs: (ids) => ({ packages: [of], groups: ids }),
    }
  }
  // A group that has left the playlist since is shown as it was.
  const { name, adult, packages } = groups.find(({ id }) => id === of.id) ?? of
  return {
    title: `Packages of ${name}`,
    noun: 'package',
    choices: PACKAGES.map(({ value, label }) => ({
      id: value,
      label,
      note: adult && leavesOutAdults(value) ? 'leaves it out' : '',
      held: packages.includes(value),
    })),
    pairs: (ids) => ({ packages: ids, groups: [of.id] }),
  }
}

/** Where there are more choices, there is a search. */
const FEW = 10

function LineDialog({ open, line, onClose }: { open: boolean; line: Line; onClose: () => void }) {
  const { title, noun, choices, pairs } = line
  // Only what these change is saved: the playlist may bring other groups meanwhile, and somebody else may change some.
  const [ticks, setTicks] = useState<Ticks>(UNTOUCHED)
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(searchable(typed).trim())
  const found = useMemo(
    () => choices.filter(({ label }) => searchable(label).includes(search)),
    [choices, search],
  )
  // What differs from older ticks would not be what the person has changed.
  const isOld = useIsOld(calls.channels.all)
  const finish = () => {
    setTicks(UNTOUCHED)
    setTyped('')
    onClose()
  }
  const save = useSubmit(calls.channels.assign, { onDone: finish, changes: [calls.channels.all] })
  const close = () => {
    save.reset()
    finish()
  }
  const tickAll = (on: boolean) => setTicks(new Map([...ticks, ...found.map(({ id }) => [id, on] as const)]))
  const changed = (on: boolean) =>
    pairs(choices.filter(({ id, held }) => held !== on && ticks.get(id) === on).map(({ id }) => id))
  // While one searches, these buttons are of what was found.
  const ofThose = search && ' shown'
  return (
    <Dialog
      open={open}
      title={title}
      onClose={close}
      busy={save.loading}
      touched={ticks.size > 0}
      actions={
        <>
          <Cancel autoFocus disabled={save.loading} onClick={close} />
          <Button
            variant="contained"
            disabled={save.loading || (isOld && !save.unanswered)}
            onClick={() => save.submit({ give: changed(true), take: changed(false) })}
          >
            <Working loading={save.loading}>
              Save {counted(choices.filter((choice) => isTicked(choice, ticks)).length, noun)}
            </Working>
          </Button>
        </>
      }
    >
      {save.unanswered && <p role="status">{NOT_TWICE}</p>}
      <Tools>
        {choices.length > FEW && <SearchBox label={`Search ${noun}s`} value={typed} onChange={setTyped} />}
        <div>
          <Button onClick={() => tickAll(true)}>All{ofThose}</Button>
          <Button onClick={() => tickAll(false)}>None{ofThose}</Button>
        </div>
      </Tools>
      <p aria-live="polite">{found.length === 0 && search && `No ${noun} matches`}</p>
      {/* A search leaves the dialog as high as it was. */}
      <div style={{ minHeight: `min(${40 * choices.length}px, 100dvh - 322px)` }}>
        <Items choices={found} ticks={ticks} setTicks={setTicks} />
      </div>
    </Dialog>
  )
}

/** What the person has ticked and unticked. */
type Ticks = ReadonlyMap<number, boolean>

const UNTOUCHED: Ticks = new Map()

function isTicked({ id, held }: Tickable, ticks: Ticks): boolean {
  return ticks.get(id) ?? held
}

interface ItemsProps {
  choices: readonly Tickable[]
  ticks: Ticks
  setTicks: Dispatch<SetStateAction<Ticks>>
}

/** Drawn again only for what changes in it, because there may be 2,000 groups while one types a search. */
const Items = memo(function Items({ choices, ticks, setTicks }: ItemsProps) {
  return (
    <List>
      {choices.map((choice) => (
        <li key={choice.id}>
          <Toggle
            kind="box"
            checked={isTicked(choice, ticks)}
            onChange={(on) => setTicks((before) => new Map([...before, [choice.id, on]]))}
            label={
              <span>
                {choice.label} <small>{choice.note}</small>
              </span>
            }
          />
        </li>
      ))}
    </List>
  )
})

/** Stays in view while the list scrolls beneath it. */
const Tools = styled('div')(({ theme }) => ({
  position: 'sticky',
  zIndex: 1,
  top: -8,
  display: 'grid',
  padding: '8px 0 4px',
  background: theme.palette.background.paper,
  // Their words begin where the ticks do.
  '& > div:last-child': { marginLeft: -16 },
  '& > div > button': { minWidth: 0 },
  '& > *': { maxWidth: 'none' },
}))

const List = styled('ul')(({ theme }) => ({
  '& input': { scrollMarginTop: 112 },
  // With room for the ring of the focus, which would be cut off with all that lies outside.
  '& li': { contentVisibility: 'auto', containIntrinsicHeight: 40, paddingInline: 4, marginInline: -4 },
  '& small': { fontSize: '0.75rem', color: theme.palette.text.secondary },
}))

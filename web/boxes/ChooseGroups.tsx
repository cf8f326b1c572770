import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { Group } from '../../contract/channels.ts'
import { leavesOutAdults, packageLabel } from '../../contract/packages.ts'
import { counted } from '../../contract/words.ts'
import { Cancel } from '../parts/dialog/Cancel.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { Toggle } from '../parts/form/Toggle.tsx'
import { Working } from '../parts/Spinner.tsx'
import { useSubmit } from '../queries.ts'

interface ChooseGroupsProps {
  open: boolean
  /** The package; null while the dialog is closed. */
  choosing: number | null
  groups: readonly Group[]
  onClose: () => void
}

export function ChooseGroups({ open, choosing, groups, onClose }: ChooseGroupsProps) {
  const shown = useLastValue(choosing)
  if (shown === null) return null
  return <Choice key={shown} open={open} of={shown} groups={groups} onClose={onClose} />
}

function Choice({ open, of, groups, onClose }: Omit<ChooseGroupsProps, 'choosing'> & { of: number }) {
  // Only these are saved: the playlist may bring other groups meanwhile, and another admin may change some.
  const [changed, setChanged] = useState<ReadonlyMap<number, boolean>>(new Map())
  const held = groups.filter(({ id, packages }) => changed.get(id) ?? packages.includes(of))
  const isHeld = new Set(held.map(({ id }) => id))
  const close = () => {
    setChanged(new Map())
    onClose()
  }
  const setAll = (on: boolean) => setChanged(new Map(groups.map(({ id }) => [id, on])))
  const save = useSubmit(calls.channels.savePackage, { onDone: close, changes: [calls.channels.all] })
  return (
    <Dialog
      open={open}
      title={`Groups of ${packageLabel(of) ?? ''}`}
      onClose={close}
      busy={save.loading}
      actions={
        <>
          <Button onClick={() => setAll(true)}>All</Button>
          <Button onClick={() => setAll(false)}>None</Button>
          <Cancel autoFocus disabled={save.loading} onClick={close} />
          <Button
            variant="contained"
            disabled={save.loading}
            onClick={() =>
              save.submit({
                package_selection: of as never,
                groups: [...isHeld],
                changed: [...changed.keys()],
              })
            }
          >
            <Working loading={save.loading}>Save {counted(held.length, 'group')}</Working>
          </Button>
        </>
      }
    >
      <List>
        {groups.map(({ id, name, channels, adult }) => (
          <li key={id}>
            <Toggle
              kind="box"
              checked={isHeld.has(id)}
              onChange={(on) => setChanged(new Map([...changed, [id, on]]))}
              label={
                <span>
                  {name} <small>{saying(channels, adult && leavesOutAdults(of))}</small>
                </span>
              }
            />
          </li>
        ))}
      </List>
    </Dialog>
  )
}

function saying(channels: number, isLeftOut: boolean): string {
  return isLeftOut ? 'for adults: left out' : counted(channels, 'channel')
}

const List = styled('ul')(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& li': { contentVisibility: 'auto', containIntrinsicHeight: 40 },
  '& small': { color: theme.palette.text.secondary },
}))

import Button from '@mui/material/Button'
import Drawer from '@mui/material/Drawer'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Settings } from '../../contract/appearance.ts'
import { calls } from '../../contract/calls.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { useBackToClose } from '../parts/dialog/useBackToClose.ts'
import { CHOSEN, FORCED_COLOURS } from '../parts/forcedColours.ts'
import { ringAround } from '../parts/ringAround.ts'
import { useSession } from '../session.tsx'
import { discardSettings, settingsSaved, showSettings, useSettings, useUnsavedSettings } from '../settings.ts'
import { OwnPassword } from './OwnPassword.tsx'
import { ShortcutSwitch } from './ShortcutSwitch.tsx'
import { presets } from './theme.ts'

/** The drawer with the appearance settings, the switch of the shortcuts and the caller's own password. */
export function SettingsDrawer({ side, open, onClose }: SettingsDrawerProps) {
  const content = useRef<HTMLDivElement>(null)
  useBackToClose(open, onClose)
  const close = (_event: object, reason: 'backdropClick' | 'escapeKeyDown') => {
    // As of a dialog, no click beside it discards what was typed.
    const stays = content.current?.querySelector('form:is([data-typed=true], [aria-busy=true])')
    if (!(stays && reason === 'backdropClick')) onClose()
  }
  return (
    <Drawer
      anchor={side}
      open={open}
      onClose={close}
      slotProps={{
        paper: {
          sx: { width: 'min(320px, 100vw)', paddingBottom: 'var(--offline-bar, 0px)' },
          role: 'dialog',
          'aria-label': 'Settings',
        },
      }}
    >
      <Head>
        <h2>Settings</h2>
        <IconButton aria-label="Close settings" onClick={onClose}>
          <X size={18} />
        </IconButton>
      </Head>
      <Content ref={content}>
        <Appearance />
        <ShortcutSwitch />
        <hr />
        <OwnPassword />
      </Content>
    </Drawer>
  )
}

interface SettingsDrawerProps {
  /** The side of the window that it opens from. */
  side: 'left' | 'right'
  open: boolean
  onClose: () => void
}

/**
 * Previews each choice at once. It shows the buttons to save or discard until one of them is pressed. Its first choice
 * takes the focus when the drawer opens.
 */
function Appearance() {
  const { role } = useSession()
  const settings = useSettings()
  const unsaved = useUnsavedSettings()
  const save = useSubmit(calls.desk[role].saveSettings, {
    changes: [],
    onDone: (_output, sent) => settingsSaved(sent),
  })
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector<HTMLElement>(':checked')?.focus(), [])
  return (
    <div ref={place}>
      {CHOICES.map(({ name, field }) => (
        <Choice
          key={field}
          name={name}
          options={Settings.shape[field].options}
          value={settings[field]}
          onChoose={(value) => showSettings({ ...settings, [field]: value })}
        />
      ))}
      {unsaved && (
        <Unsaved>
          <Button variant="outlined" disabled={save.loading} onClick={discardSettings}>
            Discard
          </Button>
          <Button variant="contained" disabled={save.loading} onClick={() => save.submit(unsaved)}>
            Save Changes
          </Button>
        </Unsaved>
      )}
    </div>
  )
}

const CHOICES = [
  { name: 'Mode', field: 'mode' },
  { name: 'Layout', field: 'layout' },
  { name: 'Preset colour', field: 'preset' },
] as const

interface ChoiceProps {
  name: string
  options: readonly string[]
  value: string
  onChoose: (value: string) => void
}

/** A group of radio buttons that look like tiles. */
function Choice({ name, options, value, onChoose }: ChoiceProps) {
  return (
    <Fieldset>
      <legend>{name}</legend>
      {options.map((option) => (
        <label key={option} data-chosen={option === value}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChoose(option)} />
          {presets[option] && <i style={{ background: presets[option] }} />}
          <span>{`${option[0]?.toUpperCase()}${option.slice(1)}`}</span>
        </label>
      ))}
    </Fieldset>
  )
}

const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  minHeight: 64,
  padding: '0 12px 0 24px',
})

const Content = styled('div')(({ theme }) => ({
  padding: '0 24px 24px',
  '& hr': { margin: '24px 0', border: 0, borderTop: `1px solid ${theme.palette.divider}` },
}))

const Unsaved = styled('div')({ display: 'flex', gap: 8, '& > :last-child': { flex: 1 } })

const Fieldset = styled('fieldset')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '1fr 1fr',
  gap: 8,
  minWidth: 0,
  margin: '0 0 24px',
  padding: 0,
  border: 0,
  '& legend': { padding: 0, marginBottom: 8, fontWeight: 600 },
  '& label': {
    position: 'relative',
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 44,
    padding: '0 12px',
    borderRadius: 8,
    border: `1px solid ${theme.palette.edge}`,
    cursor: 'pointer',
    ...ringAround(2),
  },
  '& label[data-chosen=true]': {
    borderColor: theme.palette.accent.text,
    background: theme.palette.accent.fill,
    boxShadow: `inset 0 0 0 1px ${theme.palette.accent.text}`,
  },
  [FORCED_COLOURS]: { '& label[data-chosen=true]': CHOSEN },
  '& input': { position: 'absolute', opacity: 0 },
  '& i': { width: 16, height: 16, borderRadius: 8, flex: 'none', forcedColorAdjust: 'none' },
}))

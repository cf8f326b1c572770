import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { Toggle } from '../parts/form/Toggle.tsx'
import { keepPreferences, useShortcutsOn } from '../preferences.ts'

/** Switches the shortcuts off and on, for this account everywhere. */
export function ShortcutSwitch() {
  const shortcuts = useShortcutsOn()
  const [wanted, setWanted] = useState(shortcuts)
  const save = useSubmit(calls.session.savePreferences, {
    changes: [],
    onDone: (_output, saved) => keepPreferences(saved),
  })
  return (
    <Toggle
      label="Keyboard shortcuts"
      // It shows what was chosen before the server has it, and again what is there if the server refuses.
      checked={save.submitError ? shortcuts : wanted}
      // Not disabled, which would take the focus from it, and Escape from its dialog.
      aria-busy={save.loading}
      onChange={(next) => {
        if (save.loading) return
        setWanted(next)
        save.submit({ shortcuts: next })
      }}
    />
  )
}

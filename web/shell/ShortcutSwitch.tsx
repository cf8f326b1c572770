import { useState } from 'react'
import { Toggle } from '../parts/form/Toggle.tsx'
import { useShortcutsOn } from '../preferences.ts'
import { useSavePreferences } from '../remembered.tsx'

/** Switches the shortcuts off and on, for this account everywhere. */
export function ShortcutSwitch() {
  const shortcuts = useShortcutsOn()
  const [wanted, setWanted] = useState(shortcuts)
  const save = useSavePreferences()
  return (
    <Toggle
      label="Keyboard shortcuts"
      // It shows what was chosen before the server has it; and else what is there, also where another tab has changed it.
      checked={save.loading ? wanted : shortcuts}
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

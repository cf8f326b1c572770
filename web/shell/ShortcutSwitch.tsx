import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { Toggle } from '../parts/form/Toggle.tsx'
import { useSubmit } from '../queries.ts'
import { keepPreferences, usePreferences } from '../session.tsx'

/** Switches the shortcuts off and on, for this account everywhere. */
export function ShortcutSwitch() {
  const { shortcuts = true } = usePreferences()
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
      disabled={save.loading}
      onChange={(next) => {
        setWanted(next)
        save.submit({ shortcuts: next })
      }}
    />
  )
}

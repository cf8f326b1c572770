import { type ReactNode, useEffect, useMemo } from 'react'
import { calls, type InputOf } from '../contract/calls.ts'
import { merged } from '../contract/merge.ts'
import type { Preferences } from '../contract/preferences.ts'
import { ApiError, send } from './calls/api.ts'
import { failureOf, noticesOf } from './calls/notices.ts'
import { useNotice } from './parts/notices/Notices.tsx'
import { NOTHING, TableMemory } from './parts/table/memory.ts'
import { keepPreferences, learnPreferencesAgain, usePreferences } from './preferences.ts'
import { signedInAs } from './session.tsx'

/** Lets the tables within remember how the person arranged them, on the server for the account. */
export function RememberTables({ children }: { children: ReactNode }) {
  const { tables } = usePreferences()
  const remember = useRemember()
  const memory = useMemo(
    () => ({
      of: (name: string) => tables?.[name] ?? NOTHING,
      keep: (name: string, change: object) => remember({ tables: { [name]: change } }),
    }),
    [tables, remember],
  )
  return <TableMemory value={memory}>{children}</TableMemory>
}

type Change = InputOf<typeof calls.session.savePreferences>

/**
 * Returns a function that shows a preference at once and has the server keep it. A save that fails is told, and what
 * was chosen holds on this page.
 */
export function useRemember(): (change: Change) => void {
  const notice = useNotice()
  return useMemo(
    () => (change) => {
      keepPreferences(change)
      const by = signedInAs()
      // One after the other, so that the newest choice is the one that stays.
      saving = saving.then(async () => {
        // By then somebody else may have signed in here.
        if (signedInAs() !== by) return
        try {
          await send(calls.session.savePreferences, change)
          if (unsaved.length > 0) unsaved.push(change)
        } catch (error) {
          unsaved.push(change)
          const notices = noticesOf(calls.session.savePreferences)
          if (notices && error instanceof ApiError && error.code !== 'no_session')
            notice.error(...failureOf(notices, error))
        }
      })
    },
    [notice],
  )
}

/** Asks for the preferences again when the person returns to this tab: they may have changed them on another device. */
export function useLearnOnReturn(): void {
  useEffect(() => {
    const learn = async () => {
      if (document.hidden) return
      // Until then the server does not know what was chosen here.
      await saving
      // What cannot be asked for stays as it is.
      await learnPreferencesAgain(async () => {
        const { preferences } = await send(calls.session.user, {})
        return unsaved.reduce<Preferences>(merged, preferences)
      }).catch(() => {})
    }
    document.addEventListener('visibilitychange', learn)
    return () => {
      document.removeEventListener('visibilitychange', learn)
      // The next who signs in here may be somebody else.
      unsaved = []
    }
  }, [])
}

let saving: Promise<void> = Promise.resolve()
/** What could not be saved, with what was chosen after it. */
let unsaved: Change[] = []

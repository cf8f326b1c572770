import { type ReactNode, useEffect, useMemo } from 'react'
import { calls } from '../contract/calls.ts'
import { ApiError } from './calls/api.ts'
import { noticesOf, tellFailure } from './calls/notices.ts'
import { useSubmit } from './calls/useSubmit.ts'
import { useNotice } from './parts/notices/Notices.tsx'
import { NOTHING, TableMemory } from './parts/table/memory.ts'
import { keepPreferences, learnPreferencesAgain, usePreferences } from './preferences.ts'
import {
  askForPreferences,
  type Change,
  forgetUnsaved,
  savePreferences,
  whenSaved,
} from './savePreferences.ts'

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

/**
 * Returns a function that shows a preference at once and has the server keep it. A save that fails is told, and what
 * was chosen holds on this page. For what is chosen in passing; `useSavePreferences` is for what a button saves.
 */
export function useRemember(): (change: Change) => void {
  const notice = useNotice()
  return useMemo(
    () => async (change) => {
      keepPreferences(change)
      try {
        await savePreferences(change)
      } catch (error) {
        if (error instanceof ApiError) tellFailure(notice, noticesOf(calls.session.savePreferences), error)
      }
    },
    [notice],
  )
}

/**
 * Saves preferences with a notice, and shows them once the server has them. For what the person sets with a button or
 * a switch, and wants to know of; `useRemember` is for what is chosen in passing.
 */
export function useSavePreferences(onDone?: () => void) {
  return useSubmit(calls.session.savePreferences, {
    changes: [],
    onDone: (_output, saved) => {
      keepPreferences(saved)
      onDone?.()
    },
  })
}

/** Asks for the preferences again when the person returns to this tab: they may have changed them on another device. */
export function useLearnOnReturn(): void {
  useEffect(() => {
    const learn = async () => {
      if (document.hidden) return
      // Until then the server does not know what was chosen here.
      await whenSaved()
      // What cannot be asked for stays as it is.
      await learnPreferencesAgain(askForPreferences).catch(() => {})
    }
    document.addEventListener('visibilitychange', learn)
    return () => {
      document.removeEventListener('visibilitychange', learn)
      forgetUnsaved()
    }
  }, [])
}

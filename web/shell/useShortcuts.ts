import { useLayoutEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import type { Role } from '../../contract/roles.ts'
import { levelBeneath } from '../levels.ts'
import { focusedRow, stepRow } from '../parts/table/tabStops.ts'
import { useShortcutsOn } from '../preferences.ts'
import { to } from '../screens.ts'
import { useSession } from '../session.tsx'

interface Acts {
  onFind: () => void
  onHelp: () => void
}

/**
 * Single keys that act from anywhere, and Ctrl or Cmd with K. A key that is typed into a field stays there, and none
 * acts under a dialog or where the person has switched them off.
 */
export function useShortcuts({ onFind, onHelp }: Acts): void {
  const { role } = useSession()
  const shortcuts = useShortcutsOn()
  const navigate = useNavigate()
  const acts = useRef<Record<string, () => void>>({})
  acts.current = {
    '/': onFind,
    '?': onHelp,
    n: () => navigate(wayToNew(role)),
    j: () => stepRow(1),
    k: () => stepRow(-1),
    x: () => focusedRow()?.querySelector<HTMLElement>('input[type=checkbox]')?.click(),
    r: () => buttonFor('r')?.click(),
  }
  // Before the page is painted for the first time: a passive effect might miss the first key of a quick person.
  useLayoutEffect(() => {
    if (!shortcuts) return
    const press = (event: KeyboardEvent) => {
      const act = isFind(event) ? acts.current['/'] : isPlain(event) ? acts.current[event.key] : undefined
      if (!act || event.defaultPrevented || isTaken(event.target as Element)) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [shortcuts])
}

function isFind({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey
}

function isPlain({ ctrlKey, metaKey, altKey, isComposing, repeat, key }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && !isComposing && (!repeat || key === 'j' || key === 'k')
}

/** Whether a key belongs to what has the focus, or to a dialog or menu that is open. */
function isTaken(target: Element): boolean {
  const field = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
  return (
    target.closest(field) !== null ||
    document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null
  )
}

/** The button of the focused row that a key presses, or the one of the page. */
function buttonFor(key: string): HTMLElement | null {
  const button = `[aria-keyshortcuts=${key}]`
  return (
    focusedRow()?.querySelector<HTMLElement>(button) ??
    document.querySelector(`main ${button}:not([data-rows] *)`)
  )
}

function wayToNew(role: Role): string {
  const level = levelBeneath(role)
  return level ? to.level[level.role].add() : to.newClient()
}

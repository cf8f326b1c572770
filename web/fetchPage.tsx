import type { ComponentType } from 'react'
import type { LevelName } from '../contract/levels.ts'
import type { Role } from '../contract/roles.ts'
import { type ConsoleScreen, screenAt } from './screens.ts'

type Pages = Record<string, ComponentType<{ level?: LevelName }>>

// Each page is a chunk of its own. A test checks that each screen has its file here.
const files = import.meta.glob<Pages>(['./pages/*.tsx', '!./pages/Login.tsx'])

/** Loads the component of a screen's page. */
export async function fetchPage({ page, level }: ConsoleScreen): Promise<ComponentType> {
  const Page = (await files[`./pages/${page}.tsx`]?.())?.[page]
  if (!Page) throw new Error(`There is no page ${page}`)
  return level ? () => <Page level={level} /> : Page
}

/** Begins to load the page of an address while the router itself is still loading. */
export function fetchPageAt(pathname: string, role: Role): void {
  const screen = screenAt(pathname, role)
  if (screen) fetchPage(screen).catch(() => {})
}

/** Begins to load the page of a link that is pointed at, touched or focused, until the returned function is called. */
export function fetchPointedAt(role: Role): () => void {
  const fetchIt = ({ target }: Event) => {
    const link = target instanceof Element && target.closest('a')
    if (link && link.origin === window.location.origin) fetchPageAt(link.pathname, role)
  }
  const kinds = ['pointerover', 'focusin']
  for (const kind of kinds) document.addEventListener(kind, fetchIt)
  return () => {
    for (const kind of kinds) document.removeEventListener(kind, fetchIt)
  }
}

/** Returns whether the browser says that the line is slow, or that the person saves data. Not every browser does. */
export function isLinePoor(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } }
  return connection?.saveData === true || /[23]g/.test(connection?.effectiveType ?? '')
}

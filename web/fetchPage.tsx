import type { ComponentType } from 'react'
import type { LevelName } from '../contract/levels.ts'
import type { Role } from '../contract/roles.ts'
import { type ConsoleScreen, everyScreen, to } from './screens.ts'

type Pages = Record<string, ComponentType<{ level?: LevelName }>>

// Each is a script of its own, fetched when its screen is first gone to. A test holds that each screen has its file.
const files = import.meta.glob<Pages>(['./pages/*.tsx', '!./pages/Login.tsx'])

/** Fetches the page of a screen. */
export async function fetchPage({ page, level }: ConsoleScreen): Promise<ComponentType> {
  const Page = (await files[`./pages/${page}.tsx`]?.())?.[page]
  if (!Page) throw new Error(`There is no page ${page}`)
  return level ? () => <Page level={level} /> : Page
}

/** Fetches the page of an address ahead of the router, which comes at the same time. */
export function fetchPageAt(pathname: string, role: Role): void {
  const path = pathname === '/' ? to.home[role]() : pathname
  const screen = everyScreen.find((one) => one.roles.includes(role) && patternOf(one).test(path))
  if (screen) fetchPage(screen).catch(() => {})
}

function patternOf({ path }: ConsoleScreen): RegExp {
  return new RegExp(`^${path.replace(':name', '[^/]+')}/?$`, 'i')
}

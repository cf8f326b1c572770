import { useMatches } from 'react-router'
import type { ConsoleScreen } from '../screens.ts'

/** Returns the declaration of the screen at the current address; undefined where there is none. */
export function useScreen(): ConsoleScreen | undefined {
  return useMatches().at(-1)?.handle as ConsoleScreen | undefined
}

import { useMatches } from 'react-router'
import type { ConsoleScreen } from '../screens.ts'

/** The screen on view; undefined where the address is none's. */
export function useScreen(): ConsoleScreen | undefined {
  return useMatches().at(-1)?.handle as ConsoleScreen | undefined
}

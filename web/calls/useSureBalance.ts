import { calls } from '../../contract/calls.ts'
import { useSession } from '../session.tsx'
import { useBalance } from './useBalance.ts'
import { useIsOld } from './useIsOld.ts'

/**
 * Returns the caller's balance as `useBalance` does, but undefined also while it is from before the last change: for what is
 * asked or priced with it.
 */
export function useSureBalance(): number | null | undefined {
  const { role } = useSession()
  const { credits } = useBalance()
  // The admin has no such call.
  const isOld = useIsOld(calls.credits[role === 'admin' ? 'dealer' : role])
  return isOld ? undefined : credits
}

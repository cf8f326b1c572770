import { useWatch } from 'react-hook-form'
import type { ApiError } from '../calls/api.ts'
import { useEndOfError } from '../parts/form/useEndOfError.ts'
import { startCost } from './newClient.ts'

/** Takes the refusal of a MAC that only a trial may not have from its field once months are chosen that are paid. */
export function useMacOfTrial(refused: ApiError['code'] | undefined): void {
  const cost = startCost(useWatch({ name: 'months' }))
  const isOfTrial = refused === 'mac_had_trial' || refused === 'trials_used_up'
  useEndOfError('stb_mac', isOfTrial && cost > 0)
}

import type { calls } from '../../../contract/calls.ts'
import type { Handlers } from '../../context.ts'
import { chosen } from './chosen.ts'
import { clientDetail } from './detail.ts'
import { resetDevice } from './device.ts'
import { createClient } from './new.ts'
import { saveClient } from './save.ts'

export const clients: Pick<
  Handlers<typeof calls.clients>,
  'create' | 'detail' | 'save' | 'multiquote' | 'multisave' | 'reset'
> = {
  create: createClient,
  detail: clientDetail,
  save: saveClient,
  reset: resetDevice,
  ...chosen,
}

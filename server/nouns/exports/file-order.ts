import type { Account } from '../../context.ts'
import type { Connect } from '../../postgres/pool.ts'
import type { ChosenClients, Selected } from './listing.ts'

export type Format = 'csv' | 'pdf'

export type Wanted =
  | { kind: 'clients'; selection: ChosenClients & { format: Format } }
  | { kind: 'transactions'; selection: Selected }

export type FileOrder = {
  database: Connect
  account: Account
  now: Date
  business: { zone: string }
  wanted: Wanted
}

/** Why a file cannot be made. A process that ends with 0 has made it whole. */
export type Fault = { message: string; stack: string | undefined; code: string | undefined }

import { part } from '../parts/dialog/later.tsx'
import type { ExportTransactionsProps } from './ExportTransactions.tsx'

/** The dialog that exports transactions, fetched after the page. */
export const exportDialog = part<ExportTransactionsProps>(
  async () => (await import('./ExportTransactions.tsx')).ExportTransactions,
)

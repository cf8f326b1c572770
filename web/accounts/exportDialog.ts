import { chunk } from '../parts/chunk.ts'

/** The dialog that exports transactions, fetched after the page. */
export const exportDialog = chunk(async () => (await import('./ExportTransactions.tsx')).ExportTransactions)

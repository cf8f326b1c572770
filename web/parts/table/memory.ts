import { createContext } from 'react'
import type { Order } from './table.ts'

/** How the person likes to see a table, where that is not as usual. */
export interface Remembered {
  rows?: number | undefined
  dense?: boolean | undefined
  sort?: string | undefined
  order?: Order | undefined
  columns?: Readonly<Record<string, boolean>> | undefined
}

/** Reads and keeps what is remembered of tables, by their names. By default nothing is. */
export const TableMemory = createContext<{
  of: (name: string) => Remembered
  keep: (name: string, change: Remembered) => void
}>({ of: () => NOTHING, keep() {} })

export const NOTHING: Remembered = {}

import { LEVELS, type LevelName } from '../contract/levels.ts'

/** A level as the console shows it. */
export type Level = (typeof LEVELS)[LevelName] & {
  plural: string
  /** The noun within a sentence. */
  inSentence: string
  /** What the total above the list counts, and what it is called. */
  total: { label: string; field: 'totalClients' | 'count' }
  /** Whether the list shows what stands beneath each account, rather than when it was created. */
  showsBeneath: boolean
  /** Whether the update screen has the daily statistics and their chart. */
  hasStatistics: boolean
  /** Where a successful change of credits leads. */
  afterUpdate: 'stay' | 'list'
}

export const levels: Record<LevelName, Level> = {
  superreseller: {
    ...wordsOf('superreseller'),
    total: { label: 'Total Clients', field: 'totalClients' },
    showsBeneath: true,
    hasStatistics: true,
    afterUpdate: 'stay',
  },
  reseller: plain('reseller'),
  dealer: plain('dealer'),
}

function plain(name: LevelName): Level {
  const words = wordsOf(name)
  return {
    ...words,
    total: { label: `Total ${words.plural}`, field: 'count' },
    showsBeneath: false,
    hasStatistics: false,
    afterUpdate: 'list',
  }
}

function wordsOf(name: LevelName) {
  const { title } = LEVELS[name]
  return { ...LEVELS[name], plural: `${title}s`, inSentence: title.toLowerCase() }
}

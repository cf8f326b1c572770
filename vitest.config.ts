import { defineConfig } from 'vitest/config'

/** Suites that talk to a database share one server, started before the first of them. */
const database = { globalSetup: './test/support/global.ts', pool: 'forks' as const }

/** `npm run faults` tries at length what `npm test` tries shortly. */
const FAULTS = process.env.THOROUGH === '1'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['contract/**/*.test.ts', 'web/**/*.test.{ts,tsx}', 'test/*.test.ts'],
        },
      },
      {
        test: {
          ...database,
          name: 'server',
          include: ['server/**/*.test.ts', 'test/laws/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...database,
          // The server's own suites once more, on a PostgreSQL that it has not started itself.
          name: 'external',
          include: [
            'server/app.test.ts',
            'server/{access,corridor,jobs,ledger,nouns}/**/*.test.ts',
            'test/laws/several.test.ts',
          ],
          exclude: ['server/access/{seal,secret,password}.test.ts', 'server/corridor/openapi/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...database,
          name: 'faults',
          include: ['test/faults/**/*.test.ts', ...(FAULTS ? ['test/laws/{ledger,hostile}.test.ts'] : [])],
          testTimeout: 3_600_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          ...database,
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // A browser, the console and its database keep two cores busy by themselves.
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Suites start many processes that load the same modules. Compiled once, they load in half of the time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/**
 * Suites that talk to a database share one server, started before the first of them. What is waited for comes within
 * milliseconds here, and within these limits on a machine that is many times slower or busy with something else.
 */
const database = {
  globalSetup: './test/support/global-setup.ts',
  pool: 'forks' as const,
  expect: { poll: { timeout: 20_000 } },
  hookTimeout: 120_000,
}

/** In milliseconds, for a test. */
const testTimeout = 120_000

/** `npm run faults` repeats at length what `npm test` tries a few times. */
const FAULTS = process.env.THOROUGH === '1'

/** `npm run kodi` drives the real Kodi, which is no part of this repository. */
const KODI = process.env.KODI === '1'

/** The suites of random tries, of which `npm run faults` makes many more. */
const LONG_LAWS = 'test/laws/{at-once,boxes,days,gateways,hostile,hostile-boxes,ledger,rows,trials}.test.ts'

/**
 * Suites that are not repeated on another PostgreSQL: they use none, or one that they start themselves, or change the built
 * console, of which there is one.
 */
const NOT_REPEATED = [
  'server/access/{seal,secret-key,password}.test.ts',
  'server/corridor/{console,early-answer,error-to-refusal}.test.ts',
  'server/corridor/openapi/*.test.ts',
  'server/corridor/small-disk.test.ts',
  'server/jobs/heartbeat.test.ts',
  'server/nouns/channels/{adults,download,parse-playlist,read-in-thread,rebinding}.test.ts',
  'server/nouns/exports/{pace,spare-processes}.test.ts',
]

/**
 * Suites that put something else in place of a module, or expect how often their process has done something. All others of the
 * server share the processes that run them, which load its modules once: that takes a tenth off their time.
 */
const IN_PROCESSES_OF_THEIR_OWN = [
  'server/{metrics,backup/without-links,corridor/openapi/openapi}.test.ts',
  'server/nouns/{channels/rebinding,exports/spare-processes,statistics}.test.ts',
]

/** Suites of what PostgreSQL's configuration can change most: locks, transactions, grants and connections. */
const MOSTLY_DATABASE = [
  'server/boxes/channels/channels.test.ts',
  'server/jobs/*.test.ts',
  'server/ledger/{purchases,transfer,zone-rules}.test.ts',
  'server/corridor/{health,idempotency}.test.ts',
  'server/nouns/renewals.test.ts',
]

/**
 * Projects that share their workers, so that none waits for another's last file. They spend half of their time waiting,
 * for time limits, locks and other processes, so four workers share two cores.
 */
const inParallel = { maxWorkers: 4, sequence: { groupOrder: 1 } }

/**
 * The server's own suites once more, on a PostgreSQL that it has not started itself: over TCP, with passwords and another
 * configuration. `npm test` repeats those that say most about the database, on the oldest PostgreSQL that is supported where
 * that is installed. `npm run faults` repeats all those of calls, boxes and jobs, on the newest and the oldest.
 */
function external(name: string) {
  return {
    test: {
      ...database,
      ...inParallel,
      name,
      include: [
        ...(FAULTS
          ? ['server/app.test.ts', 'server/{access,boxes,corridor,jobs,ledger,nouns}/**/*.test.ts']
          : MOSTLY_DATABASE),
        'test/laws/several.test.ts',
      ],
      exclude: NOT_REPEATED,
      testTimeout,
    },
  }
}

const HAS_OLDEST = existsSync('/usr/lib/postgresql/15/bin/postgres')
if (!HAS_OLDEST) process.stderr.write("PostgreSQL 15 is not tried: install Debian's package postgresql-15.\n")

function externals() {
  if (!HAS_OLDEST) return [external('external')]
  const oldest = external('external-15')
  // Names that PostgreSQL gives by itself differ between the two.
  oldest.test.include.push('server/postgres/schema.test.ts')
  if (!FAULTS) return [oldest]
  oldest.test.include.push('server/verify/verify.test.ts', 'server/postgres/{begin,grants,steps}.test.ts')
  return [external('external'), oldest]
}

/** Small files whose suites are among the longest. */
const LONGEST = /(screens-(desk|phone)|install|story|faults.(cluster|boxes))\.test\.ts$/

/**
 * In a fresh clone, where no suite's duration is known, Vitest begins with the largest file. These would be the last then,
 * beside which a worker has nothing to do.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId)
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['contract/**/*.test.ts', 'web/**/*.test.{ts,tsx}', 'test/*.test.ts'],
          maxWorkers: 2,
          expect: database.expect,
          testTimeout,
        },
      },
      {
        test: {
          ...database,
          ...inParallel,
          name: 'server',
          include: ['server/**/*.test.ts', 'test/laws/**/*.test.ts'],
          exclude: [LONG_LAWS, ...IN_PROCESSES_OF_THEIR_OWN],
          isolate: false,
          testTimeout,
        },
      },
      {
        test: {
          ...database,
          ...inParallel,
          name: 'alone',
          include: IN_PROCESSES_OF_THEIR_OWN,
          testTimeout,
        },
      },
      ...externals(),
      {
        test: {
          ...database,
          ...inParallel,
          name: 'laws',
          include: [LONG_LAWS],
          isolate: false,
          testTimeout: 3_600_000,
        },
      },
      {
        test: {
          ...database,
          ...inParallel,
          // The strict limits of `npm run faults` leave no room for a third that works beside them.
          ...(FAULTS && { maxWorkers: 2 }),
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: 3_600_000,
        },
      },
      ...(KODI
        ? [
            {
              test: {
                ...database,
                name: 'kodi',
                include: ['test/kodi/**/*.test.ts'],
                testTimeout: 600_000,
              },
            },
          ]
        : []),
      {
        test: {
          ...database,
          name: 'journeys',
          globalSetup: ['./test/support/install-chromium.ts', database.globalSetup],
          include: ['test/journeys/**/*.test.ts'],
          // They share a browser, too: see test/support/browser.ts.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // Some wait for what a person would wait for: a lost answer, a notice that closes by itself.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

import { spawnSync } from 'node:child_process'
import { startConsole } from '../test/support/console.ts'
import { type Figure, ofRounds, type Round, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { postmasterOf } from './watch.ts'

const STARTS = 5
const LIMIT_MS = 3_000

/** Measures how soon the console is ready on a million clients, after a regular stop and after kills. */
export async function* startFigures({ million }: Folders): AsyncGenerator<Figure> {
  yield* figures('Ready after a regular stop', million, (console) => console.stop())
  yield* figures('Ready after a SIGKILL of the console', million, (console) => console.stop('SIGKILL'))
  yield* figures('Ready after a SIGKILL of the console and the database', million, async (console) => {
    await console.stop('SIGKILL')
    process.kill(postmasterOf(million), 'SIGKILL')
  })
}

type Running = Awaited<ReturnType<typeof startConsole>>

async function* figures(
  what: string,
  dataDir: string,
  end: (console: Running) => Promise<unknown>,
): AsyncGenerator<Figure> {
  const rounds: Round[] = []
  let console = await startConsole({ dataDir })
  for (let time = 0; time < STARTS; time += 1) {
    await end(console)
    const began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    const bare = performance.now()
    console = await startConsole({ dataDir })
    rounds.push({ ours: performance.now() - bare, theirs: bare - began })
  }
  await console.stop()
  yield { what, ...ofRounds(rounds.map(({ ours }) => ours)), limit: LIMIT_MS, unit: 'ms' }
  yield ratioOf(rounds, { what: '    the same, beside a bare start of Node', limit: null, absolute: 'ms' })
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAJOR } from '../server/postgres/binaries.ts'
import { startConsole } from '../test/support/console.ts'
import { type Figure, median } from './figure.ts'
import type { Folders } from './fill.ts'

const STARTS = 3
const LIMIT_MS = 3_000

/** Measures how soon the console is ready on a million clients, after a regular stop and after kills. */
export async function* startFigures({ million }: Folders): AsyncGenerator<Figure> {
  yield await figure('Ready after a regular stop', million, (console) => console.stop())
  yield await figure('Ready after a SIGKILL of the console', million, (console) => console.stop('SIGKILL'))
  yield await figure('Ready after a SIGKILL of the console and the database', million, async (console) => {
    await console.stop('SIGKILL')
    const [pid] = readFileSync(join(million, `postgres-${MAJOR}`, 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGKILL')
  })
}

type Running = Awaited<ReturnType<typeof startConsole>>

async function figure(
  what: string,
  dataDir: string,
  end: (console: Running) => Promise<unknown>,
): Promise<Figure> {
  const times: number[] = []
  let console = await startConsole({ dataDir })
  for (let time = 0; time < STARTS; time += 1) {
    await end(console)
    const began = performance.now()
    console = await startConsole({ dataDir })
    times.push(performance.now() - began)
  }
  await console.stop()
  return { what, value: median(times), limit: LIMIT_MS, unit: 'ms' }
}

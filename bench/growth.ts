import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freeSpaceOf } from '../server/postgres/files.ts'
import { measureChanges, UNMEASURED } from './changes.ts'
import { type Figure, median, ofRounds, worseOf } from './figure.ts'
import { FILLS, filled, rootFolder } from './fill.ts'
import { measureReads } from './reads.ts'

/** The highest exponent: a hundred times as many clients may make a call five times as slow. */
const MOST = 0.35
/** What five million clients take on the disk, with what the filling needs meanwhile, in bytes. */
const ROOM = 40e9

/**
 * Measures every call that reads, and nearly every call that changes something, on ten thousand, a million and five
 * million clients by turns, and fits each call's cost to a power of the number of clients. Exports are left out: they
 * are as long as what they hold.
 */
export async function* growthFigures(
  _folders: unknown,
  say: (line: string) => void,
): AsyncGenerator<Figure | string> {
  const names: (keyof typeof FILLS)[] = ['tenthousand', 'million']
  const isFilled = existsSync(join(rootFolder(), 'fivemillion'))
  if (isFilled || freeSpaceOf(rootFolder()) > ROOM) names.push('fivemillion')
  else yield 'The disk has no room for five million clients, so the growth is told up to one million.'
  const folders: string[] = []
  for (const name of names) folders.push(await filled(name, say))
  const clients = names.map((name) => FILLS[name].clients)

  const worst = new Map<string, Figure>()
  for (const { key, times } of await measureReads(folders)) {
    const call = callOf(key)
    const figure = growthOfCall(call, clients, times)
    const other = worst.get(call)
    worst.set(call, other ? worseOf(figure, other) : figure)
  }
  yield* [...worst.values()].sort((a, b) => b.value - a.value)
  for await (const { call, times } of measureChanges(folders)) yield growthOfCall(call, clients, times)
  yield `    Calls that change something and are not measured: ${UNMEASURED.join(', ')}.`
}

/** Returns the call of a case: a list's sort and search without its direction, filter and end. */
function callOf(key: string): string {
  return key.replace(/ (asc|desc) .*$/, '')
}

/** @param times the times of each database, made by turns */
function growthOfCall(
  call: string,
  clients: readonly number[],
  times: readonly (readonly number[])[],
): Figure {
  const medians = times.map(median)
  const rounds = times[0]?.map((_, round) => times.map((of) => of[round] ?? Number.NaN)) ?? []
  return {
    what: `Growth of ${call}`,
    ...ofRounds(rounds.map((ms) => exponentOf(clients, ms))),
    limit: MOST,
    unit: '',
    // A call that waits for something else at first may grow all the more later.
    absolute: `${medians.map((ms) => ms.toFixed(1)).join(', ')} ms; in the last step ${exponentOf(clients.slice(-2), medians.slice(-2)).toFixed(2)}`,
  }
}

/** Returns the power of the number of clients with which a cost grows: the slope of its logarithms' line. */
function exponentOf(clients: readonly number[], ms: readonly number[]): number {
  const [x, y] = [clients.map(Math.log), ms.map(Math.log)]
  const [meanX, meanY] = [mean(x), mean(y)]
  const across = x.reduce((sum, one, at) => sum + (one - meanX) * ((y[at] ?? 0) - meanY), 0)
  return across / x.reduce((sum, one) => sum + (one - meanX) ** 2, 0)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length
}

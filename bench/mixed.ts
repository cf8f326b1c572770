import { cpus } from 'node:os'
import { prove } from '../server/verify/proof.ts'
import type { Console } from '../test/support/console.ts'
import { LONG, MANY, READS, type What, WRITES } from './acts.ts'
import { openDatabaseOf } from './database.ts'
import type { Dealt, Made, Order, Work } from './dealer-process.ts'
import { type Figure, grouped, growthOf, median, quantile, type Round, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { startLoggedConsole } from './logged-console.ts'
import { type Renewer, renewersOf } from './renewers.ts'
import { startProcess } from './run-process.ts'
import { familyTime, postmasterOf, processorTime, type StandStill, watchDisk, watchMemory } from './watch.ts'

const DEALERS = 200
/** Ten minutes under load, each after what the machine bears then, and after the same calls alone. */
const MINUTES = 10
const MINUTE_MS = 60_000
const ALONE_MS = 5_000
/** The load of the measurement, as a share of the most that the machine can do. */
const SHARE = 0.7
/** How many dealers act at once, without a pause, until more of them get no more done. */
const RAMP = [4, 8, 16, 32, 64]
const STEP_MS = 20_000
/** How many connections a dealer has that never pauses, and how often the others are measured with and without it. */
const GREEDY = 32
const ROUNDS = 5
const ROUND_MS = 10_000
/** What works is killed if it takes so much longer than it should. */
const GRACE_MS = 60_000
const TOO_LONG_MS = 1_000
/** From this share of the machine on that other programs take, a minute counts as disturbed: the load was too high. */
const DISTURBED = 0.1

/** One minute: how many acts a second the machine bore right before, the same calls alone, then under load. */
interface Minute {
  bore: number
  alone: Dealt
  loaded: Watched
}
/**
 * `server` is its part of a core; `machine` and `others` are how busy all programs and those of others kept the
 * machine.
 */
type Watched = Dealt & {
  server: number
  machine: number
  others: number
  memory: readonly number[]
  stoodStill: readonly StandStill[]
}

/**
 * Measures 200 dealers at work for ten minutes: what they wait for beside the same calls alone, the server's memory,
 * fairness, and whether the ledger is sound then. Each minute's load is a share of what the machine was found to bear right
 * before it, since the speed of a virtual machine can change by a third within ten minutes. What works runs on the same
 * cores, so it is part of the load.
 */
export async function* mixedFigures(
  { million }: Folders,
  say: (line: string) => void,
): AsyncGenerator<Figure | string> {
  const console = await startLoggedConsole(million)
  const { database, sql, close } = await openDatabaseOf(million, 'server')
  try {
    const dealers = await renewersOf(sql, { dealers: DEALERS, clients: MANY })
    const crew = { console, dealers, postmaster: postmasterOf(million), folder: million }
    const { atOnce } = yield* bears(crew, RAMP)
    const minutes: Minute[] = []
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const { rate: bore } = yield* bears(crew, [atOnce])
      const alone = await deal(crew, ALONE_MS, { kind: 'alone' })
      const loaded = await deal(crew, MINUTE_MS, { kind: 'at a rate', perSecond: SHARE * bore, greedy: 0 })
      minutes.push({ bore, alone, loaded })
      yield inWords(`Minute ${minute + 1}`, loaded)
    }
    const { rate: after } = yield* bears(crew, [atOnce])
    yield* loadFigures(minutes, after)
    yield* timeFigures(minutes)
    yield* memoryFigures(minutes)
    yield* fairnessFigures(minutes, dealers)
    yield await besideGreedy(crew, SHARE * after)
    yield {
      what: 'Faults that verify finds then',
      value: await prove(database, say),
      limit: 0,
      unit: '',
    }
  } finally {
    await close()
    await console.stop()
  }
}

type Crew = { console: Console; dealers: readonly Renewer[]; postmaster: number; folder: string }

/** Finds how many acts a second the machine bears, and how many dealers at once get so much done. */
async function* bears(
  crew: Crew,
  ramp: readonly number[],
): AsyncGenerator<string, { rate: number; atOnce: number }> {
  let best = { rate: 0, atOnce: 0 }
  for (const atOnce of ramp) {
    const dealt = await deal(crew, STEP_MS, { kind: 'without a pause', atOnce })
    if (rateOf(dealt) > best.rate) best = { rate: rateOf(dealt), atOnce }
    yield inWords(`${atOnce} dealers without a pause`, dealt)
  }
  return best
}

/** Has the dealers work, and watches the server and the machine meanwhile. */
async function deal(
  { console, dealers, postmaster, folder }: Crew,
  milliseconds: number,
  work: Work,
): Promise<Watched> {
  const pid = console.process.pid as number
  const order: Order = {
    ...{ url: console.url, milliseconds, work },
    dealers: dealers.map(({ token, clients }) => ({ token, clients })),
  }
  const spent = () => ({
    server: processorTime(pid),
    ours: familyTime(process.pid) + familyTime(postmaster),
    ...machineTime(),
  })
  const memory = watchMemory(pid)
  const endDisk = watchDisk(folder)
  const before = spent()
  const { answer: dealt } = await startProcess<Dealt>('dealer-process.ts', order, milliseconds + GRACE_MS)
  const after = spent()
  memory.stop()
  const stoodStill = endDisk()
  const during = (key: keyof typeof after) => after[key] - before[key]
  return {
    ...dealt,
    server: during('server') / dealt.milliseconds,
    machine: during('busy') / during('all'),
    others: Math.max(0, during('busy') - during('ours')) / during('all'),
    memory: memory.samples,
    stoodStill,
  }
}

/** Returns the time of all cores so far, and that in which they were busy, in milliseconds. */
function machineTime(): { busy: number; all: number } {
  const times = cpus().map(({ times }) => times)
  const all = sumOf(times.flatMap((each) => Object.values(each)))
  return { all, busy: all - sumOf(times.map(({ idle }) => idle)) }
}

/** Returns how many acts succeeded in a second. One that is refused is quick, and nobody is served by it. */
function rateOf({ acts, errors, milliseconds }: Dealt): number {
  return (1000 * (acts.reduce((sum, { begun }) => sum + begun, 0) - errors.length)) / milliseconds
}

function inWords(what: string, dealt: Watched): string {
  const ms = (part: number, kinds: readonly What[]) =>
    `${Math.round(quantile(timesOf(dealt.made, kinds), part))}`
  return [
    `    ${what.padEnd(32)}${rateOf(dealt).toFixed(0).padStart(5)} acts/s`,
    `p50 and p99 of reads ${ms(0.5, READS)}, ${ms(0.99, READS)} ms`,
    `of writes ${ms(0.5, WRITES)}, ${ms(0.99, WRITES)} ms`,
    `the server's process ${dealt.server.toFixed(2)} of a core`,
    `${dealt.made.filter(isTooLong).length} calls of more than a second, ${dealt.errors.length} errors`,
    `the disk stood still for ${milliseconds(dealt.stoodStill)} ms`,
    `the machine ${percent(dealt.machine)} busy, ${percent(dealt.others)} by other programs`,
  ].join('; ')
}

function percent(part: number): string {
  return `${Math.round(100 * part)} %`
}

function milliseconds(times: readonly StandStill[]): number {
  return sumOf(times.map(({ from, to }) => to - from))
}

function isTooLong({ ms }: Made): boolean {
  return ms > TOO_LONG_MS
}

function* loadFigures(minutes: readonly Minute[], after: number): Generator<Figure> {
  const rounds = minutes.flatMap(({ bore, loaded }, at) =>
    [bore, minutes[at + 1]?.bore ?? after].map((theirs) => ({ ours: rateOf(loaded), theirs })),
  )
  yield ratioOf(rounds, {
    what: `The load of ${DEALERS} dealers, beside what the machine bore right before and after each minute`,
    limit: null,
    absolute: 'acts/s',
  })
}

function* timeFigures(minutes: readonly Minute[]): Generator<Figure | string> {
  const together = { reads: READS, writes: WRITES }
  for (const [what, kinds] of Object.entries(together)) {
    for (const part of [0.5, 0.99]) {
      yield besideAlone(`p${100 * part} of ${what}, beside the same calls alone`, minutes, kinds, part)
    }
  }
  for (const kind of LONG) yield besideAlone(`${NAMES[kind]}, beside the same alone`, minutes, [kind], 0.5)
  const made = minutes.flatMap(({ loaded }) => loaded.made)
  const disturbed = minutes
    .filter(({ loaded }) => loaded.others >= DISTURBED)
    .flatMap(({ loaded }) => loaded.made.filter(isTooLong)).length
  const stoodStill = minutes.flatMap(({ loaded }) => loaded.stoodStill)
  const waited = made
    .filter(isTooLong)
    .filter(({ at, ms }) => stoodStill.some(({ from, to }) => from < at && at - ms < to))
  const longest = made.reduce((longest, one) => (one.ms > longest.ms ? one : longest))
  yield {
    what: 'Calls of more than a second',
    value: made.filter(isTooLong).length,
    limit: 0,
    unit: '',
    absolute: `of ${grouped(made.length)}, ${disturbed} of them while other programs took a tenth of the machine or more, ${waited.length} of them beside one of the ${stoodStill.length} times, ${milliseconds(stoodStill)} ms together, in which the disk completed nothing; the longest was a ${longest.what}, of ${Math.round(longest.ms)} ms`,
  }
  yield* kindsInWords(
    made,
    minutes.flatMap(({ alone }) => alone.made),
  )
  const errors = minutes.flatMap(({ alone, loaded }) => [...alone.errors, ...loaded.errors])
  yield { what: 'Errors', value: errors.length, limit: 0, unit: '' }
  for (const error of new Set(errors.slice(0, 5))) yield `    ${error}`
}

const NAMES = { file: 'First byte of a CSV or PDF', 'multi-renewal': `A renewal of ${MANY} clients` }

function besideAlone(what: string, minutes: readonly Minute[], kinds: readonly What[], part: number): Figure {
  const rounds: Round[] = minutes.map(({ alone, loaded }) => ({
    ours: quantile(timesOf(loaded.made, kinds), part),
    theirs: quantile(timesOf(alone.made, kinds), part),
  }))
  return ratioOf(rounds, { what, limit: null, absolute: 'ms' })
}

function* kindsInWords(made: readonly Made[], alone: readonly Made[]): Generator<string> {
  for (const kind of [...READS, ...WRITES, ...LONG]) {
    const times = timesOf(made, [kind])
    const [p50, p99, longest] = [0.5, 0.99, 1].map((part) => Math.round(quantile(times, part)))
    const slow = times.filter((ms) => ms > TOO_LONG_MS).length
    yield `    ${kind.padEnd(14)} ${grouped(times.length).padStart(7)} times; p50 ${p50}, p99 ${p99}, longest ${longest} ms, ${slow} of more than a second; alone p50 ${Math.round(median(timesOf(alone, [kind])))} ms`
  }
}

/** Garbage collection makes the memory rise and fall; the least of each minute is what is really in use. */
function* memoryFigures(minutes: readonly Minute[]): Generator<Figure> {
  const least = minutes.map(({ loaded }) => Math.min(...loaded.memory))
  yield {
    what: "Growth of the server's memory, a minute",
    ...growthOf(least),
    limit: 0.5,
    unit: 'MB',
    absolute: `the least of each minute: ${least.map(Math.round).join(', ')} MB; at most ${Math.round(Math.max(...minutes.flatMap(({ loaded }) => loaded.memory)))} MB`,
  }
}

/** Compares the dealers with each other, and with what chance alone makes of the same times. */
function* fairnessFigures(minutes: readonly Minute[], dealers: readonly Renewer[]): Generator<Figure> {
  const made = minutes.flatMap(({ loaded }) => loaded.made).filter(isShort)
  const half = Math.ceil(made.length / 2)
  const { worst, ratio, p99s } = unfairnessOf(made)
  const halves = [made.slice(0, half), made.slice(half)].map((half) => unfairnessOf(half).ratio)
  yield {
    what: "The worst dealer's p99, beside the median dealer's",
    value: ratio,
    spread: { low: Math.min(...halves), high: Math.max(...halves) },
    limit: 3,
    unit: '',
    absolute: `${Math.round(p99s[worst] ?? 0)} to ${Math.round(median(p99s))} ms; by chance alone ${unfairnessOf(shuffled(made)).ratio.toFixed(2)}; the worst is dealer ${worst + 1} of ${dealers.length}, the first being the biggest`,
  }
  const shares = dealers.map((_, at) => {
    const acts = minutes.map(({ loaded }) => loaded.acts[at] ?? { begun: 0, due: 0 })
    return sumOf(acts.map(({ begun }) => begun)) / sumOf(acts.map(({ due }) => due))
  })
  yield {
    what: 'What the worst served dealer got done of what it began to do, beside the median dealer',
    value: Math.min(...shares) / median(shares),
    limit: 0.99,
    atLeast: true,
    unit: '',
  }
}

/** Measures what the others wait for while one dealer asks for as much as it can. */
async function besideGreedy(crew: Crew, perSecond: number): Promise<Figure> {
  const rounds: Round[] = []
  let errors = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const dealt = [
      await deal(crew, ROUND_MS, { kind: 'at a rate', perSecond, greedy: 0 }),
      await deal(crew, ROUND_MS, { kind: 'at a rate', perSecond, greedy: GREEDY }),
    ]
    errors += sumOf(dealt.map(({ errors }) => errors.length))
    const [theirs, ours] = dealt.map(({ made }) =>
      quantile(
        made.filter(isShort).flatMap(({ dealer, ms }) => (dealer === 0 ? [] : ms)),
        0.99,
      ),
    ) as [number, number]
    rounds.push({ ours, theirs })
  }
  const what = `p99 of the other dealers while one never pauses over ${GREEDY} connections, beside without it (${errors} errors)`
  return ratioOf(rounds, { what, limit: 2, absolute: 'ms' })
}

function isShort({ what }: Made): boolean {
  return !LONG.some((long) => long === what)
}

function unfairnessOf(made: readonly Made[]): { worst: number; ratio: number; p99s: number[] } {
  const times: number[][] = []
  for (const { dealer, ms } of made) {
    times[dealer] ??= []
    times[dealer].push(ms)
  }
  const p99s = times.map((times) => quantile(times, 0.99))
  const most = Math.max(...p99s)
  return { worst: p99s.indexOf(most), ratio: most / median(p99s), p99s }
}

/** Gives each time to a random dealer. */
function shuffled(made: readonly Made[]): Made[] {
  const dealers = made.map(({ dealer }) => ({ dealer, at: Math.random() })).sort((a, b) => a.at - b.at)
  return made.map((one, at) => ({ ...one, dealer: dealers[at]?.dealer ?? 0 }))
}

function timesOf(made: readonly Made[], kinds: readonly What[]): number[] {
  return made.filter(({ what }) => kinds.includes(what)).map(({ ms }) => ms)
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0)
}

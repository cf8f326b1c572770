import { cpus, totalmem } from 'node:os'
import { findBinaries } from '../server/postgres/binaries.ts'
import { boxFigures } from './boxes.ts'
import { browserFigures } from './browser.ts'
import { budgetFigures } from './budget.ts'
import { exportFigures } from './export.ts'
import { type Figure, lineOf } from './figure.ts'
import { type Folders, filled } from './fill.ts'
import { growthFigures } from './growth.ts'
import { memoryFigures } from './memory.ts'
import { mixedFigures } from './mixed.ts'
import { writePlans } from './plans.ts'
import { readFigures } from './reads.ts'
import { searchFigures } from './search.ts'
import { startFigures } from './start.ts'
import { countNoStatements } from './statements.ts'
import { treeFigures } from './tree.ts'
import { visitFigures } from './visit.ts'
import { writeFigures } from './writes.ts'

// Measures Boxtree on a million clients and prints each figure with its limit. A missed limit is no failure: people
// read the figures. `npm run bench -- reads start` measures only these parts; `npm run bench -- plans` writes the
// database's plans of the busiest calls into bench/plans.

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Yields the figures of one part, or sentences about them. */
type Part = (folders: Folders, say: (line: string) => void) => AsyncIterable<Figure | string>

const PARTS: Record<string, Part> = {
  reads: readFigures,
  search: searchFigures,
  export: exportFigures,
  start: startFigures,
  visit: visitFigures,
  browser: ({ million }) => browserFigures(million),
  writes: writeFigures,
  tree: treeFigures,
  memory: memoryFigures,
  boxes: boxFigures,
}

/** Parts that run only when they are named: they rewrite committed files, slow down what they count, or take long. */
const NAMED_ONLY: Record<string, Part> = {
  plans: writePlans,
  budget: budgetFigures,
  growth: growthFigures,
  mixed: mixedFigures,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !PARTS[name] && !NAMED_ONLY[name])
if (unknown.length > 0) {
  throw new Error(
    `There is no ${unknown.join(' and no ')}; there are ${Object.keys({ ...PARTS, ...NAMED_ONLY }).join(', ')}.`,
  )
}

const folders = { tenthousand: await filled('tenthousand', say), million: await filled('million', say) }
for (const folder of Object.values(folders)) countNoStatements(folder)
say(machine())
for (const [name, part] of Object.entries(asked.length > 0 ? { ...PARTS, ...NAMED_ONLY } : PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  say(`\n${name}`)
  await measure(part)
}

/** Prints the figures of a part. One that cannot be measured here, as without Chromium, keeps no other from it. */
async function measure(part: Part): Promise<void> {
  try {
    for await (const figure of part(folders, say)) say(typeof figure === 'string' ? figure : lineOf(figure))
  } catch (error) {
    say(`    Not measured: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}

function machine(): string {
  const [processor] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const day = new Date().toISOString().slice(0, 10)
  const versions = `Node ${process.versions.node}, PostgreSQL ${findBinaries().version}`
  return `${cpus().length} cores of ${processor?.model ?? 'a processor'}, ${memory} GiB, ${versions}, ${day}`
}

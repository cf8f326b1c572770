import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// What the oldest browsers that the README names can run. Our own code is held to it by the types as well, which know
// ES2022 alone; packages are not.

const BUILT = join(import.meta.dirname, '../dist/web')

/** What Chrome 109, Firefox 115, Safari 16.4 or Samsung Internet 21 lacks, without a second way where it is missing. */
const LACKING = [
  ...['isWellFormed', 'toWellFormed', 'toSorted', 'toReversed', 'toSpliced', 'fromAsync'],
  ...['groupBy', 'withResolvers', 'Promise\\.try', 'RegExp\\.escape', 'Iterator\\.from', 'Intl\\.Segmenter'],
  ...['isSubsetOf', 'isSupersetOf', 'isDisjointFrom', 'symmetricDifference', 'getOrInsert'],
  ...['AbortSignal\\.any', 'canParse', 'URL\\.parse', 'Response\\.json', 'ClipboardItem'],
  '(values|keys|entries)\\(\\)\\.(map|filter|flatMap|forEach|some|every|find|reduce|take|drop|toArray)\\(',
]

const scripts = globSync(['assets/*.js', 'sw.js', 'index.html'], { cwd: BUILT }).map((file) => ({
  file,
  text: readFileSync(join(BUILT, file), 'utf8'),
}))

test('no built script calls what one of the oldest supported browsers lacks', () => {
  expect(scripts.length).toBeGreaterThan(20)
  const lacking = new RegExp(`\\b(${LACKING.join('|')})`, 'g')
  expect(
    scripts.flatMap(({ file, text }) => (text.match(lacking) ?? []).map((call) => [file, call])),
  ).toEqual([])
})

test('what every page begins with has no lookbehind: a browser without it runs nothing of that script', () => {
  const first = scripts.filter(({ file }) => /index|sw\.js|captchaWorker/.test(file))
  expect(first.length).toBeGreaterThanOrEqual(4)
  expect(first.filter(({ text }) => /\(\?<[=!]/.test(text)).map(({ file }) => file)).toEqual([])
})

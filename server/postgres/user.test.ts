import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freshFolder } from '../../test/support/folder.ts'
import { offers } from '../../test/support/needs.ts'

/** Mounts other accounts over those of this machine, for the command after it alone. */
const WITH_ACCOUNTS = [
  ...['unshare', '--mount', 'sh', '-c'],
  'mount --bind "$0" /etc/passwd && exec "$@"',
] as const

const CHOOSE = `
  import { chooseUsers } from '${new URL('./user.ts', import.meta.url)}'
  try {
    console.log(JSON.stringify(chooseUsers(null)))
  } catch ({ message }) {
    console.log(JSON.stringify(message))
  }`

const ROOT = 'root:x:0:0::/root:/bin/sh'
const NOBODY = 'nobody:x:65534:65534::/:/bin/false'

const canMount = offers(
  process.getuid?.() === 0 && choiceAmong([ROOT]).status === 0,
  'The tests of the user whom a console of root starts its database as',
  'root and mounts in a namespace',
)

describe.runIf(canMount)('a console that root starts first runs its database as', () => {
  const nobody = { uid: 65_534, gid: 65_534 }
  const boxtree = { uid: 998, gid: 997 }
  const own = { uid: 61_000, gid: 61_000 }
  const inside = { uid: 65_534, gid: 61_000 }

  test.each([
    [
      'the user boxtree, where the operator has made one',
      [NOBODY, 'boxtree:x:998:997::/:/bin/false'],
      { runAs: boxtree, maker: boxtree, shared: false },
    ],
    ['a uid that no account has', [NOBODY], { runAs: own, maker: inside, shared: false }],
    [
      'a uid that no account has, where boxtree is another name of root',
      [NOBODY, 'boxtree:x:0:0::/:/bin/false'],
      { runAs: own, maker: inside, shared: false },
    ],
    [
      'nobody, which others may run as too, where an account has that uid',
      [NOBODY, 'somebody:x:61000:100::/:/bin/false'],
      { runAs: nobody, maker: nobody, shared: true },
    ],
    [
      'a uid that no account has, where nobody has a uid of less than nothing, as on macOS',
      ['nobody:*:-2:-2::/:/bin/false'],
      { runAs: own, maker: { uid: 4_294_967_294, gid: 61_000 }, shared: false },
    ],
  ])('%s', (_who, accounts, chosen) => {
    const { stdout, stderr } = choiceAmong([ROOT, ...accounts])
    expect(JSON.parse(stdout), stderr).toEqual(chosen)
  })

  test('no one, where there is neither boxtree nor nobody, and says so', () => {
    const { stdout, stderr } = choiceAmong([ROOT, 'somebody:x:1000:1000::/:/bin/false'])
    expect(JSON.parse(stdout), stderr).toBe(
      "PostgreSQL does not run as root and there is no user 'boxtree' or 'nobody' here; start Boxtree as a plain user.",
    )
  })
})

function choiceAmong(accounts: readonly string[]) {
  const file = join(freshFolder(), 'passwd')
  writeFileSync(file, `${accounts.join('\n')}\n`)
  const choose = [process.execPath, '--input-type=module', '-e', CHOOSE]
  const [command, ...args] = [...WITH_ACCOUNTS, file, ...choose]
  return spawnSync(command, args, { encoding: 'utf8' })
}

import { createInterface } from 'node:readline/promises'
import { AccountPassword } from '../../contract/accounts.ts'
import { setAdminPassword } from '../access/admin.ts'
import { forgetFirstLogin, generatePassword } from '../access/first-login.ts'
import { readConfig, StartFault } from '../config.ts'
import { openDatabase, requireDatabase } from '../postgres/database.ts'
import { withPool } from '../postgres/pool.ts'
import { runCommand, say, withDatabase } from './command.ts'

// Sets a lost password of the admin and ends the admin's sessions, whether the console runs or not.

await runCommand(main)

async function main(): Promise<void> {
  const config = readConfig(process.env)
  requireDatabase(config)
  // Asks before the database is opened, so that a console that starts meanwhile need not wait.
  const { password, generated } = await askPassword()
  const database = await openDatabase(config, () => {}, { guest: true })
  await withDatabase(database, async ({ server }) => {
    await withPool(server, { max: 1 }, async (sql) => {
      const login = await setAdminPassword(sql, password)
      if (login === null) throw new StartFault('There is no admin yet; start the console first.')
      // Said before anything else can fail: nobody else knows it.
      say(`The password of ${login} is set${generated ? `: ${password}` : ''}. Its sessions have ended.`)
      await forgetFirstLogin(config)
    })
  })
}

async function askPassword(): Promise<{ password: string; generated: boolean }> {
  const typed = process.stdin.isTTY
    ? await prompt('New password (empty: one is generated): ')
    : await firstLineOfInput()
  if (typed === '' && process.stdin.isTTY && process.stdout.isTTY) {
    return { password: generatePassword(), generated: true }
  }
  const fault = AccountPassword.safeParse(typed).error?.issues[0]?.message
  if (fault) throw new StartFault(`${fault}. Nothing was changed.`)
  return { password: typed, generated: false }
}

async function firstLineOfInput(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}

/** Reads a line in raw mode, so that the terminal does not show it. */
function prompt(question: string): Promise<string> {
  const { stdin, stdout } = process
  stdout.write(question)
  stdin.setRawMode(true).setEncoding('utf8').resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const finish = (settle: () => void) => {
      stdin.off('data', read).setRawMode(false).pause()
      stdout.write('\n')
      settle()
    }
    const read = (text: string) => {
      for (const letter of text) {
        if (letter === '\r' || letter === '\n') return finish(() => resolve(typed))
        if (letter === '\u0003') return finish(() => reject(new StartFault('Nothing was changed.')))
        typed = letter === '\u007f' || letter === '\b' ? typed.slice(0, -1) : typed + letter
      }
    }
    stdin.on('data', read)
  })
}

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { LEVELS } from '../../contract/levels.ts'
import {
  expect,
  fill,
  press,
  pressAndConfirm,
  readNotice,
  rows,
  signIn,
  test,
  typeIn,
} from '../support/browser.ts'
import { type Console, INHERITED, startConsole } from '../support/console.ts'
import { freshFolder } from '../support/folder.ts'
import { freePort } from '../support/port.ts'
import type { Windows } from '../support/windows.ts'

// The main workflow of the product, tested on the real console as a fresh clone starts it, with its own database and
// captcha, and through the browser only.

const PASSWORD = 'a-password-of-ours'

test("credits move down three levels to a dealer's first client, and killing the server loses nothing", async ({
  windows,
}) => {
  const dataDir = freshFolder()
  // It begins again at the same port, which nobody else may have meanwhile.
  let console = await startConsole({ dataDir, launcher: true, env: { PORT: String(await freePort()) } })
  try {
    const { url } = console
    const first = readFileSync(join(dataDir, 'first-login'), 'utf8')
    const [, login = '', password = ''] = /^login: (.*)\npassword: (.*)\n/.exec(first) ?? []

    const admin = await signedIn(windows, url, login, password)
    await makesAccount(admin, 'superreseller', 'atlantic-media', '1000')
    const superreseller = await signedIn(windows, url, 'atlantic-media')
    await makesAccount(superreseller, 'reseller', 'lisboa-norte', '100')
    const reseller = await signedIn(windows, url, 'lisboa-norte')
    await makesAccount(reseller, 'dealer', 'casa-digital', '10')

    const dealer = await signedIn(windows, url, 'casa-digital')
    await expect(dealer.getByRole('complementary')).toContainText('10 credits')
    await kill(console)
    console = await startConsole({ dataDir, launcher: true, env: { PORT: new URL(url).port } })

    await dealer.getByRole('link', { name: 'New Client' }).click()
    await fill(dealer, { 'Login Name': 'ana.ferreira', Password: 'tv-1234', Credits: '3' })
    await typeIn(dealer.getByLabel('MAC Address'), 'A1B2C3')
    await press(dealer, 'Submit')
    await readNotice(dealer, 'Client ana.ferreira created successfully!')
    await expect(dealer).toHaveURL('/clients')
    await expect(rows(dealer, 'Clients')).toHaveText([/ana\.ferreira.*00:1A:79:A1:B2:C3.*Active/])
    await expect(dealer.getByRole('complementary')).toContainText('7 credits')

    await kill(console)
    console = await startConsole({ dataDir, launcher: true, env: { PORT: new URL(url).port } })
    for (const [page, left] of [
      [superreseller, '900 credits'],
      [reseller, '90 credits'],
      [dealer, '7 credits'],
    ] as const) {
      await page.reload()
      await expect(page.getByRole('complementary')).toContainText(left)
    }
    await expect(rows(dealer, 'Clients')).toHaveText([/ana\.ferreira/])
    expect(verified(dataDir)).toBe(0)
  } finally {
    await console.stop()
  }
})

/** Opens a window and signs in, which includes the captcha. */
async function signedIn(windows: Windows, url: string, name: string, password = PASSWORD): Promise<Page> {
  const page = await windows.open(url)
  await page.goto('/')
  await expect(page.getByText('Verified')).toBeVisible()
  await signIn(page, name, password)
  return page
}

/** Creates an account one level beneath and gives it credits. */
async function makesAccount(page: Page, level: keyof typeof LEVELS, name: string, credits: string) {
  const { title } = LEVELS[level]
  await page.getByRole('link', { name: `Add ${title}` }).click()
  await fill(page, { Login: name, Password: PASSWORD })
  await press(page, `Add ${title}`)
  await readNotice(page, `${title} added successfully!`)
  await page.getByRole('link', { name }).click()
  await fill(page, { Credits: credits, Description: 'Opening credits' })
  await pressAndConfirm(page, `Add ${Number(credits).toLocaleString('en-US')} credits`)
  await readNotice(page, `${title} updated successfully!`)
}

/** Kills the server process itself and not its parent, so that no request can follow. */
async function kill(console: Console): Promise<void> {
  for (const child of childrenOf(console.process.pid ?? 0)) process.kill(child, 'SIGKILL')
  await console.stop('SIGKILL')
}

function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`
  const text = existsSync(list)
    ? readFileSync(list, 'utf8')
    : spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout
  const children = text.split(/\s+/).filter(Boolean).map(Number)
  if (children.length === 0) throw new Error('The console runs in no process of its own')
  return children
}

function verified(dataDir: string): number | null {
  const env = { ...INHERITED, DATA_DIR: dataDir }
  return spawnSync(process.execPath, ['server/commands/verify.ts'], {
    env,
    cwd: join(import.meta.dirname, '../..'),
  }).status
}

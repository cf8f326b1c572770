import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect as judge } from '@playwright/test'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launchChromium } from '../support/chromium.ts'
import { type Console, startConsole } from '../support/console.ts'
import { freshFolder } from '../support/folder.ts'

/** From nothing to a dealer's first client, with the console killed in the middle of it. */

const expect = judge.configure({ timeout: 15_000 })
const PASSWORD = 'a-password-of-theirs'

let browser: Browser
let dataDir: string
let shop: Console
beforeAll(async () => {
  browser = await launchChromium()
  dataDir = freshFolder()
  shop = await startConsole({ dataDir })
})
afterAll(async () => {
  await browser?.close()
  await shop?.stop()
})

test('credits go down three levels and a dealer makes a client, and a killed console loses none of it', async () => {
  const firstLogin = readFileSync(join(dataDir, 'first-login'), 'utf8')
  const password = /password: (\S+)/.exec(firstLogin)?.[1] ?? ''
  const admin = await signIn('admin', password)
  await add(admin, { title: 'Super Reseller', plural: 'Super Resellers' }, 'north', 100)

  const north = await signIn('north', PASSWORD)
  await add(north, { title: 'Reseller', plural: 'Resellers' }, 'city', 30)

  // Power fails: nothing is ended in order.
  await shop.stop('SIGKILL')
  const { port } = new URL(shop.url)
  shop = await startConsole({ dataDir, env: { PORT: port } })
  await north.reload()
  await expect(north.getByRole('complementary').getByText('70 credits')).toBeVisible()

  const city = await signIn('city', PASSWORD)
  await add(city, { title: 'Dealer', plural: 'Dealers' }, 'corner', 10)

  const corner = await signIn('corner', PASSWORD)
  await corner.getByRole('link', { name: 'New Client' }).click()
  await corner.getByLabel('Login Name').fill('first.client')
  await corner.getByLabel('Password', { exact: true }).fill('tv-123')
  await corner.getByLabel('MAC Address').pressSequentially('a1b2c3')
  await expect(corner.getByLabel('MAC Address')).toHaveValue('00:1A:79:A1:B2:C3')
  await corner.getByLabel('Credits').selectOption({ label: '3 months' })
  await corner.getByRole('button', { name: 'Submit' }).click()
  await expect(corner.getByText('Client first.client created successfully!')).toBeVisible()
  await expect(corner).toHaveURL('/clients')
  await expect(corner.getByRole('row', { name: /first\.client/ })).toContainText('00:1A:79:A1:B2:C3')
  await expect(corner.getByRole('complementary').getByText('7 credits')).toBeVisible()

  await shop.stop('SIGKILL')
  shop = await startConsole({ dataDir, env: { PORT: port } })
  await corner.reload()
  await expect(corner.getByRole('row', { name: /first\.client/ })).toBeVisible()
  await expect(corner.getByRole('complementary').getByText('7 credits')).toBeVisible()
})

/** A window of one's own, signed in through the door with its human verification. */
async function signIn(name: string, password: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: shop.url })).newPage()
  await page.goto('/')
  await expect(page).toHaveURL('/login')
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
  return page
}

/** Adds an account of the next level and passes it credits, by the menu and the forms alone. */
async function add(page: Page, level: { title: string; plural: string }, name: string, credits: number) {
  await page.getByRole('link', { name: `Add ${level.title}`, exact: true }).click()
  await page.getByLabel('Login').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: `Add ${level.title}` }).click()
  await expect(page.getByText(`${level.title} added successfully!`)).toBeVisible()
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByLabel('Credits', { exact: true }).selectOption(String(credits))
  await page.getByRole('button', { name: `Add ${credits} credits` }).click()
  await expect(page.getByText(`${level.title} updated successfully!`)).toBeVisible()
}

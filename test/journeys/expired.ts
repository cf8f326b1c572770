import type { Page } from 'playwright-core'
import { expect, fill } from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

/** Opens a page as somebody. */
type Open = (visit: { as: Person; at: string }) => Promise<Page>

/** Types the description of a client that then expires, opens its page again, and chooses a month for it. */
export async function openExpired(open: Open, world: World): Promise<{ dealer: Person; page: Page }> {
  const { dealer } = await world.family({ credits: 3 })
  await world.client(dealer, { login: 'summer-house', desc: 'Terrace' })
  await world.setExpiry('summer-house', new Date(world.clock.now.getTime() + 20 * 60_000).toISOString())
  const page = await open({ as: dealer, at: '/update-client/summer-house' })
  await fill(page, { Description: 'Attic' })
  world.clock.pass({ minutes: 30 })
  await page.reload()
  await expect(page.getByText('Your unsent entries')).toBeVisible()
  await fill(page, { 'Add months': '1' })
  await expect(page.getByText('Costs 1 credit')).toBeVisible()
  return { dealer, page }
}

import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { ROLES } from '../../contract/roles.ts'
import { expect, signIn, test } from '../support/browser.ts'
import type { Family, Person, World } from '../support/world.ts'

/** Runs wherever it is not treated as text: in markup, an attribute, a script or a template. */
const SCRIPT = `"><img src=x onerror=top.ran=1><script>top.ran=1</script>\${top.ran=1}{{top.ran=1}}`

/** Every screen that shows typed text or data from a box, with the least number of occurrences. */
const SCREENS: Record<keyof Family | 'admin', [path: string, times: number][]> = {
  admin: [
    ['/admin', 2],
    ['/admin/clients', 1],
    ['/super-resellers', 1],
    ['/update-super-reseller/ofscripts-s', 2],
    ['/admin/message', 1],
    ['/transactions', 1],
    ['/tree/ofscripts-late', 1],
    ['/credit-requests', 1],
    ['/sign-ins', 1],
  ],
  superreseller: [
    ['/superreseller', 2],
    ['/resellers', 1],
    ['/update-reseller/ofscripts-r', 2],
    ['/transactions', 1],
    ['/sign-ins', 1],
  ],
  reseller: [
    ['/reseller', 2],
    ['/dealers', 1],
    ['/update-dealer/ofscripts-d', 2],
    ['/update-dealer/ofscripts-late', 1],
    ['/transactions', 1],
    ['/credit-requests', 1],
  ],
  dealer: [
    ['/', 2],
    ['/clients', 1],
    ['/update-client/ofscripts', 2],
    ['/transactions', 1],
    ['/credit-requests', 1],
    ['/sign-ins', 1],
  ],
}

describe('script in every text that is stored', () => {
  test('is shown as text and not run, on every screen and in the message after the login', async ({
    open,
    world,
  }) => {
    const people = await plant(world)
    for (const role of ROLES) {
      const page = await open({ as: people[role], at: SCREENS[role][0]?.[0] ?? '/' })
      for (const [at, times] of SCREENS[role]) {
        await page.goto(at)
        await expect.poll(() => shown(page), { message: at, intervals: [50] }).toBeGreaterThanOrEqual(times)
        await expectNothingRan(page)
      }
    }
    const page = await open({ at: '/login' })
    await signIn(page, people.dealer.name)
    await expect(page.getByRole('dialog')).toContainText(SCRIPT)
    await expectNothingRan(page)
  })
})

async function plant(world: World): Promise<Family & { admin: Person }> {
  const { admin, server } = world
  const superreseller = await world.child(admin, 0, 'ofscripts-s')
  const reseller = await world.child(superreseller, 0, 'ofscripts-r')
  const dealer = await world.child(reseller, 0, 'ofscripts-d')
  const change = { credits: 9, transaction: 0, desc: SCRIPT } as const
  await admin.call(calls.level.superreseller.save, { name: superreseller.name, ...change })
  await superreseller.call(calls.level.reseller.save, { name: reseller.name, ...change, credits: 8 })
  await reseller.call(calls.level.dealer.save, { name: dealer.name, ...change, credits: 7 })
  await world.client(dealer, { login: 'ofscripts', months: 1, desc: SCRIPT })
  await admin.call(calls.admin.setMessage, { message: SCRIPT })
  for (const child of [superreseller, dealer]) {
    await child.call(calls.requests.ask, { credits: 1, note: SCRIPT })
  }
  const late = await world.child(reseller, 0, 'ofscripts-late')
  await reseller.call(calls.tree.suspend, { name: late.name, reason: SCRIPT })
  await server.ownerSql`
    insert into sign_in (account, at, address, agent, outcome)
    select id, ${world.clock.now}, ${SCRIPT}, ${SCRIPT}, 'failed' from account`
  // The data that a box sends is foreign input as well.
  await server.ownerSql`
    with seen as (
      insert into presence (client, watching, polled, answered)
      select id, ${SCRIPT}, ${world.clock.now}, ${world.clock.now} from client where name = 'ofscripts')
    insert into device (client, stb_sn, stb_type, version, last_played_tv_content, last_played_vod_content,
      locked_to_ip)
    select id, ${SCRIPT}, ${SCRIPT}, ${SCRIPT}, ${SCRIPT}, ${SCRIPT}, ${SCRIPT}
    from client where name = 'ofscripts'`
  return { admin, superreseller, reseller, dealer }
}

/** Counts the occurrences of the text on the page, in fields and outside of them. */
function shown(page: Page): Promise<number> {
  return page.evaluate((script) => {
    const fields = [...document.querySelectorAll('input, textarea')] as HTMLInputElement[]
    const whole = [document.body.textContent, ...fields.map(({ value }) => value)].join('\n')
    return whole.split(script).length - 1
  }, SCRIPT)
}

async function expectNothingRan(page: Page): Promise<void> {
  const made = await page.evaluate(() => ({
    ran: 'ran' in window,
    markup: document.querySelectorAll('img[src="x"], [onerror], body script').length,
  }))
  expect(made).toEqual({ ran: false, markup: 0 })
}

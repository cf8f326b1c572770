import type { Locator, Page } from 'playwright-core'
import { describe } from 'vitest'
import {
  test as base,
  expect,
  expectNothingLost,
  press,
  sessionOf,
  table,
  turn,
  type Windows,
} from '../support/browser.ts'
import { type Business, openBusiness } from './business.ts'

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
  .extend('business', { scope: 'file' }, async ({}, { onCleanup }) => {
    const business = await openBusiness()
    onCleanup(() => business.world.close())
    return business
  })

/** From a large desktop to the width below which rows become cards, and back in the same window. */
const WIDTHS = [1440, 1366, 1280, 1100, 1025, 900, 768, 700, 667, 1280]

const TABLES = [
  {
    whose: 'dealer',
    at: '/clients',
    label: 'Clients',
    columns: ['Name', 'Description', 'MAC', 'Ministra', 'Expiry', 'Status', 'Actions'],
    name: 'ana.ferreira',
    actions: ['Renew ana.ferreira', 'Delete ana.ferreira'],
  },
  {
    whose: 'admin',
    at: '/admin/clients',
    label: 'All Clients',
    columns: ['Name', 'Dealer', 'Description', 'MAC', 'Ministra', 'Expiry', 'Status', 'Actions'],
    name: 'ana.ferreira',
    actions: ['Delete ana.ferreira'],
  },
  {
    whose: 'dealer',
    at: '/',
    label: 'Latest Dealer Transactions',
    columns: ['Date', 'Type', 'Credits', 'Login', 'MAC', 'Description', 'Expiry'],
    name: 'emma.brown',
    actions: [],
  },
  {
    whose: 'admin',
    at: '/super-resellers',
    label: 'Super Resellers',
    columns: ['Name', 'Credits', 'Description', 'Resellers', 'Dealers', 'Clients'],
    name: 'atlantic-media',
    actions: [],
  },
] as const

describe.each(['light', 'dark'] as const)('in %s mode', (mode) => {
  test.for(TABLES)(
    'the table at $at shows and sorts every column at any width, with names and actions in view',
    async (facts, { business, windows }) => {
      const page = await openAt(windows, business, facts)
      await turn(page, mode)
      const rows = table(page, facts.label)
      const name = rows.locator('tbody').getByText(facts.name, { exact: true }).first()
      const held = [name, ...facts.actions.map((action) => rows.getByRole('button', { name: action }))]
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        for (const menu of width > 1024 ? ['open', 'collapsed'] : ['away']) {
          await expect(rows.getByRole('columnheader').filter({ hasText: /./ })).toHaveText(facts.columns)
          await expectNothingLost(page)
          for (const end of ['start', 'end'] as const) {
            await scroll(rows, end)
            for (const one of held) await expectOnTop(one, `${width}, menu ${menu}, scrolled to the ${end}`)
          }
          if (menu !== 'away') await press(page, 'Menu')
        }
      }
      await page.setViewportSize({ width: 700, height: 900 })
      for (const column of facts.columns.filter((column) => column !== 'Actions')) {
        await rows.getByRole('button', { name: column, exact: true }).click()
        await expect(rows.locator('th[aria-sort]')).toHaveText(column)
      }
    },
  )
})

test('on a phone cards can be sorted by the same columns, and nothing overflows', async ({
  business,
  windows,
}) => {
  const [clients] = TABLES
  const page = await openAt(windows, business, clients)
  await page.setViewportSize({ width: 390, height: 844 })
  const offered = clients.columns.filter((column) => column !== 'Actions')
  await expect(page.getByLabel('Sort by').locator('option')).toHaveText(offered)
  await expectNothingLost(page)
})

test('the header of a scrolling table stays in view, and one click renews a client', async ({
  business,
  windows,
}) => {
  const page = await openAt(windows, business, {
    whose: 'dealer',
    at: '/clients?perPage=25',
    label: 'Clients',
  })
  await page.setViewportSize({ width: 700, height: 480 })
  const rows = table(page, 'Clients')
  await rows.evaluate((element) => element.parentElement?.scrollTo({ top: 10_000 }))
  await expectOnTop(rows.getByRole('button', { name: 'Name', exact: true }), 'scrolled down')
  await press(page, 'Renew vera.novak')
  await expect(page.getByRole('dialog', { name: 'Renew vera.novak' })).toBeVisible()
})

async function openAt(
  windows: Windows,
  business: Business,
  { whose, at, label }: { whose: 'dealer' | 'admin'; at: string; label: string },
): Promise<Page> {
  const page = await windows.open(business.world.server.url, {}, sessionOf(business[whose]))
  await page.goto(at)
  await expect(table(page, label).getByRole('row').nth(1)).toBeVisible()
  return page
}

/** Scrolls a table to one of its ends, if it scrolls. */
async function scroll(rows: Locator, end: 'start' | 'end'): Promise<void> {
  await rows.evaluate((element, end) => {
    const place = element.parentElement
    if (place) place.scrollLeft = end === 'start' ? 0 : place.scrollWidth
  }, end)
}

/** Checks that an element is visible and can be clicked: nothing covers its middle or its sides. */
async function expectOnTop(one: Locator, where: string): Promise<void> {
  await expect
    .poll(
      () =>
        one.evaluate((element) => {
          const { left, right, top, height } = element.getBoundingClientRect()
          return [left + 2, (left + right) / 2, right - 2].every((x) => {
            const hit = document.elementFromPoint(x, top + height / 2)
            return hit !== null && (element.contains(hit) || hit.contains(element))
          })
        }),
      { message: where },
    )
    .toBe(true)
}

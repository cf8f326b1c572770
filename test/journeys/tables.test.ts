import type { Locator, Page } from 'playwright-core'
import { calls } from '../../contract/calls.ts'
import { everyScreen, to } from '../../web/screens.ts'
import { THOROUGH } from '../laws/runs.ts'
import { drawn, expect, expectNothingLost, press, table, turn } from '../support/browser.ts'
import { type Business, macOf, test } from './business.ts'
import {
  ACCOUNTS,
  ALL_CLIENTS,
  CLIENTS,
  DEALERS_OF_TREE,
  OF_A_BRANCH,
  OF_A_CLIENT,
  OF_A_DEALER,
  TREE,
} from './columns.ts'

/** From a large screen to the width below which rows become cards. */
const WIDTHS = [1920, 1440, 1366, 1280, 1100, 1025, 900, 768, 740, 700, 667]
/** A collapsed menu gives a table the room of another width, so a large and a small one stand for all. */
const COLLAPSED_AT = [1440, 1025]
/** Phones, where the same columns are cards. */
const PHONES = [390, 360]

interface Walked {
  whose: 'admin' | 'superreseller' | 'reseller' | 'dealer'
  at: string
  label: string
  columns: readonly string[]
  /** The text of a name that stays in view while the table scrolls. */
  name: string
  actions?: readonly string[]
  /** Runs before the table is there. */
  doing?: (page: Page) => Promise<unknown>
  isSorted?: false
  /** The columns that are shown within others where the table would have to scroll. */
  folded?: readonly string[]
  /** The columns that a folded table leaves out at a width, because it would still have to scroll. */
  spared?: Readonly<Record<number, readonly string[]>>
  /** The columns that it is sorted by, where these are not all but the actions. */
  sorts?: readonly string[]
}

const WALKED_CLIENTS: Walked = {
  whose: 'dealer',
  at: to.clients(),
  label: 'Clients',
  columns: CLIENTS,
  name: 'ana.ferreira',
  actions: ['Renew ana.ferreira', 'Delete ana.ferreira'],
  folded: ['Ministra', 'Status'],
  spared: { 740: ['Description'], 700: ['Description'], 667: ['Description'] },
}

const WALKED_ALL_CLIENTS: Walked = {
  whose: 'admin',
  at: to.allClients(),
  label: 'All Clients',
  columns: ALL_CLIENTS,
  name: 'ana.ferreira',
  actions: ['Delete ana.ferreira'],
  folded: ['Ministra', 'Status'],
  spared: { 740: ['Description'], 700: ['Description'], 667: ['Dealer', 'Description'] },
}

const TABLES: readonly Walked[] = [
  WALKED_CLIENTS,
  {
    whose: 'dealer',
    at: to.due(),
    label: 'Due',
    columns: ['Name', 'Description', 'Phone', 'Expiry', 'Last time', 'Reminded', 'Actions'],
    name: 'tiago.lopes',
    actions: ['Renew tiago.lopes', 'Remind tiago.lopes'],
    isSorted: false,
    folded: ['Last time', 'Reminded'],
    spared: { 740: ['Description'], 700: ['Description'] },
  },
  WALKED_ALL_CLIENTS,
  {
    whose: 'admin',
    at: to.deleteMac(),
    label: 'Search result',
    columns: ['Name', 'MAC', 'Expiry', 'Dealer', 'Actions'],
    name: 'maria.costa-023',
    actions: ['Delete'],
    isSorted: false,
    doing: async (page) => {
      await page.getByLabel('MAC Address').fill(macOf('maria.costa-023'))
      await press(page, 'Search')
    },
  },
  {
    whose: 'admin',
    at: to.channels(),
    label: 'Packages',
    columns: ['Package', 'Groups', 'Channels', 'Actions'],
    name: 'All Packages/No Adults',
    actions: ['Choose groups of All Packages/No Adults'],
  },
  {
    whose: 'admin',
    at: to.channels(),
    label: 'Groups',
    columns: ['Group', 'Channels', 'Not protected', 'Packages', 'For adults', 'Actions'],
    name: 'News',
    actions: ['Choose packages of News', 'News is for adults'],
  },
  {
    whose: 'admin',
    at: to.boxes(),
    label: 'Unknown Boxes',
    columns: ['MAC', 'Similar client', 'Times', 'Last asked', 'First asked', 'Address', 'Type and version'],
    sorts: ['MAC', 'Times', 'Last asked', 'First asked'],
    folded: ['First asked'],
    name: '00:1A:79:5F:3E:21',
  },
  {
    whose: 'admin',
    at: to.boxes(),
    label: 'Types and Versions',
    columns: ['Type', 'Version', 'Boxes', 'Online'],
    name: 'MAG322',
  },
  {
    whose: 'admin',
    at: to.boxes(),
    label: 'Refused in 24 Hours',
    columns: ['Reason', 'Boxes'],
    name: 'The client has expired',
  },
  {
    whose: 'admin',
    at: to.system(),
    label: 'Servers',
    columns: [
      'Server',
      'State',
      'Serves',
      'Version',
      'Started',
      'Last seen',
      'Database',
      'Clock',
      'Disk free',
    ],
    name: 'console-2',
    isSorted: false,
  },
  {
    whose: 'admin',
    at: to.system(),
    label: 'Jobs',
    columns: ['Job', 'Last run', 'Ended', 'Took', 'Next', 'About'],
    name: 'Statistics',
    isSorted: false,
  },
  {
    whose: 'admin',
    at: to.level.superreseller.list(),
    label: 'Super Resellers',
    columns: [
      'Name',
      'Credits',
      'Description',
      'Resellers',
      'Dealers',
      'Clients',
      'State',
      'Lasts',
      'Used, 30 days',
      'Last login',
    ],
    name: 'atlantic-media',
    folded: ['State'],
    spared: { 1280: ['Used, 30 days'] },
  },
  {
    whose: 'superreseller',
    at: to.level.reseller.list(),
    label: 'Resellers',
    columns: ACCOUNTS,
    name: 'lisboa-norte',
    folded: ['State'],
    spared: { 1280: ['Used, 30 days'] },
  },
  {
    whose: 'reseller',
    at: to.level.dealer.list(),
    label: 'Dealers',
    columns: ACCOUNTS,
    name: 'casa-digital',
    folded: ['State'],
    spared: { 1280: ['Used, 30 days'] },
  },
  {
    whose: 'dealer',
    at: to.home.dealer(),
    label: 'Latest Dealer Transactions',
    columns: OF_A_DEALER,
    name: 'emma.brown',
  },
  ...(['admin', 'superreseller', 'reseller'] as const).map((whose) => ({
    whose,
    at: to.home[whose](),
    label: 'Latest Transactions',
    columns: OF_A_BRANCH,
    name: 'emma.brown',
    folded: ['By'],
  })),
  {
    whose: 'admin',
    at: to.level.superreseller.update('atlantic-media'),
    label: 'Transactions',
    columns: OF_A_BRANCH,
    name: 'emma.brown',
    folded: ['By'],
  },
  {
    whose: 'admin',
    at: to.level.superreseller.update('atlantic-media'),
    label: 'Statistics History',
    columns: ['Date', 'Credits', 'Resellers', 'Dealers', 'Clients'],
    name: '2026-04-08',
  },
  {
    whose: 'superreseller',
    at: to.level.reseller.update('lisboa-norte'),
    label: 'Transactions',
    columns: OF_A_BRANCH,
    name: 'emma.brown',
    folded: ['By'],
  },
  {
    whose: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    label: 'Transactions',
    columns: OF_A_BRANCH,
    name: 'emma.brown',
    folded: ['By'],
  },
  {
    whose: 'dealer',
    at: to.client('maria.costa-023'),
    label: 'Transactions',
    columns: OF_A_CLIENT,
    name: 'USED',
  },
  {
    whose: 'dealer',
    at: to.client('maria.costa-023'),
    label: 'Sent to the box',
    columns: ['Date', 'What', 'State', 'Reached', 'By'],
    name: '2026-04-08 17:26:36',
  },
  {
    whose: 'dealer',
    at: to.client('maria.costa-023'),
    label: 'Device history',
    columns: ['Date', 'What', 'New value', 'From', 'By'],
    name: '2026-04-08 17:26:36',
  },
  ...(['admin', 'superreseller', 'reseller', 'dealer'] as const).map((whose) => ({
    whose,
    at: to.transactions(),
    label: 'Transactions',
    columns: whose === 'dealer' ? OF_A_DEALER : OF_A_BRANCH,
    folded: whose === 'dealer' ? [] : ['By'],
    sorts: ['Date', 'Type', 'Credits', 'Login'],
    name: 'emma.brown',
  })),
  {
    whose: 'admin',
    at: to.tree(),
    label: 'Super Resellers',
    columns: ['Name', 'Credits', 'Lasts', 'Used, 30 days', 'State', 'Resellers', 'Dealers', ...TREE],
    name: 'atlantic-media',
    folded: ['Used, 30 days', 'State', 'Created'],
  },
  {
    whose: 'superreseller',
    at: to.tree(),
    label: 'Resellers',
    columns: ['Name', 'Credits', 'Lasts', 'Used, 30 days', 'State', 'Dealers', ...TREE],
    name: 'lisboa-norte',
    folded: ['State', 'Created'],
  },
  ...(
    [
      ['reseller', to.tree()],
      ['superreseller', to.branch('lisboa-norte')],
      ['admin', to.branch('lisboa-norte')],
    ] as const
  ).map(([whose, at]) => ({
    whose,
    at,
    label: 'Dealers',
    columns: DEALERS_OF_TREE,
    name: 'casa-digital',
    folded: ['State', 'Created'],
  })),
  ...(
    [
      ['admin', 'atlantic-media'],
      ['superreseller', 'lisboa-norte'],
      ['reseller', 'casa-digital'],
    ] as const
  ).map(([whose, name]) => ({
    whose,
    at: to.creditRequests(),
    label: 'Requests from Below',
    columns: ['Date', 'Name', 'Credits', 'Balance', 'Note', 'Actions'],
    actions: [`Grant ${name}`, `Decline ${name}`],
    name,
  })),
  {
    whose: 'dealer',
    at: to.creditRequests(),
    label: 'Your Requests',
    columns: ['Date', 'Credits', 'State', 'Granted', 'Ended', 'Note', 'Answer'],
    folded: ['Ended'],
    name: '2026-04-08 17:26:36',
  },
  ...(['admin', 'superreseller', 'reseller', 'dealer'] as const).map((whose) => ({
    whose,
    at: to.signIns(),
    label: 'Your Sessions',
    columns: ['Since', 'Address', 'With', 'Ends', 'Actions'],
    name: 'This one',
  })),
]

/** The pages without a table. */
const WITHOUT_TABLE = ['AddAccount', 'NewClient', 'Message']

/** Beneath a reseller there are dealers only, and nothing beneath these. */
const SEES_NO_TABLE: Record<string, string> = { '/tree/:name': 'reseller' }

test('every screen with a table is walked here', () => {
  for (const { path, page, roles } of everyScreen) {
    if (WITHOUT_TABLE.includes(page)) continue
    const address = new RegExp(`^${path.replace(':name', '[^/]+')}$`)
    const whose = TABLES.filter(({ at }) => address.test(at)).map((facts) => facts.whose)
    const readers = roles.filter((role) => role !== SEES_NO_TABLE[path])
    expect(whose, path).toEqual(expect.arrayContaining(readers))
  }
})

/** `npm run faults` walks all; here, of those with the same columns, the first. */
const WALKED = THOROUGH
  ? TABLES
  : TABLES.filter((facts, at) => TABLES.findIndex((one) => looksOf(one) === looksOf(facts)) === at)

function looksOf({ label, columns, sorts, actions }: (typeof TABLES)[number]): string {
  return JSON.stringify([label, columns, sorts, actions?.length])
}

/**
 * A page with its tables, which are walked together: what takes time is to open the page, and to draw it at each width.
 */
const PAGES = [...Map.groupBy(WALKED, ({ whose, at }) => `${whose} ${at}`).values()].map((tables) => ({
  ...(tables[0] as Walked),
  tables,
  labels: tables.map(({ label }) => label).join(', '),
}))

test.for(PAGES)(
  '$labels at $at shows and sorts every column at any width, with names and actions in view',
  async ({ tables, ...first }, { business, windowOf }) => {
    const page = await openAt(windowOf, business, first)
    for (const { label } of tables) await expectRow(page, label)
    const walk = async (widths: readonly number[]) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        const menus =
          width <= 1024 ? ['away'] : COLLAPSED_AT.includes(width) ? ['open', 'collapsed'] : ['open']
        for (const menu of menus) {
          await expectNothingLost(page)
          for (const facts of tables) {
            const held = { name: facts.name, actions: facts.actions ?? [] }
            await expect(async () => {
              await drawn(page)
              const { columns, isFolded, covered } = await table(page, facts.label).evaluate(lookAt, held)
              const where = `${facts.label}: ${width}, menu ${menu}`
              expect({ columns, covered }, where).toEqual({
                columns: columnsOf(facts, isFolded, width),
                covered: [],
              })
            }).toPass({ timeout: 15_000 })
          }
          if (menus.length > 1) await press(page, 'Menu')
        }
      }
    }
    await walk(WIDTHS)
    await turn(page, 'dark')
    // The modes differ in their colours alone.
    await walk([1100])
    await turn(page, 'light')
    // The order is kept for the account, whatever the column.
    const unkept: string[] = []
    let [sent, answered] = [0, 0]
    page.on('request', (request) => {
      if (request.url().endsWith('/preferences')) sent += 1
    })
    page.on('response', (response) => {
      if (!response.url().endsWith('/preferences')) return
      answered += 1
      if (!response.ok()) unkept.push(response.request().postData() ?? '')
    })
    // Here most tables scroll, and a column is scrolled into view before it is sorted by.
    await page.setViewportSize({ width: 667, height: 900 })
    for (const facts of tables.filter(({ isSorted }) => isSorted !== false)) {
      const rows = table(page, facts.label)
      for (const column of columnsOf({ ...facts, columns: sortableOf(facts) }, true, 667)) {
        await rows.getByRole('button', { name: column, exact: true }).click()
        await expect(rows.locator('th[aria-sort]'), facts.label).toHaveText(column)
      }
    }
    for (const width of PHONES) {
      await page.setViewportSize({ width, height: 844 })
      for (const facts of tables) {
        await expect(table(page, facts.label), facts.label).toHaveCount(0)
        if (facts.isSorted !== false)
          await expect(sortsOf(page, facts.label), facts.label).toHaveText(sortableOf(facts))
      }
      await expectNothingLost(page)
    }
    // One that came later would put this order into the next table's.
    await expect.poll(() => sent - answered).toBe(0)
    expect(unkept).toEqual([])
  },
)

test('the expiry of a client is whole from the width of a tablet on', async ({ business, windowOf }) => {
  const page = await openAt(windowOf, business, WALKED_CLIENTS)
  const row = table(page, 'Clients').getByRole('row').filter({ hasText: WALKED_CLIENTS.name })
  for (const width of [1200, 1100, 1025, 900, 820, 768]) {
    await page.setViewportSize({ width, height: 900 })
    const space = async () => {
      const [expiry, actions] = [row.locator('td .expiry'), row.getByRole('cell').last()]
      const [left, right] = [await expiry.boundingBox(), await actions.boundingBox()]
      return (right?.x ?? 0) - (left?.x ?? 0) - (left?.width ?? 0)
    }
    await expect.poll(space, `${width}`).toBeGreaterThanOrEqual(0)
  }
})

test('clients fit the width of a tablet without scrolling, and one that is switched off is shown as such', async ({
  business,
  windowOf,
}) => {
  const page = await openAt(windowOf, business, WALKED_CLIENTS)
  const clients = table(page, 'Clients')
  const off = clients.getByRole('row').filter({ hasText: 'luis.moreira' })
  for (const width of [1440, 900, 768, 740, 667]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoScroll(page)
    // Beside the state of its expiry it is never 'Inactive' and 'Active' at once.
    const mark = width === 1440 ? off.getByText('Inactive') : off.getByRole('img', { name: 'Switched off' })
    await expect(mark.filter({ visible: true })).toHaveCount(1)
    // The state of its expiry beside it is not cut.
    await expectOnTop(off.locator('.expiry > .chip'), `${width}`)
  }
  // What has no header there is sorted by the box.
  await page.getByLabel('Sort by').selectOption('Status')
  await expect(clients.getByRole('row').nth(1)).toContainText('luis.moreira')
  await expectNoScroll(page)
  await page.setViewportSize({ width: 390, height: 844 })
  const card = page.getByRole('listitem').filter({ hasText: 'luis.moreira' })
  await expect(card.getByText('Switched off').filter({ visible: true })).toHaveCount(1)
  await expect(card.getByText('Inactive').filter({ visible: true })).toHaveCount(0)
  // What has no room beside the date stands at the right beneath it.
  await page.setViewportSize({ width: 360, height: 844 })
  const rightOf = async (one: Locator) => {
    const box = await one.boundingBox()
    return Math.round((box?.x ?? 0) + (box?.width ?? 0))
  }
  const expiry = card.locator('.expiry')
  await expect.poll(() => rightOf(expiry.locator('> .chip'))).toBe(await rightOf(expiry.locator('xpath=..')))
})

test('what is due fits the width of a tablet without scrolling, and its expiry has what has no column there beneath it', async ({
  business,
  windowOf,
}) => {
  await business.dealer.call(calls.clients.remind, { name: 'tiago.lopes', reminded: true })
  const due = TABLES.find(({ label }) => label === 'Due')
  const page = await openAt(windowOf, business, due as Walked)
  const row = table(page, 'Due').getByRole('row').filter({ hasText: 'tiago.lopes' })
  for (const width of [1180, 1100, 900, 768, 700]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoScroll(page)
    await expectOnTop(row.locator('.expiry > .chip'), `${width}`)
    await expect(row.getByText('last time 1 month')).toBeVisible()
    await expect(row.getByText(/^reminded 2026-/)).toBeVisible()
  }
  await page.getByRole('switch', { name: 'Dense' }).check()
  const edges = await row.evaluate((element) => {
    const [chip, second] = ['.expiry > .chip', '.expiry + .second'].map((part) => {
      const { top, bottom } = (element.querySelector(part) as Element).getBoundingClientRect()
      return { top, bottom }
    })
    const { top, bottom } = element.getBoundingClientRect()
    return [top, chip?.top, chip?.bottom, second?.top, second?.bottom, bottom]
  })
  expect(edges, 'the chip touches the line beneath it').toEqual(
    edges.toSorted((a, b) => Number(a) - Number(b)),
  )
})

test('the lists of accounts fit a window of 1280 px beside a classic scroll bar, and show beneath what has no column there', async ({
  business,
  windowOf,
}) => {
  for (const label of ['Super Resellers', 'Resellers', 'Dealers']) {
    const facts = TABLES.find((one) => one.label === label)
    const page = await openAt(windowOf, business, facts as Walked)
    const used = table(page, label).getByText(/ in 30 days$/)
    await page.setViewportSize({ width: 1280 - 15, height: 900 })
    await expectNoScroll(page)
    await expect(used.first()).toBeVisible()
    // Where its column has room it says it alone.
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect(used.first()).toBeHidden()
  }
})

test('no list of accounts and no transactions scroll sideways at 1440 px, nor at 1366 beside a classic scroll bar', async ({
  business,
  windowOf,
}) => {
  for (const label of ['Super Resellers', 'Resellers', 'Dealers', 'Latest Transactions']) {
    const facts = TABLES.find((one) => one.label === label)
    const page = await openAt(windowOf, business, facts as Walked)
    // The bar takes 15 px.
    for (const width of [1440, 1366 - 15]) {
      await page.setViewportSize({ width, height: 900 })
      await expect(table(page, label)).toBeVisible()
      await expectNoScroll(page)
    }
  }
})

test('the tree fits a window of 1280 px beside a classic scroll bar, and shows beneath what has no column there', async ({
  business,
  windowOf,
}) => {
  for (const [label, name, more] of [
    ['Super Resellers', 'atlantic-media', /in 30 days/],
    ['Resellers', 'lisboa-norte', /since 20/],
    ['Dealers', 'casa-digital', /since 20/],
  ] as const) {
    const facts = TABLES.find((one) => one.at === to.tree() && one.label === label)
    const page = await openAt(windowOf, business, facts as Walked)
    const row = table(page, label).getByRole('row').filter({ hasText: name })
    for (const width of [1440, 1280 - 15]) {
      await page.setViewportSize({ width, height: 900 })
      await expectNoScroll(page)
      // Numbers and words are whole.
      const cut = () =>
        row
          .locator('td, td *')
          .evaluateAll((all) =>
            all
              .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
              .map((one) => one.textContent),
          )
      await expect.poll(cut, `${label} at ${width}`).toEqual([])
    }
    await expect(row.getByText(more)).toBeVisible()
  }
})

test('the lists of accounts show whole what heads a column and how long credits last, also where they are as narrow as can be', async ({
  business,
  windowOf,
}) => {
  for (const label of ['Super Resellers', 'Resellers']) {
    const facts = TABLES.find((one) => one.label === label)
    const page = await openAt(windowOf, business, facts as Walked)
    const lasts = table(page, label).getByText(/^(about \d+|over 999) days$/)
    const heads = table(page, label).locator('th button')
    for (const width of [1440, 1366 - 15, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await expect(lasts.first()).toBeVisible()
      // The words alone: beside them a header has room for its arrow, which is all that may be short of it.
      const cut = (all: Element[]) =>
        all
          .filter((one) => {
            const words = document.createRange()
            words.selectNodeContents(one.firstChild as Node)
            return words.getBoundingClientRect().right > one.getBoundingClientRect().right + 0.5
          })
          .map(({ textContent }) => textContent)
      // Once the font is there, which is narrower than the one before it.
      for (const texts of [lasts, heads]) await expect.poll(() => texts.evaluateAll(cut)).toEqual([])
    }
  }
})

test('the mark of a suspended account stays in view at 768 px', async ({ business, windowOf }) => {
  const resellers = TABLES.find(({ label }) => label === 'Resellers')
  const page = await openAt(windowOf, business, resellers as Walked)
  await page.setViewportSize({ width: 768, height: 900 })
  await expectOnTop(page.getByRole('img', { name: 'Suspended' }), 'the mark')
})

test("the admin's list of all clients fits the width of a tablet without scrolling", async ({
  business,
  windowOf,
}) => {
  const page = await openAt(windowOf, business, WALKED_ALL_CLIENTS)
  for (const width of [1440, 900, 768, 740, 667]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoScroll(page)
  }
})

test('the status of an active client is quiet beside the state of its expiry, and that of an inactive one is not', async ({
  business,
  windowOf,
}) => {
  const page = await openAt(windowOf, business, WALKED_CLIENTS)
  const row = (name: string) => table(page, 'Clients').getByRole('row').filter({ hasText: name })
  for (const mode of ['light', 'dark'] as const) {
    await turn(page, mode)
    const status = await lookOf(row('cafe.central').getByRole('cell').nth(6), 'Active')
    const expiry = await lookOf(row('cafe.central').getByRole('cell').nth(5), 'Active')
    const inactive = await lookOf(row('luis.moreira').getByRole('cell').nth(6), 'Inactive')
    expect(status).toMatchObject({ isFilled: false, isFramed: false, weight: 400 })
    expect(expiry).toMatchObject({ isFilled: true, isFramed: true, weight: 600 })
    expect(inactive).toMatchObject({ isFilled: true, isFramed: true, weight: 600 })
    expect(status.colour).not.toBe(expiry.colour)
  }
})

test('a row shows the state of an expiry in the larger font of a browser, too', async ({
  business,
  windowOf,
}) => {
  // A window of its own, which keeps the larger font.
  const page = await windowOf('dealer', { scale: 2 })
  for (const size of [16, 24]) {
    await page.addInitScript((size) => {
      document.addEventListener('readystatechange', () => {
        document.documentElement.style.fontSize = `${size}px`
      })
    }, size)
    await openAt(async () => page, business, { whose: 'dealer', at: to.clients(), label: 'Clients' })
    const rows = table(page, 'Clients')
    const cut = () =>
      rows.locator('td .expiry').evaluateAll((all) =>
        all.flatMap((expiry) => {
          const frame = expiry.getBoundingClientRect()
          return [...expiry.querySelectorAll('time, .moment, .chip')]
            .filter((part) => part.checkVisibility())
            .filter((part) => {
              const range = document.createRange()
              range.selectNodeContents(part)
              const { top, bottom } = range.getBoundingClientRect()
              return top < frame.top - 1 || bottom > frame.bottom + 1
            })
            .map((part) => part.textContent)
        }),
      )
    await expect.poll(cut, `${size}px`).toEqual([])
  }
})

test('no column covers the credits of a transaction in the larger font of a browser', async ({
  business,
  windowOf,
}) => {
  // A window of its own, which keeps the larger font.
  const page = await windowOf('dealer', { scale: 2.5 })
  await page.addInitScript(() => {
    document.addEventListener('readystatechange', () => {
      document.documentElement.style.fontSize = '24px'
    })
  })
  const rows = await openAt(async () => page, business, {
    whose: 'dealer',
    at: to.transactions(),
    label: 'Transactions',
  }).then((page) => table(page, 'Transactions'))
  const covered = () =>
    rows.getByRole('row').evaluateAll((all) =>
      all.flatMap((row) => {
        const cells = [...row.querySelectorAll('th, td')].filter((cell) => cell.checkVisibility())
        const [before, name] = [
          cells.findIndex((cell) => cell.classList.contains('name')) - 1,
          row.querySelector('.name'),
        ]
        const cell = cells[before]
        if (!cell || !name) return []
        const [own, fixed] = [cell.getBoundingClientRect(), name.getBoundingClientRect()]
        return own.right > fixed.left + 1 ? [cell.textContent] : []
      }),
    )
  await page.setViewportSize({ width: 768, height: 800 })
  await expect(page.locator('[data-scrolls]')).toHaveCount(1)
  await expect.poll(covered).toEqual([])
})

test('the header of a scrolling table stays in view, and one click renews a client', async ({
  business,
  windowOf,
}) => {
  const page = await openAt(windowOf, business, {
    whose: 'dealer',
    at: to.clients({ perPage: '25' }),
    label: 'Clients',
  })
  // With two more columns it scrolls there.
  for (const column of ['Phone', 'Package']) {
    await press(page, 'Columns')
    await page.getByRole('menuitemcheckbox', { name: column }).click()
  }
  await page.setViewportSize({ width: 700, height: 480 })
  await expect(page.locator('[data-scrolls]')).toHaveCount(1)
  const rows = table(page, 'Clients')
  await rows.evaluate((element) => element.parentElement?.scrollTo({ top: 10_000 }))
  await expectOnTop(rows.getByRole('button', { name: 'Name', exact: true }), 'scrolled down')
  await press(page, 'Renew vera.novak')
  await expect(page.getByRole('dialog', { name: 'Renew vera.novak' })).toBeVisible()
})

async function openAt(
  windowOf: (as: Walked['whose']) => Promise<Page>,
  { world }: Business,
  { whose, at, label, doing }: Pick<Walked, 'whose' | 'at' | 'label' | 'doing'>,
): Promise<Page> {
  // Tables are remembered as they were last sorted, and a name may then be on another page.
  await world.server.ownerSql`update account set preferences = '{}'`
  const page = await windowOf(whose)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(at)
  await doing?.(page)
  await expectRow(page, label)
  return page
}

function expectRow(page: Page, label: string): Promise<void> {
  return expect(table(page, label).getByRole('row').nth(1)).toBeVisible()
}

async function expectNoScroll(page: Page): Promise<void> {
  await drawn(page)
  await expect(page.locator('[data-scrolls]')).toHaveCount(0)
}

function columnsOf({ columns, folded, spared }: Walked, isFolded: boolean, width: number): readonly string[] {
  const leftOut = [...(folded ?? []), ...(spared?.[width] ?? [])]
  return columns.filter((column) => !isFolded || !leftOut.includes(column))
}

/** Returns the columns that a table can be sorted by. */
function sortableOf({ sorts, columns }: Walked): readonly string[] {
  return sorts ?? columns.filter((column) => column !== 'Actions')
}

/** Returns the columns by which the cards of a table can be sorted. */
function sortsOf(page: Page, label: string): Locator {
  const place = page.locator('div').filter({ has: page.getByRole('list', { name: label, exact: true }) })
  return place
    .filter({ has: page.getByLabel('Sort by') })
    .last()
    .getByLabel('Sort by')
    .locator('option')
}

/** Returns how a word in a cell is drawn. */
function lookOf(cell: Locator, word: string) {
  return cell.getByText(word, { exact: true }).evaluate((element) => {
    const clear = 'rgba(0, 0, 0, 0)'
    const { backgroundColor, boxShadow, fontWeight, color } = getComputedStyle(element)
    return {
      isFilled: backgroundColor !== clear,
      isFramed: boxShadow !== 'none',
      weight: Number(fontWeight),
      colour: color,
    }
  })
}

/**
 * Returns the columns of a table, and the names and actions that cannot be clicked at one of the ends to which it
 * scrolls, because something covers their middle or their sides.
 */
function lookAt(rows: Element, { name, actions }: { name: string; actions: readonly string[] }) {
  const isCovered = (element: Element) => {
    const { left, right, top, height } = element.getBoundingClientRect()
    return [left + 2, (left + right) / 2, right - 2].some((x) => {
      const hit = document.elementFromPoint(x, top + height / 2)
      return hit === null || !(element.contains(hit) || hit.contains(element))
    })
  }
  const words = (element: Element) => element.getAttribute('aria-label') ?? element.textContent ?? ''
  const find = (among: string, text: string) =>
    [...rows.querySelectorAll(among)].find((element) => words(element) === text)
  const held = [name, ...actions].map((text, at) => ({
    text,
    element: find(at === 0 ? 'tbody td *' : 'tbody button', text),
  }))
  const place = rows.parentElement as Element
  const covered = [0, place.scrollWidth].flatMap((end) => {
    // In the middle of the window, away from the bars that stay at its edges.
    held[0]?.element?.scrollIntoView({ block: 'center', behavior: 'instant' })
    place.scrollLeft = end
    return held.filter(({ element }) => !element || isCovered(element)).map(({ text }) => `${text} at ${end}`)
  })
  const columns = [...rows.querySelectorAll('th')]
    .filter((one) => one.checkVisibility())
    .map((one) => one.textContent)
    .filter((text) => text !== '')
  return { columns, isFolded: rows.closest('[data-folded]') !== null, covered }
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
      where,
    )
    .toBe(true)
}

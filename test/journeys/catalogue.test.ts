import type { Page } from 'playwright-core'
import { everyCall } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { LEVEL_NAMES, LEVELS } from '../../contract/levels.ts'
import { ApiError } from '../../web/calls/api.ts'
import { type CallNotices, failureOf, noticesOf } from '../../web/calls/notices.ts'
import { to } from '../../web/screens.ts'
import {
  test as base,
  choose,
  expect,
  fill,
  press,
  readNotice,
  sessionOf,
  typeIn,
} from '../support/browser.ts'
import { A_PLAYLIST, compressed, servePlaylist } from '../support/playlist.ts'
import { Windows } from '../support/windows.ts'
import { type Family, openWorld, type Person, type World } from '../support/world.ts'

// This tests the error catalogue: every call with notices is made from its screen three times. The first time a fault
// is returned, then a refusal, and at last the server's own answer.

/** How a person makes a call in the console. */
interface Scenario {
  as: 'admin' | keyof Family
  at: string | ((shop: Shop) => string)
  /** Runs once, before the first try. */
  prepare?: (page: Page) => Promise<unknown>
  /** Runs at each try. */
  submit: (page: Page) => Promise<unknown>
}

interface Shop extends Family {
  world: World
  /** One account of each level that nobody is signed in as, because changing a password ends its sessions. */
  idle: Family
  /** A dealer that is moved and closed. */
  leaving: Person
}

const scenarios: Record<string, Scenario> = {
  // Before the renewals, after which nobody is due.
  'clients.remind': {
    as: 'dealer',
    at: '/due',
    prepare: (page) => press(page, 'Remind client-one'),
    submit: (page) => press(page, 'Copy'),
  },
  'clients.renew': {
    as: 'dealer',
    at: '/clients',
    prepare: (page) => press(page, 'Renew client-one'),
    submit: (page) => press(page, 'Renew for 1 credit'),
  },
  'clients.remove': {
    as: 'dealer',
    at: '/clients',
    prepare: (page) => press(page, 'Delete is-over'),
    submit: (page) => press(page, 'Delete'),
  },
  'clients.multiremove': {
    as: 'dealer',
    at: '/clients',
    prepare: (page) => chooseFor(page, 'is-gone', 'Delete expired'),
    submit: (page) => press(page, 'Delete 1 client'),
  },
  'clients.multisave': {
    as: 'dealer',
    at: '/clients',
    prepare: (page) => chooseFor(page, 'client-two', 'Switch off'),
    submit: (page) => press(page, 'Switch 1 client off'),
  },
  'clients.multirenew': {
    as: 'dealer',
    at: '/clients',
    prepare: async (page) => {
      await page.getByLabel('Select this page').check()
      await press(page, 'Renew selected')
    },
    submit: (page) => page.getByRole('button', { name: /^Renew \d clients for \d credits$/ }).click(),
  },
  'clients.create': {
    as: 'dealer',
    at: '/new-client',
    prepare: async (page) => {
      await fill(page, { 'Login Name': 'a-new-client', Password: 'tv-1234' })
      await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    },
    submit: (page) => press(page, 'Submit'),
  },
  'clients.save': {
    as: 'dealer',
    at: '/update-client/client-one',
    prepare: async (page) => {
      await expect(page.getByLabel('Password', { exact: true })).toHaveValue('secret-tv')
      await fill(page, { Description: 'Changed' })
    },
    submit: (page) => press(page, 'Update Client'),
  },
  'clients.retrieve': {
    as: 'dealer',
    at: '/update-client/client-two',
    prepare: async (page) => {
      await fill(page.getByRole('region', { name: 'Retrieve Credits' }), { Credits: '1' })
      await press(page, 'Retrieve Credits')
    },
    submit: (page) => press(page, 'Retrieve'),
  },
  'clients.reset': {
    as: 'dealer',
    at: '/update-client/client-one',
    prepare: (page) => press(page, 'Reset'),
    submit: (page) => press(page.getByRole('alertdialog'), 'Reset'),
  },
  'clients.tell': {
    as: 'dealer',
    at: '/update-client/client-one',
    prepare: (page) => press(page, 'Reboot'),
    submit: (page) => press(page.getByRole('dialog'), 'Reboot the box of 1 client'),
  },
  'clients.export': {
    as: 'dealer',
    at: '/clients',
    submit: (page) => choose(page, 'Export', 'Export as CSV'),
  },
  ...Object.fromEntries(LEVEL_NAMES.flatMap(deedsOfLevel)),
  'tree.suspend': {
    as: 'reseller',
    at: ({ idle }) => to.level.dealer.update(idle.dealer.name),
    prepare: (page) => press(page, 'Suspend'),
    submit: (page) => page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click(),
  },
  'tree.lift': {
    as: 'reseller',
    at: ({ idle }) => to.level.dealer.update(idle.dealer.name),
    submit: (page) => press(page, 'Lift suspension'),
  },
  'tree.move': {
    as: 'admin',
    at: ({ leaving }) => to.branch(leaving.name),
    prepare: async (page) => {
      await press(page, 'Move')
      await page.getByRole('dialog').getByRole('combobox').selectOption({ index: 1 })
    },
    submit: (page) =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^Move to/ })
        .click(),
  },
  'tree.moveClients': {
    as: 'admin',
    at: ({ leaving }) => to.branch(leaving.name),
    prepare: async (page) => {
      await press(page, 'Move clients')
      await page.getByRole('dialog').getByLabel('To').selectOption({ index: 1 })
    },
    submit: (page) =>
      page
        .getByRole('dialog')
        .getByRole('button', { name: /^Move 1 client to/ })
        .click(),
  },
  'tree.close': {
    as: 'admin',
    at: ({ leaving }) => to.branch(leaving.name),
    prepare: (page) => press(page, 'Close'),
    submit: (page) =>
      page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Close/ })
        .click(),
  },
  'tree.password': {
    as: 'admin',
    at: ({ idle }) => to.branch(idle.dealer.name),
    prepare: (page) =>
      fill(page, { 'New Password': 'their-password', 'Confirm New Password': 'their-password' }),
    submit: (page) => press(page, 'Change Password'),
  },
  'requests.ask': {
    as: 'dealer',
    at: to.creditRequests(),
    submit: (page) => press(page, 'Ask for 1 credit'),
  },
  'requests.withdraw': {
    as: 'dealer',
    at: to.creditRequests(),
    prepare: (page) => press(page, 'Withdraw'),
    submit: (page) => press(page.getByRole('alertdialog'), 'Withdraw'),
  },
  'requests.grant': {
    as: 'reseller',
    at: to.creditRequests(),
    prepare: (page) => page.getByRole('button', { name: 'Grant' }).first().click(),
    submit: (page) => press(page.getByRole('dialog'), 'Grant 2 credits'),
  },
  'requests.decline': {
    as: 'reseller',
    at: to.creditRequests(),
    // The first one has just been granted, which the list may not know yet.
    prepare: (page) => page.getByRole('button', { name: 'Decline' }).last().click(),
    submit: (page) => press(page.getByRole('dialog'), 'Decline'),
  },
  'lowBalance.own': {
    as: 'dealer',
    at: to.creditRequests(),
    prepare: (page) => fill(page, { 'Mark as low below': '5' }),
    submit: (page) => press(page, 'Mark below 5'),
  },
  'lowBalance.ofChild': {
    as: 'reseller',
    at: ({ dealer }) => to.level.dealer.update(dealer.name),
    prepare: (page) => fill(page, { 'Mark as low below': '5' }),
    submit: (page) => press(page, 'Mark below 5'),
  },
  'session.end': {
    as: 'reseller',
    at: to.signIns(),
    prepare: (page) => page.getByRole('button', { name: 'End this session' }).first().click(),
    submit: (page) => press(page, 'End session'),
  },
  'session.password': {
    as: 'reseller',
    at: '/reseller',
    prepare: async (page) => {
      await press(page, 'Settings')
      await fill(page, { 'Present password': 'plain-password', 'New password': 'another-password' })
      await fill(page, { 'Confirm new password': 'another-password' })
    },
    submit: (page) => press(page, 'Change password'),
  },
  'session.savePreferences': {
    as: 'reseller',
    at: '/reseller',
    prepare: (page) => press(page, 'Settings'),
    submit: (page) => page.getByRole('switch', { name: 'Keyboard shortcuts' }).click(),
  },
  'admin.setMessage': {
    as: 'admin',
    at: '/admin/message',
    prepare: (page) => fill(page, { 'New Message': 'Hear, hear.' }),
    submit: (page) => press(page, 'Update Message'),
  },
  'admin.removeMessage': {
    as: 'admin',
    at: '/admin/message',
    // Anew, because the page that has set a message soon leaves.
    prepare: async (page) => {
      await page.goto('/admin/message')
      await press(page, 'Remove message')
    },
    submit: (page) => press(page.getByRole('alertdialog'), 'Remove message'),
  },
  'admin.searchMac': {
    as: 'admin',
    at: '/admin/delete-mac',
    prepare: (page) => page.getByLabel('MAC Address').fill('00:1A:79:FF:FF:01'),
    submit: (page) => press(page, 'Search'),
  },
  'admin.remove': {
    as: 'admin',
    at: '/admin/delete-mac',
    prepare: async (page) => {
      await page.getByLabel('MAC Address').fill('00:1A:79:FF:FF:01')
      await press(page, 'Search')
      await press(page, 'Delete')
    },
    submit: (page) => press(page, 'Yes'),
  },
  // The second playlist of the shop is held back, and is taken after its groups were changed.
  'channels.saveGroup': {
    as: 'admin',
    at: to.channels(),
    submit: (page) => press(page, 'News is for adults'),
  },
  'channels.assign': {
    as: 'admin',
    at: to.channels(),
    prepare: async (page) => {
      await press(page, 'Choose groups of All Packages')
      await page.getByLabel('Sports 1 channel').uncheck()
    },
    submit: (page) => press(page, 'Save 1 group'),
  },
  'channels.savePlayers': {
    as: 'admin',
    at: to.channels(),
    prepare: async (page) => {
      await press(page, 'Change players')
      await page.getByLabel('Player', { exact: true }).fill('auto')
    },
    submit: (page) => press(page, 'Save'),
  },
  'channels.takeHeld': {
    as: 'admin',
    at: to.channels(),
    prepare: (page) => press(page, 'Take it all the same'),
    submit: (page) => press(page, 'Take it'),
  },
  'channels.giveAddress': {
    as: 'admin',
    at: to.channels(),
    prepare: async (page) => {
      const { address } = await servePlaylist(A_PLAYLIST)
      await press(page, 'Give a playlist')
      await page.getByLabel('Address', { exact: true }).fill(address)
    },
    submit: (page) => press(page, 'Read it'),
  },
  'channels.fetch': { as: 'admin', at: to.channels(), submit: (page) => press(page, 'Read it now') },
  'channels.giveFile': {
    as: 'admin',
    at: to.channels(),
    prepare: async (page) => {
      await press(page, 'Give a playlist')
      await page.getByRole('radio', { name: 'A file' }).check()
      const file = { name: 'own.m3u', mimeType: 'audio/x-mpegurl', buffer: Buffer.from(A_PLAYLIST) }
      await page.getByLabel('File', { exact: true }).setInputFiles(file)
    },
    submit: (page) => press(page, 'Read it'),
  },
  'admin.exportClients': {
    as: 'admin',
    at: '/admin/clients',
    submit: (page) => choose(page, 'Export', 'Export as CSV'),
  },
  'desk.dealer.saveSettings': {
    as: 'dealer',
    at: '/',
    prepare: async (page) => {
      await press(page, 'Settings')
      await page.getByRole('radio', { name: 'Dark' }).check()
    },
    submit: (page) => press(page, 'Save Changes'),
  },
  'desk.dealer.exportTransactions': {
    as: 'dealer',
    at: '/',
    prepare: (page) => press(page, 'Export'),
    submit: (page) => press(page, 'Export as CSV'),
  },
}

function deedsOfLevel(name: (typeof LEVEL_NAMES)[number]): [string, Scenario][] {
  const { owner, title } = LEVELS[name]
  const { add, update } = to.level[name]
  const as = owner as Scenario['as']
  return [
    [
      `level.${name}.create`,
      {
        as,
        at: add(),
        prepare: (page) => fill(page, { Login: `new-${name}`, Password: 'their-password' }),
        submit: (page) => press(page, `Add ${title}`),
      },
    ],
    [
      `level.${name}.save`,
      {
        as,
        at: (shop) => update(shop[name].name),
        prepare: (page) => fill(page, { Description: 'Changed' }),
        // The question stays open where nobody knows what became of the first try.
        submit: async (page) => {
          const question = page.getByRole('alertdialog')
          if (!(await question.isVisible())) await press(page, 'Add 1 credit')
          await press(question, 'Add 1 credit')
        },
      },
    ],
    [
      `level.${name}.changePassword`,
      {
        as,
        at: ({ idle }) => update(idle[name].name),
        prepare: (page) =>
          fill(page, { 'New Password': 'their-password', 'Confirm New Password': 'their-password' }),
        submit: (page) => press(page, 'Change Password'),
      },
    ],
  ]
}

async function chooseFor(page: Page, client: string, act: string) {
  await page.getByLabel(`Select ${client}`).check()
  await choose(page, 'More', act)
}

const FAULT = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' } as const
const REFUSAL = { status: 'ERROR', code: 'invalid_input', message: 'This cannot be done.' } as const

const test = base
  .extend('shop', { scope: 'file' }, async ({}, { onCleanup }) => {
    const shop = await openShop()
    onCleanup(() => shop.world.close())
    return shop
  })
  .extend('windowOf', { scope: 'file' }, async ({ browser, shop }, { onCleanup }) => {
    const windows = new Windows(browser)
    onCleanup(() => windows.close())
    const { url } = shop.world.server
    const pages: Partial<Record<Scenario['as'], Promise<Page>>> = {}
    return (as: Scenario['as']) => {
      pages[as] ??= windows.open(url, {}, sessionOf(as === 'admin' ? shop.world.admin : shop[as]))
      return pages[as]
    }
  })

test('every call with notices is tested here, and the calls of the four dashboards once', () => {
  const withNotices = everyCall(calls).filter((call) => noticesOf(call) !== null)
  const names = withNotices.map(({ name }) => name.replace(/^desk\.\w+/, 'desk.dealer'))
  expect(Object.keys(scenarios).sort()).toEqual([...new Set(names)].sort())
})

test.for(Object.entries(scenarios))(
  'the notices of %s show a fault, a refusal and a success',
  async ([name, scenario], { shop, windowOf }) => {
    const call = everyCall(calls).find((one) => one.name === name)
    const notices = call && (noticesOf(call) as CallNotices)
    if (!notices) throw new Error(`${name} has no notices`)
    const page = await windowOf(scenario.as)
    const { href } = new URL(
      typeof scenario.at === 'string' ? scenario.at : scenario.at(shop),
      shop.world.server.url,
    )
    // The call before may have left its page as it was. A dialog that is open hides the title.
    const isThere = page.url() === href && (await page.getByRole('heading', { level: 1 }).isVisible())
    if (!isThere) await page.goto(href)
    await scenario.prepare?.(page)
    const address = new RegExp(`/v1${call.path.replace(/\{\w+\}/g, '[^/]+')}$`)
    for (const [status, body] of [
      [500, FAULT],
      [400, REFUSAL],
    ] as const) {
      // The screen also loads from the address that it posts to.
      await page.route(address, (route) =>
        route.request().method() === call.method ? route.fulfill({ status, json: body }) : route.fallback(),
      )
      await scenario.submit(page)
      const [text, reason] = failureOf(notices, new ApiError(body.message, { code: body.code, status }))
      await readNotice(page, text, reason)
      await page.unroute(address)
    }
    const answer = page.waitForResponse(
      (response) => address.test(response.url()) && response.request().method() === call.method,
    )
    await scenario.submit(page)
    const response = await answer
    expect(response.status()).toBe(200)
    if (notices.success) {
      const input = response.request().postDataJSON() ?? {}
      await readNotice(page, notices.success(input, await response.json()))
    }
  },
)

/** Every account has enough credits, and the dealer has clients of all kinds. */
async function openShop(): Promise<Shop> {
  const world = await openWorld()
  const family = await world.family({ credits: 50 })
  await world.give(world.admin, family.superreseller, 10)
  await world.give(family.superreseller, family.reseller, 5)
  const idle = {
    superreseller: await world.child(world.admin),
    reseller: await world.child(family.superreseller),
    dealer: await world.child(family.reseller),
  }
  await world.client(family.dealer, { login: 'client-one', stb_mac: '00:1A:79:FF:FF:01' })
  await world.client(family.dealer, { login: 'client-two', months: 3 })
  await world.client(family.dealer, { login: 'is-over', months: 1 })
  await world.client(family.dealer, { login: 'is-gone', months: 1 })
  for (const login of ['is-over', 'is-gone']) await world.setExpiry(login, '2026-05-14T23:59:59.000Z')
  await world.again(family.reseller)
  for (let asking = 0; asking < 2; asking += 1) {
    await (await world.child(family.reseller)).call(calls.requests.ask, { credits: 2 })
  }
  await world.admin.call(calls.admin.setMessage, { message: 'Hear.' })
  for (const playlist of [A_PLAYLIST, '#EXTM3U'])
    await world.admin.call(calls.channels.giveFile, { name: 'a.m3u', file: compressed(playlist) })
  const leaving = await world.child(family.reseller)
  await world.client(leaving)
  return { world, ...family, idle, leaving }
}

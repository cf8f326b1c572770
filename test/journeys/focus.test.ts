import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { ROLES, type Role } from '../../contract/roles.ts'
import { everyScreen, to } from '../../web/screens.ts'
import { THOROUGH } from '../laws/runs.ts'
import {
  test as base,
  choose,
  expect,
  fill,
  holdBack,
  press,
  readNotice,
  sessionOf,
  signIn,
} from '../support/browser.ts'
import { A_PLAYLIST, compressed, givePlaylist } from '../support/playlist.ts'
import { type Family, openWorld, type Person, type World } from '../support/world.ts'

interface Shop extends Family {
  world: World
  admin: Person
}

const test = base
  .extend('shop', { scope: 'file' }, async ({}, { onCleanup }) => {
    const world = await openWorld()
    onCleanup(() => world.close())
    return { world, admin: world.admin, ...(await world.family({ credits: 200 })) }
  })
  .extend('openAs', async ({ shop, windows }) => async (who: Person | null, at: string) => {
    // With motion, because a dialog that takes time to close may still take the focus from the page.
    const session = who ? sessionOf(await shop.world.again(who)) : {}
    const page = await windows.open(shop.world.server.url, { motion: true }, session)
    await page.goto(at)
    await page.locator('h1').waitFor()
    return page
  })

/** The page that has neither a form nor a search. */
const ONLY_READ = 'System'

/** The first field of each page that has a form. The others are searched, so they leave the focus alone. */
const FIRST_FIELDS: Record<string, string | null> = {
  Tree: null,
  Transactions: null,
  SignIns: null,
  System: null,
  AdminDashboard: null,
  BranchDashboard: null,
  DealerDashboard: null,
  Accounts: null,
  Clients: null,
  Due: null,
  AllClients: null,
  Boxes: null,
  Channels: null,
  CreditRequests: 'Credits',
  AddAccount: 'Login',
  UpdateAccount: 'Credits',
  NewClient: 'Login Name',
  UpdateClient: null,
  Message: 'New Message',
  DeleteMac: 'MAC Address',
}

const LAST_ROLES = new Map(
  everyScreen.flatMap(({ page, roles }) => roles.map((role) => [page, role] as const)),
)

/**
 * What is expected depends on the page alone, so it is opened as the last role that sees it; by `npm run faults` as
 * each.
 */
function screensOf(role: Role): typeof everyScreen {
  return everyScreen.filter(
    ({ page, roles }) => roles.includes(role) && (THOROUGH || LAST_ROLES.get(page) === role),
  )
}

describe('a screen that opens', () => {
  test.for(ROLES.filter((role) => screensOf(role).length > 0))(
    'gives the focus to its first field, and no phone corrects a login or what is searched, for the %s',
    async (role, { shop, openAs }) => {
      const { name: client } = await shop.world.client(shop.dealer)
      const page = await openAs(shop[role], '/')
      for (const { path, page: name, level } of screensOf(role)) {
        // Above a form of the tree, and of the requests unless nobody is below, stands what those below have or ask
        // for.
        if (path === '/tree/:name' || (name === 'CreditRequests' && role !== 'dealer')) continue
        await page.goto(path.replace(':name', level ? shop[level].name : client))
        const first = FIRST_FIELDS[name]
        if (first === undefined) throw new Error(`Which field of ${name} is its first?`)
        if (first !== null) await expect(page.getByLabel(first, { exact: true }).first(), path).toBeFocused()
        else {
          if (name === ONLY_READ) await expect(page.getByRole('table').first(), path).toBeVisible()
          else await expect(page.getByRole('searchbox').first(), path).toBeVisible()
          // A space that is to scroll must not switch a client off.
          await expect(page.locator('main form :focus'), path).toHaveCount(0)
        }
        for (const search of await page.getByRole('searchbox').all()) await expectAsTyped(search)
        if (name === 'AddAccount') await expectAsTyped(page.getByLabel('Login', { exact: true }))
      }
    },
  )

  test('gives the focus back to the button of a menu that closes because the page scrolls', async ({
    shop,
    openAs,
  }) => {
    const page = await openAs(shop.dealer, '/clients')
    await page.setViewportSize({ width: 1280, height: 450 })
    // Once its clients are there, the page is long enough.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight - innerHeight))
      .toBeGreaterThan(40)
    await button(page, 'Columns').focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menu').locator(':focus')).toHaveCount(1)
    await page.evaluate(() => scrollBy(0, 40))
    await expect(page.getByRole('menu')).toHaveCount(0)
    await expect(button(page, 'Columns')).toBeFocused()
  })

  test('keeps a menu open that was opened in the frame in which the page scrolled or its window changed', async ({
    shop,
    openAs,
  }) => {
    const page = await openAs(shop.dealer, '/clients')
    await page.setViewportSize({ width: 1280, height: 450 })
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight - innerHeight))
      .toBeGreaterThan(40)
    // A busy page hears of both only in its next frame.
    await button(page, 'Columns').evaluate(async (columns) => {
      scrollBy(0, 40)
      columns.dispatchEvent(new MouseEvent('click', { bubbles: true }))
      await new Promise((framed) => requestAnimationFrame(() => requestAnimationFrame(framed)))
      dispatchEvent(new Event('resize'))
    })
    await expect(page.getByRole('menu').locator(':focus')).toHaveCount(1)
  })

  test('from the menu focuses its first field, or its title', async ({ shop, openAs }) => {
    const page = await openAs(null, '/login')
    await expect(page.getByLabel('Username')).toBeFocused()
    await expectAsTyped(page.getByLabel('Username'))
    await signIn(page, shop.dealer.name)
    await page.getByRole('link', { name: 'New Client' }).first().click()
    await expect(page.getByLabel('Login Name')).toBeFocused()
    for (const label of ['Login Name', 'MAC Address']) await expectAsTyped(page.getByLabel(label))
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()

    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.getByRole('button', { name: 'Menu' })).toHaveAttribute('aria-expanded', 'false')
    await press(page, 'Menu')
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'New Client' }).click()
    await expect(page.getByLabel('Login Name')).toBeFocused()
  })
})

type Target = (page: Page) => Locator

interface Asked {
  /** The file that has the dialog. */
  file: string
  as: 'admin' | keyof Family
  at: string | ((client: string, shop: Shop) => string)
  /** Makes what is asked about, and opens the dialog. */
  open: (page: Page, client: string, shop: Shop) => Promise<unknown>
  /** What has the focus when it opens. */
  first: Target
  /** Cancels the dialog (by Escape, if this is left out); then `opener` has the focus. */
  putOff?: (page: Page) => Promise<unknown>
  opener: (page: Page, client: string) => Locator
  /** Confirms the dialog; then `next` has the focus. */
  done?: (page: Page) => Promise<unknown>
  next?: (page: Page, client: string) => Locator
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const title: Target = (page) => page.getByRole('heading', { level: 1 })

const DIALOGS: Record<string, Asked> = {
  'the renewal of a client': {
    file: 'clients/RenewDialog.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: (page, client) => press(page, `Renew ${client}`),
    first: (page) => page.getByLabel('Months'),
    opener: (page, client) => button(page, `Renew ${client}`),
    done: (page) => press(page, 'Renew for 1 credit'),
    next: (page, client) => button(page, `Renew ${client}`),
  },
  'the renewal of many clients': {
    file: 'clients/RenewDialog.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: async (page) => {
      await page.getByLabel('Select this page').check()
      await press(page, 'Renew selected')
    },
    first: (page) => page.getByLabel('Months'),
    opener: (page) => button(page, 'Renew selected'),
    done: (page) => press(page, 'Renew for 1 credit'),
    next: (page) => page.getByLabel('Select this page'),
  },
  'the deletion of the last client found': {
    file: 'clients/DeleteClient.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: async (page, client, { world }) => {
      await world.setExpiry(client, '2026-05-14T23:59:59.000Z')
      await page.reload()
      await press(page, `Delete ${client}`)
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page, client) => button(page, `Delete ${client}`),
    done: (page) => press(page, 'Delete'),
    next: (page) => page.getByRole('searchbox'),
  },
  'the deletion of many clients': {
    file: 'clients/ChosenDialog.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: async (page, client, { world }) => {
      await world.setExpiry(client, '2026-05-14T23:59:59.000Z')
      await page.reload()
      await page.getByLabel('Select this page').check()
      await choose(page, 'More', 'Delete expired')
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'More'),
    done: async (page) => {
      await page.getByRole('menuitem', { name: 'Delete expired' }).click()
      // The dialog is gone before the list without the client has come.
      await page.route(/\/v1\/api\/clients\?/, (route) => setTimeout(() => route.continue(), 1_500))
      await press(page, 'Delete 1 client')
    },
    next: (page) => page.getByRole('searchbox'),
  },
  'another package for many clients': {
    file: 'clients/ChosenDialog.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: async (page) => {
      await page.getByLabel('Select this page').check()
      await choose(page, 'More', 'Change package')
    },
    first: (page) => page.getByLabel('Package', { exact: true }),
    opener: (page) => button(page, 'More'),
  },
  'switching many clients off': {
    file: 'clients/ChosenDialog.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: async (page) => {
      await page.getByLabel('Select this page').check()
      await choose(page, 'More', 'Switch off')
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'More'),
  },
  'a message to many boxes': {
    file: 'clients/SendToChosen.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: async (page) => {
      await page.getByLabel('Select this page').check()
      await choose(page, 'More', 'Send a message')
    },
    first: (page) => page.getByLabel('Message', { exact: true }),
    opener: (page) => button(page, 'More'),
  },
  'the reboot of a box': {
    file: 'clients/SendToChosen.tsx',
    as: 'dealer',
    at: to.client,
    open: (page) => press(page, 'Reboot'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Reboot'),
    done: (page) => press(page, 'Reboot the box of 1 client'),
    next: (page) => button(page, 'Reboot'),
  },
  'the name of a filter': {
    file: 'clients/SaveFilter.tsx',
    as: 'dealer',
    at: (client) => to.clients({ search: client }),
    open: (page) => choose(page, 'Filters', 'Save this filter'),
    first: (page) => page.getByLabel('Name', { exact: true }),
    opener: (page) => button(page, 'Filters'),
  },
  'a new playlist': {
    file: 'boxes/GivePlaylist.tsx',
    as: 'admin',
    at: to.channels(),
    open: (page) => press(page, 'Give a playlist'),
    first: (page) => page.getByLabel('Address', { exact: true }),
    opener: (page) => button(page, 'Give a playlist'),
  },
  'the playlist that was held back': {
    file: 'boxes/PlaylistCard.tsx',
    as: 'admin',
    at: to.channels(),
    open: async (page, _client, shop) => {
      await giveEmptyPlaylist(shop)
      await page.reload()
      await press(page, 'Take it all the same')
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Take it all the same'),
    done: (page) => press(page, 'Take it'),
    next: title,
  },
  'the groups of a package': {
    file: 'boxes/AssignDialog.tsx',
    as: 'admin',
    at: to.channels(),
    open: (page) => press(page, 'Choose groups of All Packages'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Choose groups of All Packages'),
    done: (page) => press(page, 'Save 0 groups'),
    next: (page) => button(page, 'Choose groups of All Packages'),
  },
  'the packages of a group': {
    file: 'boxes/AssignDialog.tsx',
    as: 'admin',
    at: to.channels(),
    open: async (page, _client, { world }) => {
      await givePlaylist(world, A_PLAYLIST)
      await page.reload()
      await press(page, 'Choose packages of News')
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Choose packages of News'),
    done: async (page) => {
      await page.getByLabel('Greek/Adults').check()
      await press(page, 'Save 3 packages')
    },
    next: (page) => button(page, 'Choose packages of News'),
  },
  'the players': {
    file: 'boxes/PlayersCard.tsx',
    as: 'admin',
    at: to.channels(),
    open: (page) => press(page, 'Change players'),
    first: (page) => page.getByLabel('Player', { exact: true }),
    opener: (page) => button(page, 'Change players'),
  },
  'the deletion of any client': {
    file: 'clients/DeleteAnyClient.tsx',
    as: 'admin',
    at: (client) => to.allClients({ search: client }),
    open: (page, client) => press(page, `Delete ${client}`),
    first: (page) => button(page, 'Cancel'),
    opener: (page, client) => button(page, `Delete ${client}`),
    done: (page) => press(page, 'Delete'),
    next: (page) => page.getByRole('searchbox'),
  },
  'the deletion of a MAC': {
    file: 'clients/DeleteMacDialog.tsx',
    as: 'admin',
    at: to.deleteMac(),
    open: async (page, client, { dealer }) => {
      const { mac } = await dealer.call(calls.clients.detail, { name: client })
      await page.getByLabel('MAC Address').fill(mac ?? '')
      await press(page, 'Search')
      await press(page, 'Delete')
    },
    first: (page) => button(page, 'No'),
    opener: (page) => button(page, 'Delete'),
    done: async (page) => {
      await press(page, 'Yes')
      await expect(page.getByRole('table')).toHaveCount(0)
      await expect(page.getByText('MAC address should be')).toHaveCount(0)
    },
    next: (page) => page.getByLabel('MAC Address'),
  },
  'a movement of credits': {
    file: 'accounts/UpdateCredits.tsx',
    as: 'reseller',
    at: (_client, { dealer }) => to.level.dealer.update(dealer.name),
    open: (page) => press(page, 'Add 1 credit'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Add 1 credit'),
  },
  'a suspension': {
    file: 'accounts/SuspendDialog.tsx',
    as: 'reseller',
    at: (_client, { dealer }) => to.level.dealer.update(dealer.name),
    open: (page) => press(page, 'Suspend'),
    first: (page) => page.getByLabel('Reason'),
    opener: (page) => button(page, 'Suspend'),
  },
  'a move': {
    file: 'accounts/MoveAccountDialog.tsx',
    as: 'admin',
    at: (_client, { dealer }) => to.branch(dealer.name),
    open: (page) => press(page, 'Move'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Move'),
  },
  'a move of clients': {
    file: 'accounts/MoveClients.tsx',
    as: 'reseller',
    at: (_client, { dealer }) => to.level.dealer.update(dealer.name),
    open: (page) => press(page, 'Move clients'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Move clients'),
  },
  'a closing': {
    file: 'accounts/CloseAccountDialog.tsx',
    as: 'superreseller',
    at: (_client, { reseller }) => to.level.reseller.update(reseller.name),
    open: (page) => press(page, 'Close'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Close'),
  },
  "the grant of a child's request": {
    file: 'accounts/AnswerRequest.tsx',
    as: 'reseller',
    at: to.creditRequests(),
    open: async (page, _client, { dealer }) => {
      await dealer.call(calls.requests.ask, { credits: 5 })
      await page.reload()
      await press(page, `Grant ${dealer.name}`)
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page) => page.getByRole('button', { name: /^Grant / }),
  },
  "the withdrawal of one's own request": {
    file: 'accounts/AskForCredits.tsx',
    as: 'reseller',
    at: to.creditRequests(),
    open: async (page, _client, { reseller }) => {
      await reseller.call(calls.requests.ask, { credits: 5 })
      await page.reload()
      await press(page, 'Withdraw')
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Withdraw'),
  },
  'the end of another session': {
    file: 'pages/SignIns.tsx',
    as: 'dealer',
    at: to.signIns(),
    open: (page) => page.getByRole('button', { name: 'End this session' }).first().click(),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => page.getByRole('button', { name: 'End this session' }).first(),
  },
  'the removal of the message': {
    file: 'pages/Message.tsx',
    as: 'admin',
    at: to.message(),
    open: async (page, _client, { admin }) => {
      await admin.call(calls.admin.setMessage, { message: 'No new boxes until Monday.' })
      await page.reload()
      await press(page, 'Remove message')
    },
    first: (page) => button(page, 'No'),
    opener: (page) => button(page, 'Remove message'),
    done: async (page) => {
      await press(page.getByRole('alertdialog'), 'Remove message')
      await expect(page.getByText('There is no message.')).toBeVisible()
    },
    next: title,
  },
  'a retrieval of some credits': {
    file: 'clients/RetrieveCard.tsx',
    as: 'dealer',
    at: to.client,
    open: (page) => askRetrieval(page, '1'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Retrieve Credits'),
    done: (page) => press(page, 'Retrieve'),
    next: (page) => page.getByLabel('Credits', { exact: true }),
  },
  'a retrieval of all credits': {
    file: 'clients/RetrieveCard.tsx',
    as: 'dealer',
    at: to.client,
    open: (page) => askRetrieval(page, '2'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Retrieve Credits'),
    done: async (page) => {
      await press(page, 'Retrieve')
      await expect(page.getByText('There is nothing to retrieve')).toBeVisible()
    },
    next: title,
  },
  'the reset of a box': {
    file: 'clients/ResetDialog.tsx',
    as: 'dealer',
    at: to.client,
    open: (page) => press(page, 'Reset'),
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'Reset'),
    done: (page) => press(page.getByRole('alertdialog'), 'Reset'),
    next: (page) => button(page, 'Reset'),
  },
  'the MAC of a box': {
    file: 'clients/TakeMac.tsx',
    as: 'dealer',
    at: to.client,
    open: async (page, client, { world: { server, clock } }) => {
      const [mac, mistyped] = ['00:1A:79:F0:0D:F0', '00:1A:79:F0:0D:F1']
      await server.sql`update client set mac = ${mistyped} where name = ${client}`
      await server.sql`
        insert into unknown_box (mac, first_asked, asked, stb_type, version) values (${mac}, ${clock.now}, ${clock.now}, '', '')`
      await page.reload()
      await press(page, 'This box has another MAC: take it over')
    },
    first: (page) => button(page, 'Cancel'),
    opener: (page) => button(page, 'This box has another MAC: take it over'),
  },
  "a client's credentials": {
    file: 'clients/VerdictCard.tsx',
    as: 'dealer',
    at: to.client,
    open: (page) => press(page, 'Credentials'),
    first: (page) => button(page, 'Copy all'),
    opener: (page) => button(page, 'Credentials'),
  },
  'a reminder': {
    file: 'clients/ReminderDialog.tsx',
    as: 'dealer',
    at: (client) => to.due({ filter: 'today', search: client }),
    open: async (page, client, { world }) => {
      await world.setExpiry(client, '2026-05-15T23:59:59.000Z')
      await page.reload()
      await press(page, `Remind ${client}`)
    },
    first: (page) => button(page, 'Copy'),
    opener: (page, client) => button(page, `Remind ${client}`),
  },
  'the renewal of a client that is due': {
    file: 'clients/RenewDue.tsx',
    as: 'dealer',
    at: (client) => to.due({ filter: 'today', search: client }),
    open: async (page, client, { world }) => {
      await world.setExpiry(client, '2026-05-15T23:59:59.000Z')
      await page.reload()
      await page.getByLabel(`Select ${client}`).check()
      await press(page, 'Renew selected')
    },
    first: (page) => page.getByLabel('Months'),
    opener: (page) => button(page, 'Renew selected'),
  },
  'the export of transactions': {
    file: 'accounts/ExportTransactions.tsx',
    as: 'dealer',
    at: to.home.dealer(),
    open: (page) => press(page, 'Export'),
    first: (page) => page.getByLabel('From'),
    opener: (page) => button(page, 'Export'),
    done: async (page) => {
      const download = page.waitForEvent('download')
      await press(page, 'Export as CSV')
      await download
    },
    next: (page) => button(page, 'Export'),
  },
  'the settings': {
    file: 'shell/SettingsDrawer.tsx',
    as: 'reseller',
    at: to.level.dealer.list(),
    open: (page) => press(page, 'Settings'),
    first: (page) => page.getByRole('radio', { name: 'Light' }),
    opener: (page) => button(page, 'Settings'),
  },
  'the broadcast message': {
    file: 'shell/Broadcast.tsx',
    as: 'superreseller',
    at: to.home.superreseller(),
    open: async (page, _client, { admin, superreseller }) => {
      await admin.call(calls.admin.setMessage, { message: 'No new boxes until Monday.' })
      await press(page, 'Logout')
      await signIn(page, superreseller.name)
    },
    first: (page) => button(page, 'Close').last(),
    opener: title,
  },
  'the end of the session': {
    file: 'shell/SignInAgainDialog.tsx',
    as: 'dealer',
    at: to.newClient(),
    open: async (page, _client, { world, dealer }) => {
      const until = new Date(world.clock.now.getTime() + 4 * 60_000)
      const { token } = await world.again(dealer, until)
      await page.evaluate((token) => localStorage.setItem('token', token), token)
      await page.reload()
    },
    first: (page) => page.getByRole('dialog').getByLabel('Password', { exact: true }),
    putOff: (page) => press(page, 'Later'),
    opener: (page) => page.getByLabel('Login Name'),
  },
  'a logout with unsent entries': {
    file: 'shell/Sidebar.tsx',
    as: 'dealer',
    at: to.newClient(),
    open: async (page) => {
      await fill(page, { Description: 'Attic' })
      await press(page, 'Logout')
    },
    first: (page) => button(page, 'Stay'),
    opener: (page) => button(page, 'Logout'),
    done: (page) => press(page.getByRole('alertdialog'), 'Logout'),
    next: (page) => page.getByLabel('Username'),
  },
  'leaving entries that the browser does not keep': {
    file: 'KeepDraft.tsx',
    as: 'dealer',
    at: to.newClient(),
    open: async (page) => {
      await page.evaluate(() => {
        Storage.prototype.setItem = () => {
          throw new Error('full')
        }
      })
      await fill(page, { Description: 'Attic' })
      await page.getByRole('link', { name: 'Clients', exact: true }).click()
    },
    first: (page) => button(page, 'Stay'),
    opener: (page) => page.getByRole('link', { name: 'Clients', exact: true }),
    done: (page) => press(page, 'Leave'),
    next: title,
  },
  'the menu of a phone': {
    file: 'shell/Shell.tsx',
    as: 'dealer',
    at: to.clients(),
    open: async (page) => {
      await page.setViewportSize({ width: 390, height: 844 })
      await expect(button(page, 'Menu')).toHaveAttribute('aria-expanded', 'false')
      await press(page, 'Menu')
    },
    first: (page) => page.getByRole('dialog', { name: 'Menu' }),
    opener: (page) => button(page, 'Menu'),
    done: (page) => page.getByRole('dialog').getByRole('link', { name: 'Dashboard' }).click(),
    next: title,
  },
}

test('every file with a dialog is tested here', () => {
  const web = join(import.meta.dirname, '../../web')
  const files = globSync(['*/*.tsx', 'KeepDraft.tsx'], { cwd: web }).filter((file) => {
    const text = readFileSync(join(web, file), 'utf8')
    return /<((?:Form)?Dialog|Question|Confirm|Drawer|Mui\w*)\s/.test(text)
  })
  expect([...new Set(Object.values(DIALOGS).map(({ file }) => file))].sort()).toEqual(files.sort())
})

describe('a dialog', () => {
  test.for(Object.entries(DIALOGS))(
    'has the focus while it is open, and then gives it on: %s',
    async ([, asked], { shop, openAs }) => {
      const { name: client } = await shop.world.client(shop.dealer, { months: 2 })
      const page = await openAs(
        shop[asked.as],
        typeof asked.at === 'string' ? asked.at : asked.at(client, shop),
      )
      await asked.open(page, client, shop)
      await expect(asked.first(page)).toBeFocused()
      const { putOff = () => page.keyboard.press('Escape') } = asked
      await putOff(page)
      await expect(page.locator('[role=dialog], [role=alertdialog]')).toHaveCount(0)
      await expect(asked.opener(page, client)).toBeFocused()
      if (!asked.done || !asked.next) return
      await asked.opener(page, client).click()
      await asked.done(page)
      await expect(page.locator('[role=dialog], [role=alertdialog]')).toHaveCount(0)
      await expect(asked.next(page, client)).toBeFocused()
    },
  )
})

test('Escape closes the dialog on top, also in the moment after the button with the focus is gone', async ({
  shop,
  openAs,
}) => {
  const { name: client } = await shop.world.client(shop.dealer, { months: 1 })
  const page = await openAs(shop.dealer, to.clients({ search: client }))
  const dialogs = page.locator('[role=dialog], [role=alertdialog]')
  await press(page, `Renew ${client}`)
  await expect(page.getByLabel('Months')).toBeFocused()
  // At once, because a dialog looks for a lost focus only every 50 ms.
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  })
  await expect(dialogs).toHaveCount(0)
})

test('a form that is disabled while it has the focus gives it to the title, in a slow browser too', async ({
  shop,
  windows,
}) => {
  const { name: client } = await shop.world.client(shop.dealer, { months: 2 })
  const { dealer, world } = shop
  const page = await windows.open(world.server.url, {}, sessionOf(await world.again(dealer)))
  // React does each piece of its work in a message, so that frames are drawn between them.
  await page.addInitScript(() => {
    const post = MessagePort.prototype.postMessage
    MessagePort.prototype.postMessage = function (...message: unknown[]) {
      setTimeout(() => Reflect.apply(post, this, message), 40)
    }
  })
  await page.goto(to.client(client))
  await askRetrieval(page, '2')
  await press(page, 'Retrieve')
  await expect(page.getByText('There is nothing to retrieve')).toBeVisible()
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(title(page)).toBeFocused()
})

test('a button that goes once its work is done leaves the focus to the title', async ({ shop, openAs }) => {
  const { world, dealer } = shop
  const { name } = await world.client(dealer, { months: 1 })
  await dealer.call(calls.clients.save, { login: name, status: false })
  const page = await openAs(dealer, to.client(name))
  await press(page, 'Switch on')
  await expect(button(page, 'Switch on')).toHaveCount(0)
  await expect(title(page)).toBeFocused()
  const { suspend } = calls.tree
  const { dealer: other } = await world.family()
  await world.admin.call(suspend, { name: other.name })
  const above = await openAs(world.admin, to.branch(other.name))
  await press(above, 'Lift suspension')
  await expect(button(above, 'Lift suspension')).toHaveCount(0)
  await expect(title(above)).toBeFocused()
  const asking = await openAs(other, to.creditRequests())
  await asking.getByRole('button', { name: /^Ask for \d/ }).click()
  await expect(asking.getByRole('region', { name: /^You asked/ })).toBeVisible()
  await expect(title(asking)).toBeFocused()
})

test('a button whose work has failed has the focus again', async ({ shop, openAs }) => {
  const { world } = shop
  const { dealer } = await world.family()
  await world.admin.call(calls.tree.suspend, { name: dealer.name })
  const page = await openAs(world.admin, to.branch(dealer.name))
  const lift = button(page, 'Lift suspension')
  const reason = { status: 'ERROR', code: 'internal', message: 'Not now.' }
  await page.route('**/v1/tree/lift', async (route) => {
    // Until the browser has taken the focus from the disabled button.
    await expect(lift).not.toBeFocused()
    await route.fulfill({ status: 500, json: reason })
  })
  await lift.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Not now.')).toBeVisible()
  await expect(lift).toBeEnabled()
  await expect(lift).toBeFocused()
})

describe('what goes once it was used, or cannot be used again, leaves the focus', () => {
  test('on the pager at the last page and the first', async ({ shop, openAs }) => {
    const page = await openAs(await dealerOfMany(shop), to.clients())
    const [previous, next] = [button(page, 'Previous page'), button(page, 'Next page')]
    for (const [turn, range] of [
      [next, '11–12 of 12'],
      [previous, '1–10 of 12'],
    ] as const) {
      await turn.focus()
      await page.keyboard.press('Enter')
      await expect(page.getByText(range)).toBeVisible()
      await expect(turn).toBeDisabled()
      await expect(turn).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page.getByText(range)).toBeVisible()
    }
  })

  test('on the number of the selected after all were selected', async ({ shop, openAs }) => {
    const page = await openAs(await dealerOfMany(shop), to.clients())
    await page.getByLabel('Select this page').check()
    await button(page, 'Select all 12').focus()
    await page.keyboard.press('Enter')
    await expect(button(page, 'Select all 12')).toHaveCount(0)
    await expect(page.getByRole('group', { name: 'Selection' }).getByText('12 selected')).toBeFocused()
  })

  test('in the search that was cleared', async ({ shop, openAs }) => {
    await shop.world.client(shop.dealer)
    const page = await openAs(shop.reseller, to.level.dealer.update(shop.dealer.name))
    await press(page, 'Move clients')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Clients', { exact: true }).selectOption('Chosen ones')
    const search = dialog.getByRole('searchbox')
    await search.fill('many')
    await button(page, 'Clear the search').focus()
    await page.keyboard.press('Enter')
    await expect(search).toHaveValue('')
    await expect(search).toBeFocused()
  })

  test('on the next chosen client after one was left out, and in the search after the last', async ({
    shop,
    openAs,
  }) => {
    const dealer = await dealerOfMany(shop)
    const page = await openAs(shop.admin, to.branch(dealer.name))
    await press(page, 'Move clients')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Clients', { exact: true }).selectOption('Chosen ones')
    const names = ['01', '02', '03'].map((end) => `${dealer.name}-${end}`)
    for (const name of names) await dialog.getByRole('checkbox', { name }).check()
    const search = dialog.getByRole('searchbox')
    await search.fill(`${dealer.name}-12`)
    const [first, second, third] = names.map((name) => button(page, `Leave out ${name}`)) as [
      Locator,
      Locator,
      Locator,
    ]
    await second.focus()
    for (const next of [third, first, search]) {
      await page.keyboard.press('Enter')
      await expect(next).toBeFocused()
    }
    await expect(dialog.getByRole('button', { name: /^Leave out/ })).toHaveCount(0)
  })

  test('to the title after all that were due are renewed', async ({ shop, openAs }) => {
    for (const at of [to.due(), to.home.dealer()]) {
      const { world } = shop
      const { dealer } = await world.family({ credits: 2 })
      await world.client(dealer)
      const page = await openAs(dealer, at)
      await button(page, 'Renew all 1').focus()
      await page.keyboard.press('Enter')
      // On a slow line the new count comes after the dialog has closed and returned the focus.
      const release = await holdBack(page, '**/v1/api/due')
      await press(page.getByRole('dialog'), 'Renew 1 client for 1 credit')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(button(page, 'Renew all 1')).toBeFocused()
      release()
      await expect(button(page, 'Renew all 1')).toHaveCount(0)
      await expect(title(page)).toBeFocused()
    }
  })

  test('to the title after the last other session was ended', async ({ shop, openAs }) => {
    const { dealer } = await shop.world.family()
    const page = await openAs(dealer, to.signIns())
    const end = page.getByRole('button', { name: 'End this session' })
    await end.focus()
    await page.keyboard.press('Enter')
    // On a slow line the list comes after the dialog has closed and returned the focus.
    const release = await holdBack(page, '**/v1/sessions')
    await button(page, 'End session').focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    await expect(end).toBeFocused()
    release()
    await expect(end).toHaveCount(0)
    await expect(title(page)).toBeFocused()
  })

  test('to the title after all clients of a dealer were moved', async ({ shop, openAs }) => {
    const { world, reseller } = shop
    const { name } = await world.child(reseller)
    const dealer = await world.child(reseller)
    await world.client(dealer)
    const page = await openAs(reseller, to.branch(dealer.name))
    await press(page, 'Move clients')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To').selectOption(name)
    const release = await holdBack(page, `**/v1/tree/${dealer.name}`)
    await press(dialog, `Move 1 client to ${name}`)
    await expect(dialog).toHaveCount(0)
    await expect(button(page, 'Move clients')).toBeFocused()
    release()
    await expect(button(page, 'Move clients')).toHaveCount(0)
    await expect(title(page)).toBeFocused()
  })

  test('to the title after the first steps were put away', async ({ shop, openAs }) => {
    const { dealer } = await shop.world.family()
    await shop.world.client(dealer)
    const page = await openAs(dealer, to.home.dealer())
    await button(page, 'Hide').focus()
    await page.keyboard.press('Enter')
    await expect(button(page, 'Hide')).toHaveCount(0)
    await expect(title(page)).toBeFocused()
  })

  test('on the button that opened the field to find in, on a narrow screen', async ({ shop, openAs }) => {
    const page = await openAs(shop.dealer, to.clients())
    await page.setViewportSize({ width: 390, height: 844 })
    await button(page, 'Find').focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: /^Find/ })).toBeFocused()
    await button(page, 'Close the search').focus()
    await page.keyboard.press('Enter')
    await expect(button(page, 'Close the search')).toHaveCount(0)
    await expect(button(page, 'Find')).toBeFocused()
  })

  test('to the title after what could not be loaded has come', async ({ shop, openAs }) => {
    const { dealer } = await shop.world.family()
    const page = await openAs(dealer, to.clients())
    await page.route('**/v1/api/due', (route) =>
      route.fulfill({ status: 500, json: { status: 'ERROR', code: 'internal', message: 'Not now.' } }),
    )
    await page.getByRole('link', { name: 'Dashboard' }).click()
    const retry = page.getByRole('region', { name: 'Due' }).getByRole('button', { name: 'Retry' })
    await expect(retry).toBeVisible()
    await page.unrouteAll()
    await retry.focus()
    await page.keyboard.press('Enter')
    await expect(retry).toHaveCount(0)
    await expect(title(page)).toBeFocused()
  })
})

test('a submit that is refused leaves the focus where it was', async ({ shop, openAs }) => {
  const { reseller, dealer } = await shop.world.family({ credits: 1, to: 'reseller' })
  const page = await openAs(reseller, to.level.dealer.update(dealer.name))
  await page.route('**/v1/reseller/save', (route) =>
    route.fulfill({ status: 400, json: { status: 'ERROR', code: 'invalid_input', message: 'Not now.' } }),
  )
  const description = page.getByLabel('Description')
  // Disabled until the account has loaded, it would not take the focus.
  await expect(description).toBeEnabled()
  await description.press('Enter')
  await press(page.getByRole('alertdialog'), 'Add 1 credit')
  await expect(page.getByText('Not now.').first()).toBeVisible()
  await expect(description).toBeFocused()
})

describe('what is clicked and typed next goes where it was meant', () => {
  test('after a password was changed, whose form is over: nothing in it turns red', async ({
    shop,
    openAs,
  }) => {
    const { reseller, dealer } = await shop.world.family({ credits: 1, to: 'reseller' })
    const page = await openAs(reseller, to.level.dealer.update(dealer.name))
    const passwords = [
      page.getByLabel('New Password', { exact: true }),
      page.getByLabel('Confirm New Password'),
    ]
    const send: ((again: Locator) => Promise<unknown>)[] = [
      () => press(page, 'Change Password'),
      (again) => again.press('Enter'),
    ]
    for (const change of send) {
      await fill(page, { 'New Password': 'another-password', 'Confirm New Password': 'another-password' })
      await change(page.getByLabel('Confirm New Password'))
      await expect(title(page)).toBeFocused()
      await readNotice(page, 'Password changed successfully!')
      const other = page.getByLabel('Other amount')
      await other.click()
      await page.keyboard.type('50')
      await expect(other).toHaveValue('50')
      await other.fill('')
      for (const password of passwords) {
        await expect(password).toHaveValue('')
        await expect(password).not.toHaveAttribute('aria-invalid', 'true')
      }
    }
    await page.getByRole('button', { name: 'Suspend' }).click()
    await expect(page.getByRole('dialog', { name: `Suspend ${dealer.name}` })).toBeVisible()
  })

  test('after a MAC was deleted', async ({ shop, openAs }) => {
    const { mac } = await shop.world.client(shop.dealer, { months: 2 })
    const page = await openAs(shop.admin, to.deleteMac())
    await page.getByLabel('MAC Address').fill(mac ?? '')
    await press(page, 'Search')
    await press(page, 'Delete')
    await press(page, 'Yes')
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    await expect(page.getByLabel('MAC Address')).toBeFocused()
    const find = page.getByRole('combobox', { name: /^Find/ })
    await find.click()
    await page.keyboard.type('casa')
    await expect(find).toHaveValue('casa')
    await expect(page.getByLabel('MAC Address')).toHaveValue('')
  })
})

/** A dealer with twelve clients, two more than a page has. */
async function dealerOfMany({ world }: Shop): Promise<Person> {
  const { dealer } = await world.family()
  await world.plantClients(dealer, { prefix: `${dealer.name}-`, last: 12, digits: 2 })
  return dealer
}

async function giveEmptyPlaylist({ world }: Shop): Promise<void> {
  await world.admin.call(calls.channels.giveFile, { name: 'empty.m3u', file: compressed('#EXTM3U') })
}

async function askRetrieval(page: Page, credits: string): Promise<void> {
  await page.getByLabel('Credits', { exact: true }).selectOption(credits)
  await press(page, 'Retrieve Credits')
}

/** Expects that a phone's keyboard neither capitalises nor corrects what is typed. */
async function expectAsTyped(field: Locator): Promise<void> {
  await expect(field).toHaveAttribute('autocapitalize', 'none')
  await expect(field).toHaveAttribute('autocorrect', 'off')
}

import { relative } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll } from 'vitest'
import type { calls, OutputOf } from '../../contract/calls.ts'
import { screenAt, to } from '../../web/screens.ts'
import { THOROUGH } from '../laws/runs.ts'
import {
  choose,
  drawn,
  expect,
  expectAccessible,
  expectNothingLost,
  expectTargets,
  fill,
  press,
  pressAndConfirm,
  turn,
} from '../support/browser.ts'
import { expectNothingMoves } from '../support/shifts.ts'
import { type Look, picture, REPORT } from '../support/windows.ts'
import { type Business, macOf, test } from './business.ts'

interface Picture {
  name: string
  /** Who is signed in; nobody by default. */
  as?: Exclude<keyof Business, 'world'>
  at: string
  /** A text that appears once the screen has loaded. */
  shows: string
  /** Runs before the screenshot. */
  doing?: (page: Page) => Promise<unknown>
}

export const MODES = ['light', 'dark'] as const
/** Whether this is `npm run pictures`. A picture of every screen takes time in which nothing is tested. */
export const PICTURES = process.env.PICTURES === '1'
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
/** Desktop and tablet widths. 640 is a desktop at a zoom of 200%. */
export const DESK: Device = {
  walks: 'first',
  look: { width: 1440 },
  pictured: [1440, 768],
  held: [640, 667, 1025],
  least: 24,
}
export const PHONE: Device = {
  walks: 'last',
  look: { width: 390, touch: true, height: 844 },
  pictured: [390],
  held: [320],
  least: 44,
}

interface Device {
  /**
   * Of the roles that see one page, the one for which it is walked: the first or the last. `npm run faults` walks all.
   */
  walks: 'first' | 'last'
  look: Look & { width: number }
  pictured: readonly number[]
  held: readonly number[]
  /** The least size of a click or touch target. */
  least: number
}

export const screens: Picture[] = [
  { name: 'login', at: '/login', shows: 'Verified' },
  { name: 'admin', as: 'admin', at: to.home.admin(), shows: 'emma.brown' },
  { name: 'admin all clients', as: 'admin', at: to.allClients(), shows: 'ana.ferreira' },
  { name: 'admin super resellers', as: 'admin', at: to.level.superreseller.list(), shows: 'northstar' },
  {
    name: 'admin add super reseller',
    as: 'admin',
    at: to.level.superreseller.add(),
    shows: '8 to 128 characters',
  },
  {
    name: 'admin update super reseller',
    as: 'admin',
    at: to.level.superreseller.update('atlantic-media'),
    shows: 'emma.brown',
  },
  { name: 'admin message', as: 'admin', at: to.message(), shows: 'The servers rest on Sunday' },
  {
    name: 'admin delete mac',
    as: 'admin',
    at: to.deleteMac(),
    shows: 'MAC Address',
    doing: async (page) => {
      await page.getByLabel('MAC Address').fill(macOf('ana.ferreira'))
      await press(page, 'Search')
      await expect(page.getByText('ana.ferreira')).toBeVisible()
    },
  },
  { name: 'admin channels', as: 'admin', at: to.channels(), shows: 'Adults 18+' },
  { name: 'admin boxes', as: 'admin', at: to.boxes(), shows: '00:1A:79:5F:3E:21' },
  {
    name: 'admin system',
    as: 'admin',
    at: to.system(),
    shows: 'The playlist that was read last is held back',
  },
  { name: 'superreseller', as: 'superreseller', at: to.home.superreseller(), shows: 'emma.brown' },
  {
    name: 'superreseller resellers',
    as: 'superreseller',
    at: to.level.reseller.list(),
    shows: 'lisboa-norte',
  },
  {
    name: 'superreseller add reseller',
    as: 'superreseller',
    at: to.level.reseller.add(),
    shows: '8 to 128 characters',
  },
  {
    name: 'superreseller update reseller',
    as: 'superreseller',
    at: to.level.reseller.update('lisboa-norte'),
    shows: 'emma.brown',
  },
  { name: 'reseller', as: 'reseller', at: to.home.reseller(), shows: 'emma.brown' },
  { name: 'reseller dealers', as: 'reseller', at: to.level.dealer.list(), shows: 'casa-digital' },
  { name: 'reseller add dealer', as: 'reseller', at: to.level.dealer.add(), shows: '8 to 128 characters' },
  {
    name: 'reseller update dealer',
    as: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    shows: 'emma.brown',
  },
  { name: 'dealer', as: 'dealer', at: to.home.dealer(), shows: 'joao.silva' },
  { name: 'dealer clients', as: 'dealer', at: to.clients(), shows: 'ana.ferreira' },
  { name: 'dealer due', as: 'dealer', at: to.due(), shows: 'tiago.lopes' },
  { name: 'dealer new client', as: 'dealer', at: to.newClient(), shows: '5 to 15 characters' },
  { name: 'dealer update client', as: 'dealer', at: to.client('cafe.central'), shows: '012010N0250438' },
  {
    name: 'dealer update expired client',
    as: 'dealer',
    at: to.client('vera.novak'),
    shows: 'has expired',
  },
  ...(['admin', 'superreseller', 'reseller', 'dealer'] as const).map((as) => ({
    name: `${as} transactions`,
    as,
    at: to.transactions(),
    shows: 'emma.brown',
  })),
  { name: 'admin tree', as: 'admin', at: to.tree(), shows: 'atlantic-media' },
  { name: 'superreseller tree', as: 'superreseller', at: to.tree(), shows: 'lisboa-norte' },
  { name: 'reseller tree', as: 'reseller', at: to.tree(), shows: 'casa-digital' },
  { name: 'admin branch', as: 'admin', at: to.branch('lisboa-norte'), shows: 'casa-digital' },
  {
    name: 'superreseller branch',
    as: 'superreseller',
    at: to.branch('PORTOSTREAMSANDMOREFOREVERYHOUSE'),
    shows: 'Owes 40 credits since October',
  },
  {
    name: 'reseller branch',
    as: 'reseller',
    at: to.branch('casa-digital'),
    shows: 'casa-digital can sign in.',
  },
  ...(['admin', 'superreseller', 'reseller', 'dealer'] as const).map((as) => ({
    name: `${as} sign-ins`,
    as,
    at: to.signIns(),
    shows: 'This one',
  })),
  ...(['admin', 'superreseller', 'reseller', 'dealer'] as const).map((as) => ({
    name: `${as} credit requests`,
    as,
    at: to.creditRequests(),
    shows: {
      admin: 'atlantic-media',
      superreseller: 'Before the holidays',
      reseller: 'You asked atlantic-media',
      dealer: 'You asked lisboa-norte',
    }[as],
  })),
  { name: 'wrong role', as: 'dealer', at: to.home.admin(), shows: 'Not for your role' },
  { name: 'not found', as: 'dealer', at: '/nowhere', shows: 'Not found' },
]

const states: Picture[] = [
  { name: 'beginner', as: 'beginner', at: to.home.dealer(), shows: 'No dealer transactions found' },
  { name: 'beginner clients', as: 'beginner', at: to.clients(), shows: 'No clients found' },
  {
    name: 'login at work',
    at: '/login',
    shows: 'Verified',
    doing: async (page) => {
      // Solving the challenge would take a core from the screenshots.
      await page.route('**/captchaWorker*', () => {})
      await page.route('**/v1/authenticate', (route) => route.fulfill({ status: 429, json: WANTS_WORK }))
      await fill(page, { Username: 'casa-digital', Password: 'anything' })
      await press(page, 'Sign in')
      await expect(page.getByRole('progressbar', { name: 'Work done' })).toBeVisible()
    },
  },
  {
    name: 'dealer settings',
    as: 'dealer',
    at: to.home.dealer(),
    shows: 'joao.silva',
    doing: (page) => press(page, 'Settings'),
  },
  {
    name: 'dealer clients selected',
    as: 'dealer',
    at: to.clients(),
    shows: 'ana.ferreira',
    doing: (page) => page.getByLabel('Select this page').check(),
  },
  {
    name: 'dealer clients menu of the selection',
    as: 'dealer',
    at: to.clients({ filter: 'expired' }),
    shows: 'vera.novak',
    doing: async (page) => {
      await page.getByLabel('Select vera.novak').check()
      await press(page, 'More')
    },
  },
  {
    name: 'dealer deletes many',
    as: 'dealer',
    at: to.clients(),
    shows: 'ana.ferreira',
    doing: async (page) => {
      await chooseForAll(page, 'Delete expired')
      await expect(page.getByText('not expired:')).toBeVisible()
    },
  },
  {
    name: 'dealer changes the package of many',
    as: 'dealer',
    at: to.clients(),
    shows: 'ana.ferreira',
    doing: async (page) => {
      await chooseForAll(page, 'Change package')
      await expect(page.getByText(/ha(s|ve) expired:/)).toBeVisible()
    },
  },
  {
    name: 'dealer writes to chosen clients',
    as: 'dealer',
    at: to.clients(),
    shows: 'ana.ferreira',
    doing: async (page) => {
      await chooseForAll(page, 'Send a message')
      await expect(page.getByText('expired:')).toBeVisible()
    },
  },
  {
    name: 'dealer looks at what a box was sent and who changed it',
    as: 'dealer',
    at: to.client('maria.costa-023'),
    shows: 'Please restart your box',
    doing: (page) => expect(page.getByText('012010N0250777')).toBeVisible(),
  },
  {
    name: 'dealer clients columns',
    as: 'dealer',
    at: to.clients(),
    shows: 'ana.ferreira',
    doing: (page) => press(page, 'Columns'),
  },
  {
    name: 'dealer saves a filter',
    as: 'dealer',
    at: to.clients({ search: 'a', filter: 'expiring' }),
    shows: 'Filters',
    doing: (page) => choose(page, 'Filters', 'Save this filter'),
  },
  {
    name: 'dealer renews many',
    as: 'dealer',
    at: to.clients(),
    shows: 'ana.ferreira',
    doing: async (page) => {
      await page.getByLabel('Select this page').check()
      await press(page, 'Renew selected')
      await expect(page.getByText('Balance after')).toBeVisible()
    },
  },
  {
    name: 'dealer clients export menu',
    as: 'dealer',
    at: to.clients({ filter: 'expired' }),
    shows: 'vera.novak',
    doing: (page) => press(page, 'Export'),
  },
  {
    name: 'dealer new client with faults',
    as: 'dealer',
    at: to.newClient(),
    shows: '5 to 15 characters',
    doing: async (page) => {
      await fill(page, {
        'Login Name': 'ana',
        Password: 'tv',
        'MAC Address': '00:1A:79:0',
        Description: 'x'.repeat(101),
      })
      await page.getByLabel('Phone Number').focus()
    },
  },
  {
    name: 'dealer new client with unsent entries',
    as: 'dealer',
    at: to.newClient(),
    shows: '5 to 15 characters',
    doing: async (page) => {
      await fill(page, {
        'Login Name': 'half-typed',
        'MAC Address': 'AA:BB:CC:DD:EE:FF',
        'Phone Number': '555',
      })
      await page.reload()
      await expect(page.getByText('Your unsent entries')).toBeVisible()
      await expect(page.getByText('This is not a MAC of our boxes')).toBeVisible()
    },
  },
  {
    name: 'dealer logs out with unsent entries',
    as: 'dealer',
    at: to.newClient(),
    shows: 'Your unsent entries',
    doing: async (page) => {
      if ((await page.getByRole('button', { name: 'Menu' }).getAttribute('aria-expanded')) === 'false') {
        await press(page, 'Menu')
      }
      await press(page, 'Logout')
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  },
  {
    name: 'dealer renews all who were not renewed, short of credits',
    as: 'dealer',
    at: to.due({ filter: 'lapsed' }),
    shows: 'ana.ferreira',
    doing: async (page) => {
      await page.route('**/v1/api/credits', (route) => route.fulfill({ json: { credits: 1 } }))
      await page.reload()
      await page.getByRole('button', { name: /^Renew all/ }).click()
      await expect(page.getByText('The one that expires first can be renewed.')).toBeVisible()
    },
  },
  {
    name: 'dealer reminds a client',
    as: 'dealer',
    at: to.due(),
    shows: 'tiago.lopes',
    doing: async (page) => {
      const more = page.getByRole('button', { name: 'More about tiago.lopes' })
      if (await more.isVisible()) await more.click()
      await press(page, 'Remind tiago.lopes')
      await expect(page.getByText('Not reminded yet')).toBeVisible()
    },
  },
  { name: 'beginner due', as: 'beginner', at: to.due(), shows: 'Nobody is due' },
  {
    name: 'dealer finds a client',
    as: 'dealer',
    at: to.home.dealer(),
    shows: 'joao.silva',
    doing: async (page) => {
      const opener = page.getByRole('button', { name: 'Find', exact: true })
      if (await opener.isVisible()) await opener.click()
      await page.getByRole('combobox', { name: /^Find/ }).fill('a')
      await expect(page.getByRole('option', { name: 'Renew ana.ferreira' })).toBeVisible()
    },
  },
  {
    name: 'dealer reads the shortcuts',
    as: 'dealer',
    at: to.home.dealer(),
    shows: 'joao.silva',
    doing: async (page) => {
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    },
  },
  {
    name: 'dealer made a client',
    as: 'dealer',
    at: to.newClient(),
    shows: '5 to 15 characters',
    doing: async (page) => {
      const json = { status: 'OK', name: 'nova.casa', expiry: '2026-06-13T23:59:59.000Z', credits: 2 }
      await page.route('**/v1/api/client', (route) => route.fulfill({ json }))
      // Another picture's unsent entries are no part of this one.
      await page.evaluate(() => sessionStorage.clear())
      await page.reload()
      await fill(page, { 'Login Name': 'nova.casa', Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
      await page.getByLabel('Phone Number').fill('912345678')
      await press(page, 'Submit')
      await expect(page.getByText('The clients open in')).toBeVisible()
      await page.keyboard.press('Shift')
      await press(page, 'QR code')
      await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible()
    },
  },
  {
    name: 'dealer reads the credentials of an expired client',
    as: 'dealer',
    at: to.client('vera.novak'),
    shows: 'has expired',
    doing: async (page) => {
      await press(page, 'Credentials')
      await expect(page.getByRole('button', { name: 'Copy all' })).toBeFocused()
    },
  },
  {
    name: 'dealer sees why a client that is switched off and locked has no picture',
    as: 'dealer',
    at: to.client('luis.moreira'),
    shows: 'Switched off',
  },
  {
    name: 'dealer takes the MAC of a box',
    as: 'dealer',
    at: to.client('emma.brown'),
    shows: 'with another MAC: 00:1A:79:A0:00:02',
    doing: async (page) => {
      await press(page, 'This box has another MAC: take it over')
      await expect(page.getByText('differs in 2 digits')).toBeVisible()
    },
  },
  {
    name: 'dealer switches a client to Ministra',
    as: 'dealer',
    at: to.client('cafe.central'),
    shows: '012010N0250438',
    doing: async (page) => {
      await page.getByRole('switch', { name: 'Ministra' }).check()
      await expect(page.getByText('Ministra removes the MAC')).toBeVisible()
    },
  },
  {
    name: 'dealer retrieves',
    as: 'dealer',
    at: to.client('emma.brown'),
    shows: 'emma.brown',
    doing: async (page) => {
      const card = page.getByRole('region', { name: 'Retrieve Credits' })
      await fill(card, { Credits: '1' })
      await card.getByRole('button').last().click()
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  },
  {
    name: 'admin deletes a mac',
    as: 'admin',
    at: to.deleteMac(),
    shows: 'MAC Address',
    doing: async (page) => {
      await page.getByLabel('MAC Address').fill(macOf('maria.costa-023'))
      await press(page, 'Search')
      await press(page, 'Delete')
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  },
  {
    name: 'admin sees what needs a hand',
    as: 'admin',
    at: to.system(),
    shows: 'The playlist that was read last is held back',
    doing: async (page) => {
      await needHands(page)
      await page.reload()
      await expect(page.getByText('console-2:8080 is gone').first()).toBeVisible()
    },
  },
  {
    name: 'admin is told on every screen what needs a hand',
    as: 'admin',
    at: to.message(),
    shows: 'The servers rest on Sunday',
    doing: async (page) => {
      await needHands(page)
      await page.reload()
      await expect(page.getByRole('banner').getByRole('link', { name: '3 problems: ' })).toBeVisible()
    },
  },
  {
    name: 'admin gives a playlist',
    as: 'admin',
    at: to.channels(),
    shows: 'Adults 18+',
    doing: async (page) => {
      await press(page, 'Give a playlist')
      await expect(page.getByRole('dialog', { name: 'Give a playlist' })).toBeVisible()
    },
  },
  {
    name: 'admin chooses the groups of a package',
    as: 'admin',
    at: to.channels(),
    shows: 'Adults 18+',
    doing: async (page) => {
      await press(page, 'Choose groups of All Packages')
      await expect(page.getByRole('dialog').getByRole('checkbox').first()).toBeVisible()
    },
  },
  {
    name: 'admin searches the packages of a group',
    as: 'admin',
    at: to.channels(),
    shows: 'Adults 18+',
    doing: async (page) => {
      const more = page.getByRole('button', { name: 'More about Adults 18+' })
      if (await more.isVisible()) await more.click()
      await press(page, 'Choose packages of Adults 18+')
      await page.getByRole('searchbox', { name: 'Search packages' }).fill('greek')
      await expect(page.getByRole('dialog').getByRole('checkbox')).toHaveCount(2)
    },
  },
  {
    name: 'admin boxes before any has asked',
    as: 'admin',
    at: to.boxes(),
    shows: 'Online now',
    doing: async (page) => {
      const none = { known: 0, online: 0, refused: [], counts: { at: [], online: [] } }
      const page1 = { data: [], count: 0, current_page: 1, per_page: 10, total_pages: 1 }
      await page.route('**/v1/admin/boxes', (route) => route.fulfill({ json: none }))
      await page.route('**/v1/admin/boxes/models', (route) => route.fulfill({ json: { data: [] } }))
      await page.route('**/v1/admin/boxes/unknown?*', (route) => route.fulfill({ json: page1 }))
      await page.reload()
      await expect(page.getByText('No unknown box has asked')).toBeVisible()
      await expect(page.getByText('No boxes were counted yet')).toBeVisible()
    },
  },
  {
    name: 'reseller is refused',
    as: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    shows: 'emma.brown',
    doing: async (page) => {
      // What the console knows is older than what the server does.
      await page.route('**/v1/reseller/credits', (route) => route.fulfill({ json: { credits: 20_000 } }))
      await page.reload()
      await fill(page, { Credits: '10000' })
      await pressAndConfirm(page, 'Add 10,000 credits')
      await expect(page.getByText('this needs 10,000').first()).toBeVisible()
    },
  },
  {
    name: 'reseller lacks credits',
    as: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    shows: 'emma.brown',
    doing: async (page) => {
      await fill(page, { Credits: '10000' })
      await press(page, 'Add 10,000 credits')
      await expect(page.getByText('this needs 10,000')).toBeVisible()
    },
  },
  {
    name: 'reseller filters transactions',
    as: 'reseller',
    at: to.transactions({ account: 'casa-digital', type: 'USED', from: '2026-01-01', search: 'emma' }),
    shows: 'emma.brown',
  },
  {
    name: 'reseller finds no transactions',
    as: 'reseller',
    at: to.transactions({ search: 'nothing like it' }),
    shows: 'No transactions found',
  },
  {
    name: 'reseller asks before adding credits',
    as: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    shows: 'emma.brown',
    doing: async (page) => {
      await page.getByLabel('Other amount').fill('37')
      await press(page, 'Add 37 credits')
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  },
  {
    name: 'superreseller grants credits',
    as: 'superreseller',
    at: to.creditRequests(),
    shows: 'Before the holidays',
    doing: async (page) => {
      await press(page, 'Grant lisboa-norte')
      await expect(page.getByRole('dialog')).toBeVisible()
    },
  },
  {
    name: 'superreseller declines a request',
    as: 'superreseller',
    at: to.creditRequests(),
    shows: 'Before the holidays',
    doing: async (page) => {
      await press(page, 'Decline lisboa-norte')
      await expect(page.getByRole('dialog')).toBeVisible()
    },
  },
  {
    name: 'reseller suspends a dealer',
    as: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    shows: 'emma.brown',
    doing: async (page) => {
      await press(page, 'Suspend')
      await expect(page.getByText('stay served')).toBeVisible()
    },
  },
  {
    name: 'superreseller moves a dealer',
    as: 'superreseller',
    at: to.branch('casa-digital'),
    shows: 'Place in the tree',
    doing: async (page) => {
      await press(page, 'Move')
      await expect(page.getByText('takes along')).toBeVisible()
    },
  },
  {
    name: 'reseller chooses clients to move',
    as: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    shows: 'Place in the tree',
    doing: async (page) => {
      await press(page, 'Move clients')
      await page.getByRole('dialog').getByLabel('Clients', { exact: true }).selectOption('Chosen ones')
      await expect(page.getByRole('dialog').getByRole('checkbox').first()).toBeVisible()
    },
  },
  {
    name: 'reseller closes a dealer that has clients',
    as: 'reseller',
    at: to.level.dealer.update('casa-digital'),
    shows: 'Place in the tree',
    doing: async (page) => {
      await press(page, 'Close')
      await expect(page.getByText('Only an empty account can be closed')).toBeVisible()
    },
  },
  {
    name: 'superreseller looks at a suspended reseller',
    as: 'superreseller',
    at: to.level.reseller.update('PORTOSTREAMSANDMOREFOREVERYHOUSE'),
    shows: 'Owes 40 credits since October',
  },
  {
    name: 'reseller cannot be reached',
    as: 'reseller',
    at: to.level.dealer.list(),
    shows: 'casa-digital',
    doing: async (page) => {
      await page.route('**/v1/**', (route) => route.abort())
      await page.reload()
      await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
    },
  },
]

/** Lets a server be gone, a job fail and a clock be wrong, in the server's answers. */
async function needHands(page: Page): Promise<void> {
  const findings = [
    {
      kind: 'server',
      urgent: true,
      sentence:
        'The server console-2:8080 is gone: it was not stopped, and has not been heard of for 3 minutes. Start it again. One that is not started again is forgotten after a day.',
    },
    {
      kind: 'job',
      urgent: true,
      sentence:
        'The job Counts has failed 4 times in a row: function settle_counts(integer) does not exist. It is tried again each minute; the log of the servers has the whole error.',
    },
    {
      kind: 'clock',
      urgent: false,
      sentence:
        "The clock of console-1 is 12 seconds ahead of the database's, whose time counts. Set it right, for example with chrony: with more than a minute a server does not start.",
    },
  ]
  await page.route('**/v1/admin/findings', (route) => route.fulfill({ json: { findings } }))
  await page.route('**/v1/admin/system', async (route) => {
    const answer = await route.fetch()
    const state = (await answer.json()) as OutputOf<typeof calls.system.state>
    const servers = state.servers.map((server, at) => ({
      ...server,
      ...(at === 0 ? { host: 'console-1', clock_offset_ms: 12_040 } : { state: 'gone' }),
    }))
    const jobs = state.jobs.map((job) =>
      job.name === 'counts'
        ? { ...job, failures: 4, failure: 'function settle_counts(integer) does not exist' }
        : job,
    )
    await route.fulfill({ json: { ...state, servers, jobs, findings } })
  })
}

/** The answer to a username with many wrong logins, with a challenge too long to be solved during the test. */
const WANTS_WORK = {
  status: 'ERROR',
  code: 'too_many_tries',
  message: 'There were many wrong logins. This device has to solve a longer challenge before the next one.',
  challenge: {
    parameters: {
      algorithm: 'PBKDF2/SHA-256',
      nonce: '00'.repeat(16),
      salt: '00'.repeat(16),
      cost: 6_000,
      keyLength: 32,
      keyPrefix: 'ff'.repeat(16),
      data: { expiry: 0, name: '', seconds: 60, tries: 20_000 },
    },
    signature: '',
  },
}

/** Returns a screen by its name. @throws where none has it: a test of it would show nothing */
export function screen(name: string): Picture {
  const named = screens.find((one) => one.name === name)
  if (!named) throw new Error(`There is no screen '${name}'.`)
  return named
}

/** Opens every screen in each of its states on a device. */
export function walkScreens(device: Device): void {
  test.for(THOROUGH || PICTURES ? screens : screensOfOneRole(device.walks))(
    '$name moves nothing while its data comes, is accessible, large enough to touch, and fits every width',
    async (screen, { windowOf }) => {
      const page = await windowOf(screen.as, device.look)
      await resize(page, device.look.width)
      await expectNothingMoves(page, screen, 'last')
      await walk(page, screen, device)
    },
  )

  test.for(states)(
    '$name is accessible, large enough to touch, and fits every width',
    async (screen, { windowOf }) => {
      const page = await windowOf(screen.as, device.look)
      await resize(page, device.look.width)
      await page.goto(screen.at)
      await expect(page.getByText(screen.shows).first()).toBeVisible()
      await walk(page, screen, device)
    },
  )

  afterAll(() => {
    if (PICTURES) process.stdout.write(`Pictures of every screen: ${relative(process.cwd(), REPORT)}\n`)
  })
}

/** Returns the screens without those that another role sees in the same way. A dealer sees its own of a page. */
function screensOfOneRole(which: 'first' | 'last'): Picture[] {
  const pageOf = ({ as, at }: Picture) => {
    const path = new URL(at, 'http://console').pathname
    const role = as === 'beginner' ? 'dealer' : as
    return `${(role && screenAt(path, role)?.page) ?? path} ${role === 'dealer'}`
  }
  const roles = new Map<string, Picture['as']>()
  for (const screen of which === 'first' ? screens.toReversed() : screens)
    roles.set(pageOf(screen), screen.as)
  return screens.filter((screen) => roles.get(pageOf(screen)) === screen.as)
}

async function walk(page: Page, screen: Picture, device: Device): Promise<void> {
  await screen.doing?.(page)
  for (const mode of MODES) {
    await turn(page, mode)
    // The modes differ in their colours alone.
    await expectAccessible(page, mode === 'light' ? undefined : COLOUR_RULES)
    if (PICTURES) await keepPictures(page, screen, mode, device)
  }
  await expectTargets(page, device.least)
  for (const width of [...device.pictured, ...device.held]) {
    await resize(page, width)
    await expectNothingLost(page)
  }
}

async function keepPictures(
  page: Page,
  { name }: Picture,
  mode: (typeof MODES)[number],
  { look, pictured }: Device,
): Promise<void> {
  for (const width of mode === 'light' ? pictured : pictured.slice(0, 1)) {
    await resize(page, width)
    await picture(page, `${name} ${width} ${mode}`)
  }
  await resize(page, look.width)
}

async function chooseForAll(page: Page, act: string): Promise<void> {
  await page.getByLabel('Select this page').check()
  await choose(page, 'More', act)
}

export async function resize(page: Page, width: number): Promise<void> {
  const height = page.viewportSize()?.height ?? 900
  await page.setViewportSize({ width, height })
  // The sidebar comes and goes, and tables measure themselves.
  await drawn(page)
}

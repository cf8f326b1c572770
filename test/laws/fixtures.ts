import { DEFAULT_SETTINGS, type Settings } from '../../contract/appearance.ts'
import { calls } from '../../contract/calls.ts'
import type { Group } from '../../contract/channels.ts'
import { LEVEL_NAMES, LEVELS, type LevelName } from '../../contract/levels.ts'
import { ROLES, type Role } from '../../contract/roles.ts'
import { A_PLAYLIST, compressed, servePlaylist } from '../support/playlist.ts'
import { ADMIN } from '../support/server.ts'
import { newClient, PASSWORD, type Person, unique, uniqueMac, type World } from '../support/world.ts'

/** A valid input of one call, and the field that names something which the caller must own. */
export type Fixture = {
  /**
   * Returns a valid input for a role, with which the call changes something if it can. The call may be repeated with
   * it.
   */
  input: (stage: Stage, role: Role) => object | Promise<object>
  /** The fields that name something of the caller's, and of which kind it is. */
  names?: readonly Named[]
  /** The call ends its session. */
  endsSession?: true
}

type Named = { field: string; kind: 'client' | LevelName; list?: true }

/**
 * The other fields that name something, by call: what one who does not own it is told is tried in that test, or there
 * is nobody who does not own it.
 */
export const NAMED_ELSEWHERE: Record<string, { fields: readonly string[]; by: string }> = {
  'session.end': { fields: ['id'], by: 'server/nouns/session/sign-ins.test.ts' },
  'transactions.list': { fields: ['account', 'client'], by: 'server/nouns/transactions.test.ts' },
  'transactions.sums': { fields: ['account', 'client'], by: 'server/nouns/transactions.test.ts' },
  ...Object.fromEntries(
    ROLES.map((role) => [
      `desk.${role}.exportTransactions`,
      { fields: ['account', 'client'], by: 'server/nouns/transactions.test.ts' },
    ]),
  ),
  'tree.moveClients': { fields: ['clients'], by: 'server/nouns/moving-clients.test.ts' },
  'tree.move': { fields: ['name', 'to'], by: 'server/nouns/moving-accounts.test.ts' },
  'requests.withdraw': { fields: ['id'], by: 'server/nouns/accounts/requests.test.ts' },
  'requests.grant': { fields: ['id'], by: 'server/nouns/accounts/requests.test.ts' },
  'requests.decline': { fields: ['id'], by: 'server/nouns/accounts/requests.test.ts' },
  'tree.password': { fields: ['name'], by: 'the admin' },
  'admin.exportClients': { fields: ['clients'], by: 'the admin' },
  'admin.remove': { fields: ['name'], by: 'the admin' },
  'channels.giveFile': { fields: ['name'], by: 'the admin' },
}

/** One person of each role in one branch, accounts to change, and strangers' accounts and clients. */
export type Stage = {
  world: World
  people: Record<Role, Person>
  /** One more account of each level, for calls that change it. */
  spare: Record<LevelName, Person>
  client(more?: Parameters<World['client']>[1]): Promise<{ name: string; mac: string }>
  expired(): Promise<{ name: string }>
  /** Returns names that the caller must not find, each with the reason. */
  foreignNames(kind: 'client' | LevelName): Promise<[string, string][]>
}

export async function openStage(world: World): Promise<Stage> {
  const family = await world.family({ credits: 10_000 })
  const people = { admin: world.admin, ...family }
  const spare = {
    superreseller: await world.child(world.admin),
    reseller: await world.child(family.superreseller),
    dealer: await world.child(family.reseller),
  }
  const stranger = await world.family()
  const client = (more = {}) => world.client(family.dealer, { months: 2, ...more })
  return {
    world,
    people,
    spare,
    client,
    async expired() {
      const { name } = await client()
      await world.setExpiry(name, new Date(world.clock.now.getTime() - 1).toISOString())
      return { name }
    },
    async foreignNames(kind) {
      if (kind === 'client') return foreignClients()
      const { owner } = LEVELS[kind]
      const accounts: [string, Person][] = [
        ['the caller', people[owner]],
        ...ROLES.filter((role) => role !== owner && role !== kind).map((role): [string, Person] => [
          `the ${role}`,
          people[role],
        ]),
        ...(kind === 'superreseller' ? [] : [['of a stranger', stranger[kind]] satisfies [string, Person]]),
        ...LEVEL_NAMES.filter((level) => level !== kind).map((level): [string, Person] => [
          `another ${level}`,
          stranger[level],
        ]),
      ]
      const { name } = await client()
      return [...accounts.map(([why, person]): [string, string] => [why, person.name]), ['a client', name]]
    },
  }

  async function foreignClients(): Promise<[string, string][]> {
    const sibling = await world.client(await newSibling(), { ministra: true })
    const foreign = await world.client(stranger.dealer, { ministra: true })
    const gone = await client()
    await world.admin.call(calls.admin.remove, { name: gone.name })
    return [
      ["a sibling's", sibling.name],
      ["a stranger's", foreign.name],
      ['deleted', gone.name],
      ['an account', family.dealer.name],
      ['a parent', family.reseller.name],
    ]
  }

  /** Creates a new sibling each time, because a dealer's trials are limited. */
  function newSibling(): Promise<Person> {
    return world.child(family.reseller)
  }
}

const nothing: Fixture = { input: () => ({}) }
const days: Fixture = { input: () => ({ from: '2026-01-01', to: '2026-05-15' }) }

function desk() {
  return {
    transactions: nothing,
    exportTransactions: days,
    message: nothing,
    saveSettings: { input: otherSettings },
  }
}

/** Returns settings that a role does not have. */
async function otherSettings({ people }: Stage, role: Role): Promise<Settings> {
  const { settings } = await people[role].call(calls.session.user)
  return { ...DEFAULT_SETTINGS, mode: settings.mode === 'light' ? 'dark' : 'light' }
}

function level(kind: LevelName) {
  const named = [{ field: 'name', kind }]
  const name = ({ spare }: Stage) => spare[kind].name
  return {
    list: nothing,
    create: { input: () => ({ login: unique(), password: PASSWORD }) },
    detail: { input: (stage: Stage) => ({ name: name(stage) }), names: named },
    history: { input: (stage: Stage) => ({ name: name(stage) }), names: named },
    save: {
      input: (stage: Stage) => ({ name: name(stage), credits: 0, desc: unique(), transaction: 0 }),
      names: named,
    },
    changePassword: { input: (stage: Stage) => ({ name: name(stage), password: PASSWORD }), names: named },
  }
}

const named = async (stage: Stage) => ({ name: (await stage.client()).name })
async function withDevice(stage: Stage) {
  const { name } = await stage.client()
  const { sql } = stage.world.server
  await sql`insert into device (client, stb_sn) select id, 'SN1' from client where name = ${name} and deleted is null`
  return { name }
}

const aClient: Named[] = [{ field: 'name', kind: 'client' }]
const theLogin: Named[] = [{ field: 'login', kind: 'client' }]
const someClients: Named[] = [{ field: 'clients', kind: 'client', list: true }]
const ofSuperreseller: Fixture = {
  input: ({ spare }) => ({ name: spare.superreseller.name }),
  names: [{ field: 'name', kind: 'superreseller' }],
}

const beneath: Named[] = [{ field: 'name', kind: 'dealer' }]

/** Returns the account by which somebody filters: a spare one beneath, and the dealer itself. */
function ownBranch(stage: Stage, role: Role): string {
  return role === 'dealer' ? stage.people.dealer.name : spareOf(stage, role).name
}

/** Returns the spare account one level below a role. */
function spareOf({ spare }: Stage, role: Role): Person {
  const level = LEVEL_NAMES.find((one) => LEVELS[one].owner === role)
  if (!level) throw new Error(`a ${role} has no accounts below it`)
  return spare[level]
}

/** Creates an account one level below a role, which a call may suspend. */
async function aChild({ world, people }: Stage, role: Role): Promise<{ name: string }> {
  return { name: (await world.child(people[role])).name }
}

/** Withdraws the open request of somebody who has one. */
async function withdrawAny(world: World, { id }: Person): Promise<void> {
  await world.server.sql`
    update credit_request set state = 'withdrawn', answered = created where account = ${id} and state = 'open'`
}

/** Gives a credit to somebody above the dealers. */
async function fund({ world, people }: Stage, role: Role): Promise<void> {
  if (role === 'admin') return
  await world.give(world.admin, people.superreseller, 1)
  if (role === 'reseller') await world.give(people.superreseller, people.reseller, 1)
}

/** Lets a new child of a role ask for a credit. */
async function aRequest({ world, people }: Stage, role: Role): Promise<{ id: number }> {
  const { id } = await (await world.child(people[role])).call(calls.requests.ask, { credits: 1 })
  return { id }
}

/** Returns a group of the playlist in use, which there is afterwards. */
async function aGroup({ world }: Stage): Promise<Group> {
  const file = compressed(A_PLAYLIST)
  await world.admin.call(calls.channels.giveFile, { name: 'channels.m3u', file })
  const { groups } = await world.admin.call(calls.channels.all)
  const [group] = groups
  if (!group) throw new Error('the playlist has no group')
  return group
}

/** A fixture for every call, in the shape of the contract's tree. */
const TREE: Tree = {
  session: {
    captcha: nothing,
    login: { input: ({ spare }) => ({ login_username: spare.dealer.name, login_password: PASSWORD }) },
    logout: { ...nothing, endsSession: true },
    user: nothing,
    password: {
      input: (_stage, role) => {
        const password = role === 'admin' ? ADMIN.password : PASSWORD
        return { old_password: password, password }
      },
    },
    savePreferences: { input: () => ({ shortcuts: true }) },
    list: nothing,
    end: {
      input: async ({ world, people }, role) => {
        const other = await world.again(people[role])
        const { data } = await other.call(calls.session.list)
        return { id: data.find((one) => one.this)?.id ?? 0 }
      },
    },
    signIns: nothing,
    users: nothing,
  },
  desk: { admin: desk(), superreseller: desk(), reseller: desk(), dealer: desk() },
  credits: { superreseller: nothing, reseller: nothing, dealer: nothing },
  level: { superreseller: level('superreseller'), reseller: level('reseller'), dealer: level('dealer') },
  transactions: {
    list: {
      input: (stage, role) => ({ account: ownBranch(stage, role), from: '2026-01-01' }),
    },
    sums: { input: (stage, role) => ({ account: ownBranch(stage, role) }) },
  },
  tree: {
    list: {
      input: (stage, role) => ({ of: spareOf(stage, role).name }),
      names: [{ field: 'of', kind: 'dealer' }],
    },
    password: { input: ({ spare }) => ({ name: spare.dealer.name, password: PASSWORD }) },
    account: { input: (stage, role) => ({ name: spareOf(stage, role).name }), names: beneath },
    growth: nothing,
    move: {
      input: async ({ world, people }, role) => {
        const { superreseller, reseller } = people
        const other = await world.child(superreseller)
        if (role === 'superreseller') return { name: (await world.child(other)).name, to: reseller.name }
        return { name: other.name, to: (await world.child(world.admin)).name }
      },
    },
    close: { input: aChild, names: beneath },
    clients: { input: ({ people }) => ({ name: people.dealer.name }), names: beneath },
    moveClients: {
      input: async (stage) => ({
        from: stage.people.dealer.name,
        to: stage.spare.dealer.name,
        clients: [(await stage.client()).name],
      }),
      names: [
        { field: 'from', kind: 'dealer' },
        { field: 'to', kind: 'dealer' },
      ],
    },
    suspend: { input: aChild, names: beneath },
    lift: {
      input: async (stage, role) => {
        const named = await aChild(stage, role)
        await stage.people[role].call(calls.tree.suspend, named)
        return named
      },
      names: beneath,
    },
  },
  requests: {
    own: nothing,
    ask: {
      input: async ({ world, people }, role) => {
        await withdrawAny(world, people[role])
        return { credits: 1 }
      },
    },
    withdraw: {
      input: async ({ world, people }, role) => {
        await withdrawAny(world, people[role])
        const { id } = await people[role].call(calls.requests.ask, { credits: 1 })
        return { id }
      },
    },
    list: nothing,
    grant: {
      input: async (stage, role) => {
        await fund(stage, role)
        return { ...(await aRequest(stage, role)), credits: 1 }
      },
    },
    decline: { input: aRequest },
  },
  lowBalance: {
    own: { input: () => ({ below: 5 }) },
    ofChild: { input: (stage, role) => ({ name: spareOf(stage, role).name, below: 5 }), names: beneath },
  },
  clients: {
    list: nothing,
    find: { input: async (stage) => ({ search: (await stage.client()).name }) },
    detail: { input: named, names: aClient },
    history: { input: named, names: aClient },
    create: { input: () => newClient({ months: 1 }) },
    save: {
      input: async (stage) => ({ login: (await stage.client()).name, desc: unique() }),
      names: theLogin,
    },
    quote: {
      input: async (stage) => ({ clients: [(await stage.client()).name], months: 1 }),
      names: someClients,
    },
    renew: { input: async (stage) => ({ name: (await stage.client()).name, months: 1 }), names: aClient },
    multirenew: {
      input: async (stage) => ({ clients: [(await stage.client()).name], months: 1 }),
      names: someClients,
    },
    retrieve: {
      input: async (stage) => ({ login: (await stage.client()).name, credits: 1 }),
      names: theLogin,
    },
    remove: { input: (stage) => stage.expired(), names: aClient },
    multiquote: { input: async (stage) => ({ clients: [(await stage.client()).name] }), names: someClients },
    multisave: {
      input: async (stage) => ({
        clients: [(await stage.client()).name],
        status: false,
        package_selection: 7,
      }),
      names: someClients,
    },
    multiremove: {
      input: async (stage) => ({ clients: [(await stage.expired()).name] }),
      names: someClients,
    },
    reset: { input: withDevice, names: aClient },
    export: {
      input: async (stage) => ({ format: 'csv', clients: [(await stage.client()).name] }),
      names: someClients,
    },
    due: nothing,
    dueClients: nothing,
    forecast: nothing,
    remind: {
      input: async (stage) => ({ name: (await stage.client()).name, reminded: true }),
      names: aClient,
    },
    spent: nothing,
    trials: nothing,
    tell: {
      input: async (stage) => ({
        clients: [(await stage.client()).name],
        event: 'message',
        message: 'Hello',
      }),
      names: someClients,
    },
    told: { input: named, names: aClient },
    deviceHistory: { input: withDevice, names: aClient },
    macLastSeen: { input: () => ({ mac: uniqueMac() }) },
  },
  admin: {
    clients: nothing,
    exportClients: { input: () => ({ format: 'csv' }) },
    searchMac: { input: async (stage) => ({ mac: (await stage.client()).mac }) },
    remove: { input: async (stage) => ({ name: (await stage.client()).name }) },
    setMessage: { input: () => ({ message: unique() }) },
    removeMessage: {
      async input({ world }) {
        await world.admin.call(calls.admin.setMessage, { message: unique() })
        return {}
      },
    },
    totals: nothing,
    statistics: ofSuperreseller,
    chart: ofSuperreseller,
  },
  boxes: { overview: nothing, models: nothing, unknown: nothing },
  system: { state: nothing, findings: nothing },
  channels: {
    all: nothing,
    giveAddress: { input: async () => ({ address: (await servePlaylist(A_PLAYLIST)).address }) },
    giveFile: { input: () => ({ name: 'channels.m3u', file: compressed(A_PLAYLIST) }) },
    fetch: {
      async input({ world }) {
        const { address } = await servePlaylist(A_PLAYLIST)
        await world.admin.call(calls.channels.giveAddress, { address })
        return {}
      },
    },
    takeHeld: {
      async input({ world }) {
        // One that is read at an address would not be replaced by an empty file.
        await world.admin.call(calls.channels.giveFile, { name: 'full.m3u', file: compressed(A_PLAYLIST) })
        await world.admin.call(calls.channels.giveFile, { name: 'empty.m3u', file: compressed('#EXTM3U') })
        const { playlist } = await world.admin.call(calls.channels.all)
        return { at: playlist?.held?.at }
      },
    },
    saveGroup: {
      input: async (stage) => {
        const { id, adult } = await aGroup(stage)
        return { group: id, adult: !adult }
      },
    },
    assign: {
      input: async (stage) => {
        const { id, packages } = await aGroup(stage)
        const [has, hasNot] = packages.includes(3) ? [3, 4] : [4, 3]
        return { give: { packages: [hasNot], groups: [id] }, take: { packages: [has], groups: [id] } }
      },
    },
    savePlayers: { input: () => ({ player: 'ffmpeg', alt_player: unique().replaceAll('-', '') }) },
  },
  files: {
    download: {
      input: async ({ world }) => {
        const { ticket } = await world.admin.call(calls.admin.exportClients, { format: 'csv' })
        return { ticket }
      },
    },
  },
}

type Tree = { [key: string]: Fixture | Tree }

/** The fixtures by the dotted names of their calls. */
export const FIXTURES: ReadonlyMap<string, Fixture> = new Map(flat(TREE))

function flat(tree: Tree, prefix = ''): [string, Fixture][] {
  return Object.entries(tree).flatMap(([key, value]): [string, Fixture][] =>
    isFixture(value) ? [[prefix + key, value]] : flat(value, `${prefix}${key}.`),
  )
}

function isFixture(value: Fixture | Tree): value is Fixture {
  return typeof value.input === 'function'
}

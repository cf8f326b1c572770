import { expect } from 'vitest'
import { ANSWERS, type Answer, type CallName } from '../../server/boxes/wire/answers.ts'
import type { TestServer } from './server.ts'
import { uniqueMac } from './world.ts'

type BoxOptions = {
  mac?: string
  /** What it says of itself at its sign-in. */
  told?: Record<string, string>
  /** The address that it asks from, where the server trusts a proxy on this machine. */
  address?: string
  /** Whether it obeys `cut_off` and `cut_on`, as the page that Boxtree serves does. */
  obeys?: boolean
}

/** A box or an app that speaks the protocol over HTTP. Every answer must have its declared type. */
export class Box {
  readonly mac: string
  readonly told: Record<string, string>
  readonly obeys: boolean
  address: string | null
  token = ''
  /** The id of the event that it was told last. */
  lastEvent = ''
  #server: Pick<TestServer, 'boxUrl'>

  constructor(
    server: Pick<TestServer, 'boxUrl'>,
    { mac = uniqueMac(), told = {}, address, obeys = false }: BoxOptions = {},
  ) {
    this.#server = server
    this.mac = mac
    this.told = { sn: '', stb_type: 'MAG250', ver: 'ImageDescription: 0.2.18-r23', ...told }
    this.address = address ?? null
    this.obeys = obeys
  }

  /** The same box, asking another server. */
  at(server: Pick<TestServer, 'boxUrl'>): Box {
    const box = new Box(server, {
      mac: this.mac,
      told: this.told,
      obeys: this.obeys,
      ...(this.address && { address: this.address }),
    })
    box.token = this.token
    return box
  }

  async handshake(saved = ''): Promise<void> {
    this.token = (await this.call('stb/handshake', { token: saved })).token
  }

  getProfile(): Promise<Answer<'stb/get_profile'>> {
    return this.call('stb/get_profile', this.told)
  }

  /** Signs in as a box that was just switched on. Returns its status: 0 in, 1 refused, 2 asked for a login. */
  async signIn(): Promise<number> {
    await this.handshake()
    return (await this.getProfile()).status
  }

  /** Signs in as it does where the portal asks for a login. Returns its last status. */
  async logIn(login: string, password: string): Promise<number> {
    const status = await this.signIn()
    if (status !== 2) return status
    await this.call('stb/do_auth', { login, password })
    return (await this.call('stb/get_profile', { ...this.told, auth_second_step: '1' })).status
  }

  /** Polls. Returns whether it may go on. */
  async poll(): Promise<boolean> {
    return (await this.events()) !== null
  }

  /** Polls. Returns what it is told: an event or the text of a message, '' for nothing; null where it is out. */
  async events(): Promise<string | null> {
    const { text } = await this.ask('watchdog/get_events', { init: '0', ...(this.obeys && { cut: '1' }) })
    if (text === 'Authorization failed.') return null
    const { data } = this.#check('watchdog/get_events', text)
    if (data.msgs === 0) return ''
    this.lastEvent = data.id
    return data.event === 'send_msg' ? data.msg : data.event
  }

  /** Says that it showed the message that it was told last. */
  async confirm(id = this.lastEvent): Promise<void> {
    await this.call('watchdog/confirm_event', { event_active_id: id, ...(this.obeys && { cut: '1' }) })
  }

  /** Makes a call that must be answered by its declared type. */
  async call<Name extends CallName>(name: Name, fields: Record<string, string> = {}): Promise<Answer<Name>> {
    const { status, text } = await this.ask(name, fields)
    expect(status, `${name} answered ${text}`).toBe(200)
    return this.#check(name, text)
  }

  /** Makes any call. */
  async ask(
    name: string,
    fields: Record<string, string> = {},
    { path = '/portal.php', method = 'GET', headers = {} }: Asked = {},
  ): Promise<{ status: number; text: string; headers: Headers }> {
    const [type = '', action = ''] = name.split('/')
    const query = new URLSearchParams({ type, action, ...fields })
    const response = await fetch(`${this.#server.boxUrl}${path}${method === 'GET' ? `?${query}` : ''}`, {
      method,
      headers: {
        cookie: `mac=${this.mac}; stb_lang=en; timezone=Europe/Lisbon`,
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(this.address && { 'x-forwarded-for': this.address }),
        ...headers,
      },
      ...(method === 'POST' && { body: query }),
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  #check<Name extends CallName>(name: Name, text: string): Answer<Name> {
    const body = JSON.parse(text) as { js: unknown }
    expect(Object.keys(body)).toEqual(['js'])
    const read = ANSWERS[name].safeParse(body.js)
    expect(read.error, `${name} answered ${text}`).toBeUndefined()
    return read.data as Answer<Name>
  }
}

type Asked = { path?: string; method?: 'GET' | 'POST'; headers?: Record<string, string> }

let addresses = 0

/** Returns an address of the internet that no other box of these tests has. */
export function freshAddress(): string {
  addresses += 1
  return `11.${100 + Math.floor(addresses / 62_500)}.${Math.floor(addresses / 250) % 250}.${(addresses % 250) + 1}`
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { freshFolder } from '../support/folder.ts'
import { freePort } from '../support/port.ts'

export interface Portal {
  /** The address of the portal, as a person types it. */
  url: string
  mac: string
  login?: string
  password?: string
  serial?: string
}

/** A channel as Kodi lists it. */
export interface Listed {
  channelid: number
  label: string
  channelnumber: number
}

const PROGRAMS = ['kodi', 'Xvfb', 'nginx', 'ffmpeg']
const CLIENT = '/usr/share/kodi/addons/pvr.stalker'
const INSTALL =
  'apt-get install --no-install-recommends kodi kodi-pvr-stalker xvfb libgl1-mesa-dri nginx ffmpeg'

/**
 * @throws Error with the command that installs what is missing; it is some 300 MB, so nothing is installed by itself
 */
export function sayWhatIsMissing(): void {
  const folders = (process.env.PATH ?? '').split(':')
  const missing = PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))))
  if (!existsSync(CLIENT)) missing.push('the PVR Stalker Client of Kodi')
  if (missing.length > 0) throw new Error(`${missing.join(', ')} is missing. On Debian: ${INSTALL}`)
}

/**
 * Debian's Kodi with its PVR Stalker Client, without a screen: a home folder of its own, a display of Xvfb, software
 * rendering, and silence. It is driven by its JSON-RPC over TCP.
 */
export class Kodi {
  readonly #home: string
  readonly #processes: ChildProcess[]
  readonly #socket: Socket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #asked = 0
  #heard = ''

  private constructor(home: string, processes: ChildProcess[], socket: Socket) {
    this.#home = home
    this.#processes = processes
    this.#socket = socket
    socket.setEncoding('utf8').on('data', (chunk: string) => this.#hear(chunk))
  }

  /** Starts Kodi, and its add-on with the settings of a portal. */
  static async start(portal: Portal): Promise<Kodi> {
    const home = freshFolder()
    const port = await freePort()
    writeHome(home, port, portal)
    const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '640x360x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    const [display] = await once(screen.stdio[3] as Socket, 'data')
    const kodi = spawn('kodi', ['--standalone', '--nolirc'], {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        DISPLAY: `:${String(display).trim()}`,
        LIBGL_ALWAYS_SOFTWARE: '1',
        XDG_RUNTIME_DIR: home,
      },
      stdio: 'ignore',
      // A group of its own, because the launcher is a script that starts the program.
      detached: true,
    })
    const socket = await reach(port)
    const self = new Kodi(home, [kodi, screen], socket)
    await self.ask('Addons.SetAddonEnabled', { addonid: 'pvr.stalker', enabled: true })
    return self
  }

  /** Makes a call of its JSON-RPC. @throws Error with what it answers where it refuses */
  async ask<Answer>(method: string, params: object = {}): Promise<Answer> {
    this.#asked += 1
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(this.#asked, waiting)
    this.#socket.write(JSON.stringify({ jsonrpc: '2.0', id: this.#asked, method, params }))
    return (await waiting.promise) as Answer
  }

  /** Returns the channels that it lists; none while it is not in. */
  async channels(): Promise<Listed[]> {
    const params = { channelgroupid: 'alltv', properties: ['channelnumber'] }
    try {
      return (await this.ask<{ channels?: Listed[] }>('PVR.GetChannels', params)).channels ?? []
    } catch {
      // It has no group of channels before it is in.
      return []
    }
  }

  async play({ channelid }: Listed): Promise<void> {
    await this.ask('Player.Open', { item: { channelid } })
  }

  async isPlaying(): Promise<boolean> {
    return (await this.ask<object[]>('Player.GetActivePlayers')).length > 0
  }

  /** What it has written into its log. */
  log(): string {
    return readFileSync(join(this.#home, '.kodi/temp/kodi.log'), 'utf8')
  }

  async stop(): Promise<void> {
    this.#socket.destroy()
    const [kodi, screen] = this.#processes
    for (const one of [kodi, screen]) {
      if (!one || one.exitCode !== null || one.signalCode !== null) continue
      const ended = once(one, 'exit')
      process.kill(one === kodi ? -(one.pid as number) : (one.pid as number), 'SIGKILL')
      await ended
    }
  }

  /** Answers come one after the other without a mark between them, and notes of what happens in between. */
  #hear(chunk: string): void {
    this.#heard += chunk
    for (let end = this.#heard.indexOf('}'); end >= 0; end = this.#heard.indexOf('}', end + 1)) {
      const told = parsed(this.#heard.slice(0, end + 1))
      if (!told) continue
      this.#heard = this.#heard.slice(end + 1)
      end = -1
      const waiting = this.#waiting.get(told.id ?? -1)
      if (!waiting) continue
      if (told.error) waiting.reject(new Error(JSON.stringify(told.error)))
      else waiting.resolve(told.result)
    }
  }
}

type Told = { id?: number; result?: unknown; error?: unknown }

function parsed(text: string): Told | null {
  try {
    return JSON.parse(text) as Told
  } catch {
    return null
  }
}

function writeHome(
  home: string,
  port: number,
  { url, mac, login = '', password = '', serial = '' }: Portal,
): void {
  const data = join(home, '.kodi/userdata')
  mkdirSync(join(data, 'addon_data/pvr.stalker'), { recursive: true })
  const setting = (id: string, value: string) => `<setting id="${id}">${value}</setting>`
  writeFileSync(
    join(data, 'guisettings.xml'),
    `<settings version="2">${setting('services.esenabled', 'true')}${setting('general.addonupdates', '2')}</settings>`,
  )
  writeFileSync(
    join(data, 'advancedsettings.xml'),
    `<advancedsettings><jsonrpc><tcpport>${port}</tcpport></jsonrpc><loglevel>1</loglevel></advancedsettings>`,
  )
  writeFileSync(
    join(data, 'addon_data/pvr.stalker/settings.xml'),
    `<settings version="2">${[
      setting('mac_0', mac),
      setting('server_0', url),
      setting('login_0', login),
      setting('password_0', password),
      setting('serial_number_0', serial),
    ].join('')}</settings>`,
  )
  writeFileSync(join(home, '.asoundrc'), 'pcm.!default { type null }\nctl.!default { type null }\n')
}

/** Connects once Kodi listens, which takes it some seconds. */
async function reach(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return socket
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

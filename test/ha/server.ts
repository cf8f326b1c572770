import { type Console, startConsole } from '../support/console.ts'
import { makeFolder } from './programs.ts'
import { type Machine, type Place, serverOf } from './samples.ts'

/** The password of the first admin, and of every account that the load makes. */
export const PASSWORD = 'one-password-for-all'

/**
 * What the servers have here besides the sample. Backups would take part of the processors while something is measured.
 */
const OWN = { CAPTCHA_PROVIDER: 'none', ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn', BACKUP_EVERY: '' }

/** A server of Boxtree. */
export class Server {
  readonly #env: Record<string, string>
  #console: Console | null = null

  constructor(machine: Machine, place: Place) {
    this.#env = { ...serverOf(machine, place), ...OWN }
    makeFolder(machine.folder)
  }

  get env(): Record<string, string> {
    return this.#env
  }

  /** Starts it, from another folder of the program where one is given. Returns once it is ready. */
  async start(root?: string): Promise<void> {
    const dataDir = this.#env.DATA_DIR as string
    this.#console = await startConsole({ dataDir, env: this.#env, ...(root && { root }) })
  }

  async kill(): Promise<void> {
    await this.#console?.stop('SIGKILL')
  }

  /** Stops it as a service is stopped, and starts it again. */
  async roll(root?: string): Promise<void> {
    const code = await this.#console?.stop()
    if (code !== 0) throw new Error(`A server ended with ${code}:\n${this.#console?.output()}`)
    await this.start(root)
  }

  killAtOnce(): void {
    this.#console?.process.kill('SIGKILL')
  }
}

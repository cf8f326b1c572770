import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { signal } from '../support/processes.ts'
import { endGroup, makeFolder, postgresIn, runProgram, startProgram, write } from './programs.ts'
import { etcdOf, type Machine, type Place, patroniOf } from './samples.ts'

/** What Patroni tells of a machine. */
export type Member = { name: string; role: string; state: string; lag?: number | string; timeline?: number }

/** A machine of the database, with what runs on it. */
export class DatabaseNode {
  readonly machine: Machine
  readonly #place: Place
  #etcd: ChildProcess | null = null
  #patroni: ChildProcess | null = null

  constructor(machine: Machine, place: Place) {
    this.machine = machine
    this.#place = place
    makeFolder(machine.folder)
    write(this.#config, patroniOf(machine, place))
  }

  get name(): string {
    return this.machine.name
  }

  /** The connection string of its PostgreSQL's superuser. */
  get superuser(): string {
    return `postgres://postgres:change-me@${this.machine.address}:5432/postgres`
  }

  get #config(): string {
    return join(this.machine.folder, 'patroni.yml')
  }

  startEtcd(): void {
    const { folder } = this.machine
    const env = etcdOf(this.machine, this.#place)
    this.#etcd = startProgram('etcd', [], { env, log: join(folder, 'etcd.log') })
  }

  startPatroni(): void {
    const { folder } = this.machine
    const env = { HOME: folder }
    this.#patroni = startProgram('patroni', [this.#config], { env, log: join(folder, 'patroni.log') })
  }

  killPostgres(): void {
    for (const pid of this.#stopPostgres()) signal(pid, 'SIGKILL')
  }

  /** Stops its PostgreSQL without ending it, first the process that would start others. Returns them all. */
  #stopPostgres(): number[] {
    const folder = join(this.machine.folder, '15/boxtree')
    for (const pid of postgresIn(folder).slice(0, 1)) signal(pid, 'SIGSTOP')
    const pids = postgresIn(folder)
    for (const pid of pids) signal(pid, 'SIGSTOP')
    return pids
  }

  /** Ends all that runs on it at once, as when it loses its power. */
  lose(): void {
    endGroup(this.#patroni)
    this.killPostgres()
    endGroup(this.#etcd)
  }

  /** Starts it as it starts after that. */
  startAgain(): void {
    this.startEtcd()
    this.startPatroni()
  }

  /** Stops its PostgreSQL without ending it, and its Patroni where that is asked for. Returns what wakes them. */
  freeze({ patroniToo = false } = {}): () => void {
    if (patroniToo) this.#patroni?.kill('SIGSTOP')
    const pids = this.#stopPostgres()
    return () => {
      for (const pid of pids) signal(pid, 'SIGCONT')
      this.#patroni?.kill('SIGCONT')
    }
  }

  freezeEtcd(): () => void {
    this.#etcd?.kill('SIGSTOP')
    return () => this.#etcd?.kill('SIGCONT')
  }

  /** Has the standby become the primary, as an operator does. */
  async switchOver(): Promise<void> {
    await runProgram('patronictl', ['-c', this.#config, 'switchover', 'boxtree', '--force'])
  }

  /** Returns what its Patroni tells of all machines; null where it does not answer. */
  async members(): Promise<Member[] | null> {
    try {
      const url = `http://${this.machine.address}:8008/cluster`
      const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) })
      return ((await answer.json()) as { members: Member[] }).members
    } catch {
      return null
    }
  }
}

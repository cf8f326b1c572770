import type * as z from 'zod/mini'
import type { Call, Calls } from '../contract/call.ts'
import type { Role } from '../contract/roles.ts'
import type { ServerReport } from '../contract/system.ts'
import type { Captcha } from './access/captcha.ts'
import type { Seal } from './access/seal.ts'
import type { Config } from './config.ts'
import type { Connect, Sql } from './postgres/pool.ts'

/** The account that a session belongs to, with the path above it and the holdings that it spends from. */
export type Account = {
  id: number
  name: string
  role: Role
  superreseller: number | null
  reseller: number | null
  /** Its balance; for the admin, the issue. */
  balance_holding: number
  /** Where a dealer's spent credits go. */
  consumed_holding: number | null
}

export type PlaylistRules = Config['playlist']

export type Self = {
  report(): Promise<ServerReport>
  canWrite(): Promise<boolean>
  /** The moment of the database's newest entry where its time lies before it. */
  clockBehind(): Date | null
  /** Whether a proxy hides from this server who asks. */
  seesSilentProxy(): boolean
}

export type Business = {
  /** Where the database is, for processes that open their own connection. */
  database: Connect
  /** The zone on whose calendar days and months are counted. */
  zone: string
  trialsPerDay: number
  playlist: PlaylistRules
  seal: Seal
  captcha: Captcha
  /** The folder that may hold the file `first-login`, which the first sign-in removes. */
  dataDir: string
  self: Self
}

/** The context of a call outside a transaction. Its `sql` is the pool: the handler opens its own transactions. */
export type OpenContext = {
  sql: Sql
  now: Date
  /** Tells the time now, for what goes on after the answer has begun. */
  clock: () => Date
  business: Business
  address: string
  /** The network by which wrong logins are counted (see `network.ts`); null where a proxy hides it. */
  network: string | null
  /** What the caller's browser says it is; it may say anything. */
  agent: string
  /** Aborted once the caller has disconnected; null where there is no connection. */
  gone: AbortSignal | null
}

/** What is known of a caller before its transaction begins, which reads the rest: only this never changes. */
export type Caller = {
  account: Pick<Account, 'id' | 'name' | 'role'>
  /** The hash of the session's token. */
  session: Buffer
}

/** The context of a call with a session. Its `sql` is the call's transaction, which renewals share. */
export type Context = OpenContext & Caller & { account: Account }

/** The output of a call that found nothing to change: it is rolled back, and leaves neither audit nor key. */
export class Unchanged<Output> extends Error {
  readonly output: Output

  constructor(output: Output) {
    super('The call changed nothing.')
    this.output = output
  }
}

/** Carries out a call and returns its output. With a session it runs inside the call's transaction, or starts it. */
export type Handler<C extends Call> = C['roles'] extends 'anyone'
  ? (context: OpenContext, input: z.output<C['input']>) => Promise<ResultOf<C>>
  : Inside<C> | Outside<C> | Shared<C>

type Inside<C extends Call> = (
  context: Context,
  input: z.output<C['input']>,
) => Promise<ResultOf<C> | Unchanged<ResultOf<C>>>

/**
 * Starts outside the transaction, to hash a password without holding locks or a connection meanwhile. `begin` runs the
 * rest in the call's transaction, and returns the output: of this call, or of the first one with the same key.
 */
type Outside<C extends Call> = {
  outside: (
    context: OpenContext & Caller,
    input: z.output<C['input']>,
    begin: (act: (inside: Context) => Promise<ResultOf<C> | Unchanged<ResultOf<C>>>) => Promise<ResultOf<C>>,
  ) => Promise<ResultOf<C>>
}

/** Shares a transaction with other calls of its kind that come at the same time, whoever makes them. */
type Shared<C extends Call> = {
  alone: Inside<C>
  /**
   * Carries out several calls. Returns the output of each; undefined for one that it leaves to `alone`, because it
   * would be refused or have to wait for another transaction. It throws no refusal: that would undo the other calls
   * too.
   * @param admitted resolves to the context of each call whose session goes on and whose key is new, undefined for the
   * others; the reads may be sent before it does
   */
  together: (
    sql: Sql,
    asked: readonly { account: number; input: z.output<C['input']> }[],
    admitted: Promise<readonly (Context | undefined)[]>,
  ) => Promise<(ResultOf<C> | undefined)[]>
}

type ResultOf<C extends Call> = C['returns'] extends 'file' ? File : z.input<C['output']>

export type Handlers<Tree extends Calls> = {
  readonly [Key in keyof Tree]: Tree[Key] extends Call
    ? Handler<Tree[Key]>
    : Tree[Key] extends Calls
      ? Handlers<Tree[Key]>
      : never
}

export type File = { name: string; type: string; body: NodeJS.ReadableStream }

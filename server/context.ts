import type * as z from 'zod/mini'
import type { Call, Calls } from '../contract/call.ts'
import type { Role } from '../contract/roles.ts'
import type { Captcha } from './access/captcha.ts'
import type { Seal } from './access/seal.ts'
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

/** What does not change from one call to the next. */
export type Business = {
  /** Where the database is, for processes with a connection of their own. */
  database: Connect
  /** The zone on whose calendar days and months are counted. */
  zone: string
  trialsPerDay: number
  seal: Seal
  captcha: Captcha
  /** Where the first login may have been left; it is removed once somebody signed in. */
  dataDir: string
}

/** What a handler of a call without a session gets. Its `sql` is the pool: it begins what it needs itself. */
export type OpenContext = {
  sql: Sql
  now: Date
  business: Business
  /** The caller's address. */
  address: string
  /** What wrong logins are counted by: the address, or its network; null where it may be anybody's. */
  network: string | null
}

/** What every other handler gets. Its `sql` is the call's own transaction. */
export type Context = OpenContext & {
  account: Account
  /** The hash of the session's token. */
  session: Buffer
}

/** What answers a call. With a session it runs inside the call's transaction, or outside and begins it itself. */
export type Handler<C extends Call> = C['roles'] extends 'anyone'
  ? (context: OpenContext, input: z.output<C['input']>) => Promise<AnswerOf<C>>
  : Inside<C> | Outside<C>

type Inside<C extends Call> = (context: Context, input: z.output<C['input']>) => Promise<AnswerOf<C>>

/**
 * For what has to hash a password first, which would hold up everybody else who needs the locks or the connections.
 * Its own `sql` is the pool; `begin` does the rest in the call's transaction, with its audit and its kept answer, and
 * answers what was done, now or when the same key came first.
 */
type Outside<C extends Call> = {
  outside: (
    context: Context,
    input: z.output<C['input']>,
    begin: (act: (inside: Context) => Promise<AnswerOf<C>>) => Promise<AnswerOf<C>>,
  ) => Promise<AnswerOf<C>>
}

type AnswerOf<C extends Call> = C['answer'] extends 'file' ? File : z.input<C['output']>

/** One handler for every call of a tree: a call without one does not compile. */
export type Handlers<Tree extends Calls> = {
  readonly [Key in keyof Tree]: Tree[Key] extends Call
    ? Handler<Tree[Key]>
    : Tree[Key] extends Calls
      ? Handlers<Tree[Key]>
      : never
}

/** A file on its way: its name for the person, its media type and its bytes as they come. */
export type File = { name: string; type: string; body: NodeJS.ReadableStream }

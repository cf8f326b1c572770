import * as z from 'zod/mini'
import './faults.ts'
import { ROLES, type Role } from './roles.ts'
import { secretFields } from './secret.ts'

type Method = 'GET' | 'POST' | 'DELETE'
type Allowed = readonly Role[] | 'anyone'

export type Call<
  Input extends z.ZodMiniType = z.ZodMiniType,
  Output extends z.ZodMiniType = z.ZodMiniType,
  Roles extends Allowed = Allowed,
> = {
  /** Its path in the contract, such as `clients.renew`: its name in audit, idempotency keys, query cache, submits. */
  name: string
  method: Method
  /** Under `/v1`; `{name}` stands for a parameter, which is a field of the input like any other. */
  path: string
  /** 'anyone' needs no session. */
  roles: Roles
  /** One line for the reference page. */
  summary: string
  /** Fields of the path, the query (GET) or the body (POST, DELETE), in one strict object. */
  input: Input
  /** The body of the successful answer; fields that it does not name never leave the server. */
  output: Output
  /** 'file': a streamed file instead of `output` as JSON. */
  returns?: 'file'
  /** Whether it may change something. A call that changes nothing writes no audit row and no idempotency key. */
  changes: boolean
  /** Whether it takes an Idempotency-Key, under which it is carried out once. */
  takesKey: boolean
  /** 'plenty' (the default for changes) is refused below `FREE_DISK_MB`, 'little' below half of it, 'none' never. */
  needsSpace: 'plenty' | 'little' | 'none'
  /** 'short' for a few fields, 'long' for up to a thousand names, 'file' for a file. */
  body: 'short' | 'long' | 'file'
  /** Whether it asks another server, and may be answered after more than a minute. */
  slow: boolean
  /** Whether it ends the session that it is made in, which every other change needs to its end. */
  endsSession: boolean
  /**
   * What the call sets, where that can be set otherwise afterwards: once somebody has done so, the same input is a new
   * change and no repeat. `{name}` stands for each account or client that the input names, and `{field}` for each of
   * its other fields. Empty where nothing can be set otherwise, as after a deletion.
   */
  sets: string
  /** The fields of its input that are left out wherever an input is kept. */
  secrets: readonly string[]
}

/** What a call declares only where it differs from most. */
type Exceptions = {
  changes?: false
  takesKey?: false
  needsSpace?: 'little' | 'none'
  body?: 'long' | 'file'
  slow?: true
  endsSession?: true
  sets?: string
}

type Declaration<Input extends z.ZodMiniType, Output extends z.ZodMiniType, Roles extends Allowed> = Omit<
  Call<Input, Output, Roles>,
  'name' | 'secrets' | keyof Exceptions
> &
  Exceptions

export type Calls = { readonly [noun: string]: Call | Calls }

/** Declares a call. `changes` is true of all but GET, and `takesKey` of changes with a session. */
export function call<Input extends z.ZodMiniType, Output extends z.ZodMiniType, const Roles extends Allowed>(
  declaration: Declaration<Input, Output, Roles>,
): Call<Input, Output, Roles> {
  const { method, roles, input } = declaration
  const changes = declaration.changes ?? method !== 'GET'
  return {
    name: '',
    changes,
    // A key is stored with its account, which a call without a session lacks.
    takesKey: changes && roles !== 'anyone',
    needsSpace: changes ? 'plenty' : 'none',
    body: 'short',
    slow: false,
    endsSession: false,
    sets: '',
    secrets: secretFields(input),
    ...declaration,
  }
}

/** Sets the name of every call of a tree to its path there. */
export function named<Tree extends Calls>(tree: Tree, prefix = ''): Tree {
  for (const [key, value] of Object.entries(tree)) {
    if (isCall(value)) value.name = prefix + key
    else named(value, `${prefix}${key}.`)
  }
  return tree
}

/** Returns what another tree has at the path of a call, such as its handler. */
export function atPlaceOf({ name }: Call, tree: object): unknown {
  return name.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], tree)
}

/** Returns an input without its secret fields, as it may be stored. */
export function withoutSecrets({ secrets }: Call, input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([field]) => !secrets.includes(field)))
}

export function holdsSecret({ secrets }: Call, input: object): boolean {
  return Object.keys(input).some((field) => secrets.includes(field))
}

export const EVERYBODY: readonly Role[] = ROLES

export const Done = z.object({ status: z.literal('OK') })

export const Nothing = z.strictObject({})

function isCall(value: Call | Calls): value is Call {
  return typeof value.path === 'string'
}

export function everyCall(calls: Calls): Call[] {
  return Object.values(calls).flatMap((value) => (isCall(value) ? [value] : everyCall(value)))
}

export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
}

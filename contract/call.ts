import * as z from 'zod/mini'
import { ROLES, type Role } from './roles.ts'
import { secretFields } from './secret.ts'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Allowed = readonly Role[] | 'anyone'

/** What a call says of itself where it is declared. */
type Declaration<Input extends z.ZodMiniType, Output extends z.ZodMiniType, Roles extends Allowed> = {
  method: Method
  /** Under `/v1`; `{name}` stands for a parameter, which is a field of the input like any other. */
  path: string
  /** Who may make it; 'anyone' needs no session. */
  roles: Roles
  /** One line for the reference page. */
  summary: string
  /** Fields of the path, the query (GET) or the body (POST, DELETE), in one strict object. */
  input: Input
  /** The body of the successful answer; fields that it does not name never leave the server. */
  output: Output
  /** 'file': the answer is a streamed file instead of `output` as JSON. */
  answer?: 'file'
  /** False of a POST that changes nothing. */
  changes?: false
  /** False where an Idempotency-Key cannot be kept. */
  takesKey?: false
  /** Said of a change so small, and so needed, that the space kept free is there for it. */
  room?: 'little' | 'none'
  /** True where the body names up to a thousand clients, or holds as much. */
  longBody?: true
}

/** One call of the API: all that server, console, documentation and tests need to know of it. */
export type Call<
  Input extends z.ZodMiniType = z.ZodMiniType,
  Output extends z.ZodMiniType = z.ZodMiniType,
  Roles extends Allowed = Allowed,
> = Omit<Declaration<Input, Output, Roles>, 'changes' | 'takesKey' | 'room' | 'longBody'> & {
  /** Its place in the contract, `clients.renew`: what the audit, kept answers, the query cache and pending submits call it. */
  name: string
  /** Whether it changes anything; what does not leaves nothing behind: no audit row, no kept answer, no write. */
  changes: boolean
  /** Whether it is done once for each Idempotency-Key. */
  takesKey: boolean
  /**
   * How much room it needs on the disk: 'plenty' is refused while the disk is nearly full, 'little' while there is so
   * little left that people can just sign in and read; what needs 'none' always goes on.
   */
  room: 'plenty' | 'little' | 'none'
  /** Whether its body may be longer than others. */
  longBody: boolean
  /** The fields of its input that are left out wherever an input is kept. */
  secrets: readonly string[]
}

/** Calls nested by noun; one tree holds them all. */
export type Calls = { readonly [noun: string]: Call | Calls }

export function call<Input extends z.ZodMiniType, Output extends z.ZodMiniType, const Roles extends Allowed>(
  declaration: Declaration<Input, Output, Roles>,
): Call<Input, Output, Roles> {
  const { method, roles, input } = declaration
  const changes = declaration.changes ?? method !== 'GET'
  return {
    name: '',
    changes,
    // Whoever has no session has no account to keep a key under.
    takesKey: changes && roles !== 'anyone',
    room: changes ? 'plenty' : 'none',
    longBody: false,
    secrets: secretFields(input),
    ...declaration,
  }
}

/** Gives every call of a tree its name, which is its place there. */
export function named<Tree extends Calls>(tree: Tree, prefix = ''): Tree {
  for (const [key, value] of Object.entries(tree)) {
    if (isCall(value)) value.name = prefix + key
    else named(value, `${prefix}${key}.`)
  }
  return tree
}

/** What stands in another tree at the place that a call has in the contract: its handler, its words. */
export function atPlaceOf({ name }: Call, tree: object): unknown {
  return name.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], tree)
}

/** An input as it may be kept: without its secret fields. */
export function withoutSecrets({ secrets }: Call, input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([field]) => !secrets.includes(field)))
}

/** Whether an input has any of its call's secret fields. */
export function holdsSecret({ secrets }: Call, input: object): boolean {
  return Object.keys(input).some((field) => secrets.includes(field))
}

export const EVERYBODY: readonly Role[] = ROLES

/** The answer of a call that has nothing more to say. */
export const Done = z.object({ status: z.literal('OK') })

/** The input of a call that takes none. */
export const Nothing = z.strictObject({})

function isCall(value: Call | Calls): value is Call {
  return typeof value.path === 'string'
}

/** Every call of a tree, in declared order. */
export function everyCall(calls: Calls): Call[] {
  return Object.values(calls).flatMap((value) => (isCall(value) ? [value] : everyCall(value)))
}

/** The parameters of a call's path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
}

// Every fault is a sentence for the person at the screen, in the console's forms and in the server's answers alike.
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined) return 'This field is required'
        if (issue.expected === 'int') return 'This must be a whole number'
        return `This must be ${TYPE_NAMES[issue.expected] ?? `of type ${issue.expected}`}`
      case 'unrecognized_keys':
        return `There is no field ${issue.keys.map((key) => `'${key.slice(0, 40)}'`).join(', ')} here`
      case 'too_small':
        if (issue.origin === 'string') return `This needs at least ${issue.minimum} characters`
        if (issue.origin === 'array') return `This needs at least ${issue.minimum}`
        return `This must be at least ${issue.minimum}`
      case 'too_big':
        if (issue.origin === 'string') return `This takes at most ${issue.maximum} characters`
        if (issue.origin === 'array') return `This takes at most ${issue.maximum}`
        return `This must be at most ${issue.maximum}`
      case 'invalid_value':
        return `This must be one of ${issue.values.map(String).join(', ')}`
      case 'invalid_format':
        return 'This is not in the right format'
      default:
        return 'This value is not allowed here'
    }
  },
})

const TYPE_NAMES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

import * as z from 'zod/mini'
import { ROLES, type Role } from './roles.ts'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Allowed = readonly Role[] | 'anyone'

/** One call of the API: all that server, console, documentation and tests need to know of it. */
export type Call<
  Input extends z.ZodMiniType = z.ZodMiniType,
  Output extends z.ZodMiniType = z.ZodMiniType,
  Roles extends Allowed = Allowed,
> = {
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
}

/** Calls nested by noun; one tree holds them all. */
export type Calls = { readonly [noun: string]: Call | Calls }

export function call<Input extends z.ZodMiniType, Output extends z.ZodMiniType, const Roles extends Allowed>(
  facts: Call<Input, Output, Roles>,
): Call<Input, Output, Roles> {
  return facts
}

export const EVERYBODY: readonly Role[] = ROLES

/** The answer of a call that has nothing more to say. */
export const Done = z.object({ status: z.literal('OK') })

/** The input of a call that takes none. */
export const Nothing = z.strictObject({})

export function isCall(value: Call | Calls): value is Call {
  return typeof value.path === 'string'
}

/** Every call of the tree with its dotted name, `clients.renew`, in declared order. */
export function everyCall(calls: Calls, prefix = ''): { name: string; call: Call }[] {
  return Object.entries(calls).flatMap(([key, value]) =>
    isCall(value) ? [{ name: prefix + key, call: value }] : everyCall(value, `${prefix}${key}.`),
  )
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

import * as z from 'zod/mini'
import type { Call } from '../../contract/call.ts'

/** A JSON Schema as the contract prints it, as far as it is read here. */
export type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
}

export type Field = { field: string; schema: Schema; required: boolean }

/** The fields that a call takes, as its schema says. */
export function fieldsOf(call: Call): Field[] {
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }) as Schema
  return Object.entries(schema.properties ?? {}).map(([field, one]) => ({
    field,
    schema: one,
    required: schema.required?.includes(field) ?? false,
  }))
}

/** Values that a field must not take: of every other type, of no value on its list, beyond its ends. */
export function wrongValues(schema: Schema): unknown[] {
  const ways = schema.anyOf ?? [schema]
  const types = new Set(ways.flatMap(typesOf))
  const strangers = [null, true, 0.5, -1, 1e21, 'text', [], {}, [[]], [null], ['text']].filter(
    (value) => !types.has(typeOf(value)) && !(types.has('number') && typeof value === 'number'),
  )
  return [
    ...strangers,
    ...ways.flatMap(beyond).filter((value) => !types.has(typeOf(value)) || ways.length === 1),
  ]
}

/** Texts that have broken something somewhere. */
export const hostileTexts = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\uffff',
  '\u202e\u0007',
  '👩‍👩‍👧‍👦',
  "' or 1=1 --",
  '%_\\',
  '{{7*7}}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  'İ'.repeat(100),
  'x'.repeat(5_000),
  '__proto__',
  '-1',
  '1e400',
  'NaN',
]

function typesOf({ type, enum: list, const: constant }: Schema): string[] {
  if (list) return list.map(typeOf)
  if (constant !== undefined) return [typeOf(constant)]
  if (type === 'integer') return ['integer']
  return type ? [type] : ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (Number.isSafeInteger(value)) return 'integer'
  return typeof value
}

/** What is of the right type and beyond what the schema allows. */
function beyond(schema: Schema): unknown[] {
  const { maxLength, minLength = 0, minimum, maximum, minItems = 0, maxItems, items } = schema
  const listed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (listed)
    return [typeof listed[0] === 'number' ? 4_242 : 'none of these'].filter(
      (value) => !listed.includes(value),
    )
  return [
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minItems > 0 ? [[]] : []),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, (_, index) => `name-${index}`)]),
    ...(items ? wrongValues(items).map((value) => [value]) : []),
  ]
}

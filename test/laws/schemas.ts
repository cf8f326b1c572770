import * as z from 'zod/mini'
import type { Call } from '../../contract/call.ts'

/** The part of JSON Schema that the contract uses. */
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
  pattern?: string
  properties?: Record<string, Schema>
  required?: string[]
}

export type Field = { field: string; schema: Schema; required: boolean }

/** Returns the fields of a call's input schema. */
export function fieldsOf(call: Call): Field[] {
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }) as Schema
  return Object.entries(schema.properties ?? {}).map(([field, one]) => ({
    field,
    schema: one,
    required: schema.required?.includes(field) ?? false,
  }))
}

/** Returns values that a field must refuse: of every other type, not on its list, beyond its limits. */
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

/** Texts of a kind that has broken other software. */
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
  '2026-02-30T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
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

/** Returns values of the right type that the schema does not allow. */
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

import * as z from 'zod/mini'

/**
 * Marks what only its caller and the server may read. A field of a call that is or holds something secret is left out
 * wherever the input is kept: in the audit, and in a browser that remembers what was typed or sent.
 */
export function secret<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  const marked = schema.clone()
  SECRETS.add(marked, { secret: true })
  return marked
}

/** The secret fields of an input, which is one object. */
export function secretFields(input: z.ZodMiniType): string[] {
  return Object.entries(shapeOf(input)).flatMap(([field, schema]) => (isSecret(schema) ? [field] : []))
}

const SECRETS = z.registry<{ secret: true }>()

/** An input that is judged further, or made into something else, is still the object that it begins with. */
function shapeOf(input: z.core.$ZodType): z.core.$ZodShape {
  const { def } = (input as z.core.$ZodTypes)._zod
  if (def.type === 'object') return def.shape
  return def.type === 'pipe' ? shapeOf(def.in) : {}
}

/** Looks through whatever a schema is made of: a list, a choice, what may be left out. */
function isSecret(schema: z.core.$ZodType): boolean {
  // A schema that was checked further has the mark of the one it came from.
  return SECRETS.get(schema)?.secret === true || Object.values(schema._zod.def).some(hasSecretPart)
}

function hasSecretPart(part: unknown): boolean {
  if (part instanceof z.core.$ZodType) return isSecret(part)
  if (Array.isArray(part)) return part.some(hasSecretPart)
  return isPlain(part) && Object.values(part).some(hasSecretPart)
}

function isPlain(part: unknown): part is object {
  return typeof part === 'object' && part !== null && Object.getPrototypeOf(part) === Object.prototype
}

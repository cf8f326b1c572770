import * as z from 'zod/mini'

/**
 * Marks a schema as secret. A field that is secret, or contains something secret, is left out wherever an input is
 * stored: in the audit, and in a browser that remembers what was typed or sent.
 */
export function secret<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  const marked = schema.clone()
  SECRETS.add(marked, { secret: true })
  return marked
}

export function secretFields(input: z.ZodMiniType): string[] {
  return Object.entries(shapeOf(input)).flatMap(([field, schema]) => (isSecret(schema) ? [field] : []))
}

const SECRETS = z.registry<{ secret: true }>()

/** Returns the fields of an input; a pipe that transforms an object has those of the object. */
function shapeOf(input: z.core.$ZodType): z.core.$ZodShape {
  const { def } = (input as z.core.$ZodTypes)._zod
  if (def.type === 'object') return def.shape
  return def.type === 'pipe' ? shapeOf(def.in) : {}
}

function isSecret(schema: z.core.$ZodType): boolean {
  // `check` copies a schema, and the registry finds the mark of the original.
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

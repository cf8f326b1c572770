type Fields = Record<string, unknown>

/** Returns an object with a change to it: objects are merged at whatever depth, and null removes a field (RFC 7396). */
export function merged(base: Fields, change: Fields): Fields {
  const fields = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(change)) {
    const before = fields.get(key)
    if (value === null) fields.delete(key)
    else if (value !== undefined)
      fields.set(key, isFields(value) ? merged(isFields(before) ? before : {}, value) : value)
  }
  return Object.fromEntries(fields)
}

/** Whether a value is an object with fields, and not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

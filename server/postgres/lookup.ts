/**
 * Looks things up by their keys, by one query at a time, for all that were asked for since the last one began. So
 * however many ask, they take one connection of the pool.
 */
export function openLookup<Found>(lookUp: (keys: readonly string[]) => Promise<Map<string, Found>>) {
  let asked = new Set<string>()
  let running: Promise<unknown> | null = null
  let next: Promise<Map<string, Found>> | null = null

  return async (key: string): Promise<Found | null> => {
    asked.add(key)
    next ??= findNext()
    return (await next).get(key) ?? null
  }

  async function findNext(): Promise<Map<string, Found>> {
    let keys: string[] = []
    try {
      // If that query cannot reach the database, this one fails with it, instead of trying as long once more.
      await running
    } finally {
      keys = [...asked]
      asked = new Set()
      next = null
    }
    const found = lookUp(keys)
    running = found
    const end = () => {
      if (running === found) running = null
    }
    found.then(end, end)
    return found
  }
}

import type { Client } from './client.ts'

/** Looks up MACs by one query at a time, for all that were asked for since the last one began. */
export function openLookup(lookUp: (macs: readonly string[]) => Promise<Map<string, Client>>) {
  let asked = new Set<string>()
  let running: Promise<unknown> | null = null
  let next: Promise<Map<string, Client>> | null = null

  return async (mac: string): Promise<Client | null> => {
    asked.add(mac)
    next ??= findNext()
    return (await next).get(mac) ?? null
  }

  async function findNext(): Promise<Map<string, Client>> {
    let macs: string[] = []
    try {
      // If that query cannot reach the database, this one fails with it.
      await running
    } finally {
      macs = [...asked]
      asked = new Set()
      next = null
    }
    const found = lookUp(macs)
    running = found
    const end = () => {
      if (running === found) running = null
    }
    found.then(end, end)
    return found
  }
}

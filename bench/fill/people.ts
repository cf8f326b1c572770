import { dice } from '../../server/commands/demo/dice.ts'
import { FIRST, LAST, mac, PLACES } from '../../server/commands/demo/invented.ts'

/** One of this many clients is deleted. */
export const DELETED = 21
/** One of this many remaining clients belongs to the biggest dealer. */
const BIGGEST = 10
export const NEVER = -1

/** Whether the client will be deleted by the end. */
export function isDoomed(client: number): boolean {
  return client % DELETED === DELETED - 1
}

export function hasMac(client: number): boolean {
  return mixed(client, 4) % 20 >= 3
}

export function passwordOf(client: number): string {
  return `tv${String(mixed(client, 13) % 1_000_000).padStart(6, '0')}`
}

/** Returns a fixed pseudo-random number below 2^32 for a client and a use. */
export function mixed(client: number, use: number): number {
  let hash = Math.imul(client + 1, 0x9e3779b1) ^ Math.imul(use, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** The changing facts of each client, by its number from 0. */
export class Clients {
  readonly dealer: Uint16Array
  readonly born: Int16Array
  readonly expiry: Int16Array
  readonly deleted: Int16Array

  constructor(count: number, dealers: number) {
    this.born = new Int16Array(count).fill(NEVER)
    this.expiry = new Int16Array(count).fill(NEVER)
    this.deleted = new Int16Array(count).fill(NEVER)
    let standing = 0
    this.dealer = new Uint16Array(count).map((_, client) => {
      if (!isDoomed(client)) standing += 1
      if (!isDoomed(client) && standing % BIGGEST === 0) return 0
      // A few dealers have many clients, and many dealers have few.
      return 1 + Math.floor(dice() ** 1.5 * (dealers - 1))
    })
  }
}

/** Returns the fixed facts of a client, by its number from 0. */
export function factsOf(client: number): { name: string; mac: string | null; description: string } {
  const first = FIRST[mixed(client, 1) % FIRST.length]
  const last = LAST[mixed(client, 2) % LAST.length]
  const place = PLACES[mixed(client, 3) % PLACES.length] ?? ''
  return {
    name: `${`${first}.${last}`.slice(0, 8)}${client + 1}`,
    mac: hasMac(client) ? mac(client + 1) : null,
    description: place && mixed(client, 11) % 3 === 0 ? `${place} ${mixed(client, 12) % 1000}` : place,
  }
}

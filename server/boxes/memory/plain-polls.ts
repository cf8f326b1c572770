import { SlotIndex } from './slot-index.ts'

/** A poll of a box that is in, from where and with which token's nonce; `at` in milliseconds. */
export type PlainPoll = { at: number; address: string | null; nonce: string }

const FEWEST = 1_024
const NONCE_BYTES = 8

/**
 * The last poll of each client, where there is no more to say of it, as of nearly all. Hundreds of thousands wait at
 * once: here each takes 40 bytes, and as an object in a map 200.
 */
export class PlainPolls {
  readonly #slots = new SlotIndex((slot) => this.#clients[slot] as number)
  #clients = new Float64Array(FEWEST)
  #moments = new Float64Array(FEWEST)
  #nonces = Buffer.alloc(FEWEST * NONCE_BYTES)
  readonly #addresses: (string | null)[] = []

  get size(): number {
    return this.#addresses.length
  }

  /** The clients, in no order. */
  clients(): Float64Array {
    return this.#clients.subarray(0, this.size)
  }

  get(client: number): PlainPoll | undefined {
    const slot = this.#slots.find(client)
    if (slot === null) return undefined
    const nonce = this.#nonces.toString('hex', slot * NONCE_BYTES, (slot + 1) * NONCE_BYTES)
    return {
      at: this.#moments[slot] as number,
      address: this.#addresses[slot] as string | null,
      nonce: nonce.toUpperCase(),
    }
  }

  set(client: number, { at, address, nonce }: PlainPoll): void {
    const known = this.#slots.find(client)
    const slot = known ?? this.size
    if (slot === this.#clients.length) this.#grow()
    this.#clients[slot] = client
    this.#moments[slot] = at
    this.#nonces.write(nonce, slot * NONCE_BYTES, NONCE_BYTES, 'hex')
    this.#addresses[slot] = address
    if (known === null) this.#slots.set(client, slot)
  }

  /** Forgets the poll of a client; the last one gets its slot. */
  delete(client: number): void {
    const slot = this.#slots.find(client)
    if (slot === null) return
    const last = this.#clients[this.size - 1] as number
    const moved = this.get(last) as PlainPoll
    this.#slots.delete(client)
    this.#slots.delete(last)
    this.#addresses.pop()
    if (last === client) return
    this.#clients[slot] = last
    this.#moments[slot] = moved.at
    this.#nonces.write(moved.nonce, slot * NONCE_BYTES, NONCE_BYTES, 'hex')
    this.#addresses[slot] = moved.address
    this.#slots.set(last, slot)
  }

  #grow(): void {
    const [clients, moments, nonces] = [this.#clients, this.#moments, this.#nonces]
    this.#clients = new Float64Array(clients.length * 2)
    this.#clients.set(clients)
    this.#moments = new Float64Array(clients.length * 2)
    this.#moments.set(moments)
    this.#nonces = Buffer.alloc(nonces.length * 2)
    this.#nonces.set(nonces)
  }
}

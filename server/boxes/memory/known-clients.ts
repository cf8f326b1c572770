import { timingSafeEqual } from 'node:crypto'
import { type BoxClient, macOf, PRINT_BYTES } from '../client.ts'
import { SlotIndex } from './slot-index.ts'

/**
 * Clients in memory, packed into records of one length: a million of them take 120 MB, and 580 MB as objects, which the
 * garbage collector would have to visit as well. Whoever is found is a new object.
 */
export class KnownClients {
  readonly #most: number
  readonly #byId = new SlotIndex((slot) => this.#idAt(slot))
  readonly #byMac = new SlotIndex((slot) => this.#macAt(slot))
  /** The addresses to which clients are locked, by slot: they have any length, and most clients have none. */
  readonly #lockedTo = new Map<number, string>()
  /** The bytes of the token that is looked at. */
  readonly #token = Buffer.alloc(TOKEN_BYTES)
  #chunks: Buffer[] = []
  #slots = 0
  #free: number[] = []
  #oldest = 0

  /** @param most beyond these, a client is forgotten for each new one */
  constructor(most: number) {
    this.#most = most
  }

  has(id: number): boolean {
    return this.#byId.find(id) !== null
  }

  get(id: number): BoxClient | undefined {
    return this.#read(this.#byId.find(id))
  }

  hasMac(mac: string): boolean {
    return this.#byMac.find(numberOf(mac)) !== null
  }

  ofMac(mac: string): BoxClient | undefined {
    return this.#read(this.#byMac.find(numberOf(mac)), mac)
  }

  /** Whether this token was found to be signed for this MAC, and its box is the one that is in. */
  hasChecked(mac: string, token: string): boolean {
    return this.#isChecked(this.#byMac.find(numberOf(mac)), token)
  }

  /**
   * Returns the client of this MAC where this token was found to be signed for it, and its box is the one that is in.
   */
  ofChecked(mac: string, token: string): BoxClient | undefined {
    const slot = this.#byMac.find(numberOf(mac))
    return this.#isChecked(slot, token) ? this.#read(slot, mac) : undefined
  }

  #isChecked(slot: number | null, token: string): boolean {
    if (slot === null || !this.#reads(token)) return false
    const chunk = this.#chunkOf(slot)
    const offset = offsetOf(slot)
    if ((chunk.readUInt16LE(offset + AT.flags) & FLAG.checked) === 0) return false
    return timingSafeEqual(chunk.subarray(offset + AT.nonce, offset + AT.nonce + TOKEN_BYTES), this.#token)
  }

  /** Keeps the signature of a token, which was checked, where its box is the one that is in. */
  noteChecked(mac: string, token: string): void {
    const slot = this.#byMac.find(numberOf(mac))
    if (slot === null || !this.#reads(token)) return
    const chunk = this.#chunkOf(slot)
    const offset = offsetOf(slot)
    const flags = chunk.readUInt16LE(offset + AT.flags)
    const isIn =
      this.#token.compare(chunk, offset + AT.nonce, offset + AT.nonce + NONCE_BYTES, 0, NONCE_BYTES) === 0
    if ((flags & FLAG.nonce) === 0 || !isIn) return
    this.#token.copy(chunk, offset + AT.nonce)
    chunk.writeUInt16LE(flags | FLAG.checked, offset + AT.flags)
  }

  /** Keeps a client in place of what was known of it. Its MAC is no other client's from now on. */
  keep(client: BoxClient): void {
    this.forget(client.id)
    const slot = this.#freeSlot()
    this.#write(slot, client)
    this.#byId.set(client.id, slot)
    if (macOf(client) !== null) this.#byMac.set(this.#macAt(slot), slot)
  }

  forget(id: number): void {
    const slot = this.#byId.find(id)
    if (slot === null) return
    const mac = this.#macAt(slot)
    if (this.#byMac.find(mac) === slot) this.#byMac.delete(mac)
    this.#byId.delete(id)
    this.#lockedTo.delete(slot)
    this.#free.push(slot)
  }

  forgetMac(mac: string): void {
    const slot = this.#byMac.find(numberOf(mac))
    if (slot !== null) this.forget(this.#idAt(slot))
  }

  clear(): void {
    this.#byId.clear()
    this.#byMac.clear()
    this.#lockedTo.clear()
    this.#chunks = []
    this.#slots = 0
    this.#free = []
  }

  #reads(token: string): boolean {
    return token.length === 2 * TOKEN_BYTES && this.#token.write(token, 'hex') === TOKEN_BYTES
  }

  #freeSlot(): number {
    if (this.#free.length === 0 && this.#slots === this.#most) {
      this.forget(this.#idAt(this.#oldest))
      this.#oldest = (this.#oldest + 1) % this.#most
    }
    const free = this.#free.pop()
    if (free !== undefined) return free
    if (this.#slots % CHUNK === 0) this.#chunks.push(Buffer.alloc(CHUNK * RECORD))
    this.#slots += 1
    return this.#slots - 1
  }

  #chunkOf(slot: number): Buffer {
    return this.#chunks[Math.floor(slot / CHUNK)] as Buffer
  }

  #idAt(slot: number): number {
    return this.#chunkOf(slot).readDoubleLE(offsetOf(slot) + AT.id)
  }

  #macAt(slot: number): number {
    return this.#chunkOf(slot).readUIntLE(offsetOf(slot) + AT.mac, MAC_BYTES)
  }

  #write(slot: number, client: BoxClient): void {
    const { device } = client
    const chunk = this.#chunkOf(slot)
    const offset = offsetOf(slot)
    const mac = macOf(client)
    chunk.writeDoubleLE(client.id, offset + AT.id)
    chunk.writeDoubleLE(client.dealer, offset + AT.dealer)
    chunk.writeDoubleLE(client.expiry, offset + AT.expiry)
    chunk.writeDoubleLE(client.waits_until, offset + AT.waits)
    chunk.writeInt32LE(client.package_selection, offset + AT.package)
    chunk.writeUInt16LE(flagsOf(client), offset + AT.flags)
    chunk.writeUIntLE(mac === null ? 0 : numberOf(mac), offset + AT.mac, MAC_BYTES)
    chunk.write(client.name.padEnd(NAME_BYTES), offset + AT.name, NAME_BYTES, 'latin1')
    if (device === null) return
    chunk.write(device.token_nonce ?? '', offset + AT.nonce, NONCE_BYTES, 'hex')
    for (const [at, print] of device.prints.entries()) {
      chunk.writeUIntLE(print, offset + AT.prints + at * PRINT_BYTES, PRINT_BYTES)
    }
    if (device.locked_to_ip !== null) this.#lockedTo.set(slot, device.locked_to_ip)
  }

  /** @param asked its MAC, where that is known */
  #read(slot: number | null, asked?: string): BoxClient | undefined {
    if (slot === null) return undefined
    const chunk = this.#chunkOf(slot)
    const offset = offsetOf(slot)
    const flags = chunk.readUInt16LE(offset + AT.flags)
    const is = (flag: number) => (flags & flag) !== 0
    const text = (as: 'latin1' | 'hex', at: number, bytes: number) =>
      chunk.toString(as, offset + at, offset + at + bytes)
    const print = (nr: number) => chunk.readUIntLE(offset + AT.prints + nr * PRINT_BYTES, PRINT_BYTES)
    const mac = is(FLAG.mac) ? (asked ?? macOfNumber(this.#macAt(slot))) : null
    return {
      id: chunk.readDoubleLE(offset + AT.id),
      dealer: chunk.readDoubleLE(offset + AT.dealer),
      name: text('latin1', AT.name, NAME_BYTES).trimEnd(),
      mac: is(FLAG.ownMac) ? mac : null,
      active: is(FLAG.active),
      locked: is(FLAG.locked),
      alt_player: is(FLAG.altPlayer),
      package_selection: chunk.readInt32LE(offset + AT.package),
      expiry: chunk.readDoubleLE(offset + AT.expiry),
      device: is(FLAG.device)
        ? {
            mac: is(FLAG.ownMac) ? null : mac,
            prints: [print(0), print(1), print(2)],
            token_nonce: is(FLAG.nonce) ? text('hex', AT.nonce, NONCE_BYTES).toUpperCase() : null,
            takeovers_refused: is(FLAG.takeoversRefused),
            locked_to_ip: this.#lockedTo.get(slot) ?? null,
            cut: is(FLAG.cut),
          }
        : null,
      waits_until: chunk.readDoubleLE(offset + AT.waits),
    }
  }
}

/** The lengths of texts, as the schema and the tokens have them. */
const NAME_BYTES = 15
const NONCE_BYTES = 8
const TOKEN_BYTES = 24
const MAC_BYTES = 6

/** Where each part of a record is. The signature of a token that was checked follows its nonce. */
const AT = {
  ...{ id: 0, dealer: 8, expiry: 16, waits: 24, package: 32, flags: 36, mac: 38, prints: 44 },
  ...{ nonce: 62, name: 62 + TOKEN_BYTES },
}
const RECORD = AT.name + NAME_BYTES
/** How many records memory is taken for at once. */
const CHUNK = 8_192

/** `mac` is the MAC by which the client is known, its own or that of the box that signed in by login. */
const FLAG = {
  ...{ active: 1, locked: 2, altPlayer: 4, mac: 8, ownMac: 16 },
  ...{ device: 32, nonce: 64, takeoversRefused: 128, cut: 256, checked: 512 },
}

function flagsOf(client: BoxClient): number {
  const { active, locked, alt_player, device } = client
  return (
    (active ? FLAG.active : 0) |
    (locked ? FLAG.locked : 0) |
    (alt_player ? FLAG.altPlayer : 0) |
    (macOf(client) === null ? 0 : FLAG.mac) |
    (client.mac === null ? 0 : FLAG.ownMac) |
    (device === null ? 0 : FLAG.device) |
    (device?.token_nonce == null ? 0 : FLAG.nonce) |
    (device?.takeovers_refused ? FLAG.takeoversRefused : 0) |
    (device?.cut ? FLAG.cut : 0)
  )
}

function offsetOf(slot: number): number {
  return (slot % CHUNK) * RECORD
}

/** Returns the 48 bits of a MAC in upper case, digit by digit because every poll asks for it. */
function numberOf(mac: string): number {
  let number = 0
  for (let at = 0; at < mac.length; at += 1) {
    const code = mac.charCodeAt(at)
    if (code !== COLON) number = number * 16 + code - (code < A ? ZERO : A - 10)
  }
  return number
}

const [ZERO, COLON, A] = [48, 58, 65]

function macOfNumber(number: number): string {
  const hex = number.toString(16).toUpperCase().padStart(12, '0')
  return `${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}:${hex.slice(6, 8)}:${hex.slice(8, 10)}:${hex.slice(10)}`
}

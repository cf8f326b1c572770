import type { BoxRefusal } from '../../contract/box-refusals.ts'

/** The channels of the law's playlist that each package holds. */
export const CHANNELS_OF = { 1: ['One', 'Two'], 3: ['Two', 'Three'] } as const
export type LawPackage = keyof typeof CHANNELS_OF

export type Kind = 'with a MAC' | 'of Ministra'
/**
 * `isAway` while it is signed in to another client, which is not served; it is still the box that had this one last.
 */
export type ModelBox = { mac: string; serial: string; obeys: boolean; wrong: number[]; isAway: boolean }

/** The statuses of a profile. */
const IN = 0
const REFUSED = 1
const ASKED = 2

const MINUTE = 60_000
const DAY = 86_400_000

/** What the boxes of one client must be told, and what its dealer must see of them. */
export class BoxModel {
  readonly boxes: readonly ModelBox[]
  readonly kind: Kind
  active = true
  locked = false
  suspended = false
  expiry: string
  password = 'password-0'
  /** The package that its dealer has chosen. */
  package: LawPackage = 1
  #passwords = 0
  /** The box whose token counts, and the MAC of the one that logged in last. */
  #in: ModelBox | null = null
  #bound: string | null = null
  #serial: string | null = null
  #lockedTo: string | null = null
  #takeovers: number[] = []
  #refusesTakeovers = false
  #refusal: BoxRefusal | null = null
  /** When a box was let in last, and when its token was made, in milliseconds since 1970. */
  #seen = 0
  #made = 0
  /** Whether anything is known of a box, and whether the one that is in was cut off. */
  #isKnown = false
  #cut = false
  #events: { text: string; expiry: number }[] = []

  constructor(kind: Kind, expiry: string, boxes: readonly Omit<ModelBox, 'wrong' | 'isAway'>[]) {
    this.kind = kind
    this.expiry = expiry
    this.boxes = boxes.map((box) => ({ ...box, wrong: [], isAway: false }))
  }

  isExpired(now: Date): boolean {
    return Date.parse(this.expiry) < now.getTime()
  }

  seen() {
    return { stb_sn: this.#serial, locked_to_ip: this.#lockedTo, box_refusal: this.#refusal }
  }

  /** Returns what a box that has just polled may watch; null where it may not play. */
  channels(box: ModelBox): readonly string[] | null {
    if (this.#in !== box || this.#refusal !== null) return null
    return CHANNELS_OF[this.package]
  }

  /** Returns what a box is told at its poll, '' for nothing; null where it is out. */
  poll(box: ModelBox, address: string, now: Date): string | null {
    if (this.#in !== box) return null
    this.#refusal = this.#judge(address, now)
    if (this.#refusal && !box.obeys) return null
    if (!this.#refusal) this.#letIn(address, now)
    const cut = this.#refusal !== null
    if (this.#cut !== cut) {
      this.#cut = cut
      return cut ? 'cut_off' : 'cut_on'
    }
    this.#events = this.#events.filter(({ expiry }) => expiry > now.getTime())
    return this.#events.shift()?.text ?? ''
  }

  send(text: string, minutes: number, now: Date): void {
    this.#events.push({ text, expiry: now.getTime() + minutes * MINUTE })
  }

  /** Another package, of which only a box that is known is told. */
  changeChannels(now: Date): void {
    if (this.#isKnown) this.send('update_channels', 4, now)
  }

  /** Returns the status at which the sign-in of a box ends; with a wrong login where it guesses. */
  signIn(box: ModelBox, address: string, now: Date, guesses: boolean): number {
    // It begins with a new token, and has lost the one that counted.
    if (this.#in === box) this.#in = null
    if (this.kind === 'of Ministra') {
      const loggedIn = this.#logIn(box, address, now, guesses)
      if (loggedIn !== IN) return loggedIn
    }
    this.#refusal = this.#judge(address, now) ?? this.#judgeBox(box)
    if (this.#refusal) return REFUSED
    this.#in = box
    this.#isKnown = true
    this.#cut = false
    this.#serial =
      this.kind === 'of Ministra' ? box.serial || this.#serial : this.#serial || box.serial || null
    this.#letIn(address, now)
    return IN
  }

  /** Returns the status at which the sign-in of a box to another client ends, by a new token. */
  leave(box: ModelBox, now: Date): number {
    const isHere = this.#bound === box.mac && !box.isAway
    if (this.#isClosed(box, now) || (isHere && this.#keepsBox(now))) return REFUSED
    box.isAway = true
    if (this.#in === box) this.#in = null
    return IN
  }

  reset(): void {
    this.#forget()
    this.#bound = null
    this.#lockedTo = null
    this.#takeovers = []
    this.#refusesTakeovers = false
    this.#refusal = null
    this.#isKnown = false
    this.#cut = false
  }

  /** What the lock before has refused is over. */
  switchLock(): void {
    this.locked = !this.locked
    this.#lockedTo = null
    if (this.#refusal === 'other_address') this.#refusal = null
  }

  newPassword(): string {
    this.#passwords += 1
    this.password = `password-${this.#passwords}`
    this.#in = null
    // The box is put out, and may leave for another client.
    this.#seen = 0
    this.#made = 0
    return this.password
  }

  #forget(): void {
    this.#in = null
    this.#serial = null
  }

  #judge(address: string, now: Date): BoxRefusal | null {
    if (!this.active) return 'switched_off'
    if (this.suspended) return 'suspended'
    if (this.isExpired(now)) return 'expired'
    return this.#isElsewhere(address) ? 'other_address' : null
  }

  #isElsewhere(address: string): boolean {
    return this.locked && this.#lockedTo !== null && this.#lockedTo !== address
  }

  #judgeBox({ serial }: ModelBox): BoxRefusal | null {
    if (this.kind === 'of Ministra' || this.#serial === null || serial === '') return null
    return serial === this.#serial ? null : 'other_box'
  }

  #letIn(address: string, now: Date): void {
    this.#seen = now.getTime()
    if (this.locked) this.#lockedTo ??= address
  }

  #keepsBox(now: Date): boolean {
    const isSeen = this.#seen > now.getTime() - DAY || this.#made > now.getTime() - 5 * MINUTE
    return this.active && !this.isExpired(now) && isSeen
  }

  #logIn(box: ModelBox, address: string, now: Date, guesses: boolean): number {
    if (this.#isClosed(box, now)) return REFUSED
    if (guesses) {
      box.wrong.push(now.getTime())
      return this.#isClosed(box, now) ? REFUSED : ASKED
    }
    if (this.#isElsewhere(address)) {
      this.#refusal = this.#judge(address, now)
      return REFUSED
    }
    const isAnother = this.#bound !== null && this.#bound !== box.mac
    if (isAnother) {
      const today = this.#takeovers.filter((time) => time > now.getTime() - DAY)
      if (this.#refusesTakeovers || today.length >= 3) {
        this.#refusesTakeovers = true
        this.#refusal = this.#judge(address, now) ?? 'too_many_boxes'
        return REFUSED
      }
    }
    const refusal = box.isAway ? this.#judge(address, now) : null
    if (refusal) {
      this.#refusal = refusal
      return REFUSED
    }
    if (isAnother) {
      this.#takeovers.push(now.getTime())
      this.#forget()
    }
    box.isAway = false
    this.#made = now.getTime()
    this.#bound = box.mac
    this.#in = box
    this.#isKnown = true
    this.#cut = false
    return IN
  }

  #isClosed({ wrong }: ModelBox, now: Date): boolean {
    const [third, last] = [wrong.at(-3), wrong.at(-1)]
    if (third === undefined || last === undefined) return false
    return last > now.getTime() - 15 * MINUTE && last - third < 15 * MINUTE
  }
}

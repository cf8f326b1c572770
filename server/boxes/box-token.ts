import { timingSafeEqual } from 'node:crypto'
import { makeNonce, NONCE_DIGITS } from '../access/box-nonce.ts'
import type { Seal } from '../access/seal.ts'

/**
 * A token of a box: a nonce of 64 bits, which the client's device keeps while its box is in, and 128 bits that sign it
 * together with the MAC. So nobody makes a token, or takes one to another MAC, and no query is needed to see that.
 */
type Tokens = {
  /** Makes a token for a MAC, 48 hexadecimal digits. */
  make(mac: string, now: Date): string
  /** Returns the token that a nonce and a MAC make. */
  tokenOf(nonce: string, mac: string): string
  /** Returns the nonce of a token that was made for this MAC; null where it is none of ours. */
  nonceOf(token: string, mac: string): string | null
}

export function openTokens(seal: Pick<Seal, 'hmac'>): Tokens {
  return {
    make: (mac, now) => tokenOf(makeNonce(now), mac),
    tokenOf,
    nonceOf(token, mac) {
      if (!/^[0-9A-F]{48}$/.test(token)) return null
      const nonce = token.slice(0, NONCE_DIGITS)
      const isOurs = timingSafeEqual(Buffer.from(token.slice(NONCE_DIGITS), 'hex'), signature(nonce, mac))
      return isOurs ? nonce : null
    },
  }

  function tokenOf(nonce: string, mac: string): string {
    return nonce + signature(nonce, mac).toString('hex').toUpperCase()
  }

  function signature(nonce: string, mac: string): Buffer {
    return seal.hmac(`box token ${nonce} ${mac}`).subarray(0, SIGNATURE_BYTES)
  }
}

const SIGNATURE_BYTES = 16

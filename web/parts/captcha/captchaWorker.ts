import { pbkdf2 } from '@noble/hashes/pbkdf2'
import { sha256 } from '@noble/hashes/sha2'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import type { DeriveKeyFunction } from 'altcha-lib/types'
import { handler } from 'altcha-lib/workers/shared'

/** WebCrypto is missing on a page without HTTPS. This slower implementation in JavaScript replaces it. */
const deriveByScript: DeriveKeyFunction = async ({ cost, keyLength }, salt, password) => ({
  derivedKey: pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength }),
})

const derive = isSecureContext ? deriveKey : deriveByScript

/** The worker reports its progress once for this many tries. */
const REPORT_EVERY = 25
let tries = 0

handler({
  deriveKey: (...given) => {
    tries += 1
    if (tries % REPORT_EVERY === 0) self.postMessage({ tries: REPORT_EVERY })
    return derive(...given)
  },
})

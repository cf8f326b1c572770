import { pbkdf2 } from '@noble/hashes/pbkdf2'
import { sha256 } from '@noble/hashes/sha2'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import type { Challenge, DeriveKeyFunction } from 'altcha-lib/types'

/** Solves one challenge beside the page, so that typing never stutters, and answers the solution. */
addEventListener('message', async ({ data }: MessageEvent<Challenge>) => {
  postMessage(
    await solveChallenge({ challenge: data, deriveKey: isSecureContext ? deriveKey : deriveByScript }),
  )
})

/** The browser's own cryptography is missing on a page that is not encrypted; a script does the same, only slower. */
const deriveByScript: DeriveKeyFunction = async ({ cost, keyLength }, salt, password) => ({
  derivedKey: pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength }),
})

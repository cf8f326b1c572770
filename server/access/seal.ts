import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** What SECRET_KEY does: keeps client passwords readable to their dealer alone, and recognises a repeated body. */
export type Seal = {
  /** AES-256-GCM: nonce (12 bytes), tag (16), ciphertext. */
  close(text: string): Buffer
  /** Throws where the bytes were not sealed by this key or were changed since. */
  open(sealed: Uint8Array): string
  /** 32 bytes that only this key makes of this text. */
  hmac(text: string): Buffer
}

/** `key` is SECRET_KEY's 32 bytes; each use has its own key derived from it. */
export function createSeal(key: Uint8Array): Seal {
  const cipherKey = derive(key, 'client passwords')
  const hmacKey = derive(key, 'request bodies')
  return {
    close(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, sealed.subarray(0, 12), {
        authTagLength: 16,
      })
      decipher.setAuthTag(sealed.subarray(12, 28))
      return decipher.update(sealed.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
    hmac: (text) => createHmac('sha256', hmacKey).update(text).digest(),
  }
}

/** SHA-256, under which tokens and tickets are kept: they are random, so that a plain hash is enough. */
export function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** 256 random bits for a URL or a header. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

function derive(key: Uint8Array, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `boxtree ${use}`, 32))
}

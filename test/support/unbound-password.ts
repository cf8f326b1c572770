import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts a password as before 0.2.0: nonce (12 bytes), tag (16) and ciphertext, bound to no client. */
export function sealUnbound(text: string, key: Uint8Array): Buffer {
  const cipherKey = Buffer.from(hkdfSync('sha256', key, '', 'boxtree client passwords', 32))
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

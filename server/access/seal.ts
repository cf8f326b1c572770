import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash as digest,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

/**
 * The uses of SECRET_KEY: encrypts client passwords and the playlist; its HMAC signs tokens and recognises bodies,
 * logins and networks without storing them.
 */
export type Seal = {
  /**
   * AES-256-GCM: a version (1 byte), the key's id (4), nonce (12), tag (16), ciphertext; bound to whose the text is.
   */
  close(text: string, owner: string): Buffer
  /** Throws where the bytes were not sealed by this key, are of another owner, or were changed since. */
  open(sealed: Uint8Array, owner: string): string
  /** What everything begins with that this key has sealed: bytes that do not are another key's, or of before 0.2.0. */
  head: Buffer
  hmac(text: string): Buffer
}

/** Returns null where the bytes cannot be opened, as once the key is another. */
export function openOrNull(seal: Pick<Seal, 'open'>, sealed: Uint8Array, owner: string): string | null {
  try {
    return seal.open(sealed, owner)
  } catch {
    return null
  }
}

export function ofClient(id: number): string {
  return `client ${id}`
}

/** The `owner` to which the playlist's address is bound, and that of the channels that were read from it. */
export const OF_PLAYLIST = { address: 'playlist address', channels: 'playlist channels' }

/** `key` is SECRET_KEY's 32 bytes; each use has its own key derived from it. */
export function createSeal(key: Uint8Array): Seal {
  const cipherKey = derive(key, 'client passwords')
  // Named for its first use, since another name would end every token. As an object, which Node would make of plain
  // bytes with every HMAC, in seven times the time of the HMAC.
  const hmacKey = createSecretKey(derive(key, 'request bodies'))
  const head = Buffer.concat([Buffer.of(VERSION), derive(key, 'key id').subarray(0, 4)])
  return {
    close(text, owner) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(bind(head, owner))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([head, nonce, cipher.getAuthTag(), body])
    },
    open(sealed, owner) {
      const isBound = head.equals(sealed.subarray(0, head.length))
      const rest = isBound ? sealed.subarray(head.length) : sealed
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, rest.subarray(0, 12), { authTagLength: 16 })
      decipher.setAuthTag(rest.subarray(12, 28))
      if (isBound) decipher.setAAD(bind(head, owner))
      return decipher.update(rest.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
    head,
    hmac: (text) => createHmac('sha256', hmacKey).update(text).digest(),
  }
}

const VERSION = 2

function bind(head: Buffer, owner: string): Buffer {
  return Buffer.concat([head, Buffer.from(owner)])
}

/**
 * Returns the SHA-256 of a token, a ticket or a long text. What is secret of these is random, so that no slow hash is
 * needed.
 */
export function hash(text: string): Buffer {
  return digest('sha256', text, 'buffer')
}

/** Returns 256 random bits as text for a URL or a header. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the 32 bytes that one use has of SECRET_KEY. No use learns anything of another's. */
export function derive(key: Uint8Array, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `boxtree ${use}`, 32))
}

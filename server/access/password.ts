import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { isInTransaction } from '../postgres/begin.ts'
import { Turns } from '../turns.ts'

/** Returns an argon2id hash with a new random salt, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt)
  return `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=1$${unpadded(salt)}$${unpadded(hash)}`
}

/** Without a hash (an unknown name) it returns false after the same work, so that the duration reveals nothing. */
export async function isPassword(password: string, phc: string | undefined): Promise<boolean> {
  const [, , , , salt, hash] = (phc ?? NOBODY).split('$')
  const expected = Buffer.from(hash as string, 'base64')
  const given = await derive(password, Buffer.from(salt as string, 'base64'))
  return timingSafeEqual(expected, given) && phc !== undefined
}

/** 19 MiB in 2 passes, as OWASP recommends. */
const MEMORY = 19 * 1024
const PASSES = 2
const NOBODY = `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=1$${unpadded(Buffer.alloc(16))}$${unpadded(Buffer.alloc(32))}`

const argon2id = promisify(argon2)

/** @throws Error inside a transaction, which would hold its locks and its connection during the hash */
async function derive(password: string, salt: Buffer): Promise<Buffer> {
  if (isInTransaction()) throw new Error('A password is hashed before the transaction, not in it.')
  return hashing.run('anybody', () =>
    argon2id('argon2id', {
      message: Buffer.from(password, 'utf8'),
      nonce: salt,
      parallelism: 1,
      tagLength: 32,
      memory: MEMORY,
      passes: PASSES,
    }),
  )
}

// At most two at once, so that a flood of logins leaves processor time for other calls.
const hashing = new Turns<'anybody'>({ atOnce: 2 })

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Caller, OpenContext } from '../context.ts'
import { isInTransaction } from '../postgres/begin.ts'
import { Turns } from '../turns.ts'
import { openSignInTurns, SIGN_IN_WAIT } from './sign-in-turns.ts'

/** For whom a password is hashed: a stranger or a caller; null on the machine's own command line. */
type Asker = (Pick<OpenContext, 'network' | 'gone'> & Partial<Pick<Caller, 'account'>>) | null

/** Returns an argon2id hash with a new random salt, in the PHC string format. @throws Refusal without a turn */
export async function hashPassword(password: string, asker: Asker): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, asker)
  return `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=1$${unpadded(salt)}$${unpadded(hash)}`
}

/**
 * Without a hash (an unknown name, or an account that is closed meanwhile) it returns false after the same work, so
 * that the duration reveals nothing.
 * @throws Refusal without a turn
 */
export async function isPassword(password: string, phc: string | undefined, asker: Asker): Promise<boolean> {
  const [, , , , salt, hash] = (phc || NOBODY).split('$')
  const expected = Buffer.from(hash as string, 'base64')
  const given = await derive(password, Buffer.from(salt as string, 'base64'), asker)
  return timingSafeEqual(expected, given) && Boolean(phc)
}

/** 19 MiB in 2 passes, as OWASP recommends. */
const MEMORY = 19 * 1024
const PASSES = 2
const NOBODY = `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=1$${unpadded(Buffer.alloc(16))}$${unpadded(Buffer.alloc(32))}`

const argon2id = promisify(argon2)

/** @throws Error inside a transaction, which would hold its locks and its connection during the hash */
async function derive(password: string, salt: Buffer, asker: Asker): Promise<Buffer> {
  if (isInTransaction()) throw new Error('A password is hashed before the transaction, not in it.')
  return inTurn(asker, () =>
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

/** At most two at once, so that a flood of logins leaves processor time for other calls. */
const AT_ONCE = 2
const hashing = new Turns<number | 'strangers'>({ atOnce: AT_ONCE, maxWait: SIGN_IN_WAIT })
const inTurnOfStrangers = openSignInTurns({ atOnce: AT_ONCE })

/** However many strangers sign in, beside an account they have one turn of two, which goes from network to network. */
function inTurn(asker: Asker, hash: () => Promise<Buffer>): Promise<Buffer> {
  const { account, network = null, gone = null } = asker ?? { account: { id: 0 } }
  if (account) return hashing.run(account.id, hash, gone)
  return inTurnOfStrangers({ network, gone }, () => hashing.run('strangers', hash, gone))
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

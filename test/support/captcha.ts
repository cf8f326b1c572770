import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Challenge } from 'altcha-lib/types'

/** Solves a challenge as a browser does. Returns the solution in the form that the login takes. */
export async function solved(challenge: unknown): Promise<string> {
  const solution = await solveChallenge({ challenge: challenge as Challenge, deriveKey })
  return written({ challenge, solution })
}

export function written(payload: object): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

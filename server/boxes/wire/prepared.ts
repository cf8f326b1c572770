import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ANSWERS, type Answer, type CallName } from './answers.ts'

/**
 * An answer that many boxes get, in its envelope as it is sent. Its type was checked when it was made. A short one is a
 * string, which Node sends in one piece with the headers.
 */
export class Prepared {
  readonly json: Buffer | string
  #gzipped: Promise<Buffer> | null = null

  constructor(json: Buffer | string) {
    this.json = json
  }

  /** Returns the answer compressed, which is done once. A list of channels is less than a tenth then. */
  gzipped(): Promise<Buffer> {
    this.#gzipped ??= promisify(gzip)(this.json)
    return this.#gzipped
  }
}

/** Returns an answer in its envelope, as it is sent, once it was found to have its declared type. */
export function checked<Name extends CallName>(name: Name, answer: Answer<Name>): string {
  return JSON.stringify({ js: ANSWERS[name].parse(answer) })
}

/** The letters and digits of suggestions: none looks like another on a television, and vowels would make words. */
const CHARACTERS = 'cdfhjknprtwxy347'

/** Returns a login that is likely to be free: 8 characters, 32 random bits. */
export function suggestLogin(): string {
  return randomText(8)
}

/** Returns a password of 10 characters, 40 random bits, which can be typed with a remote control. */
export function suggestPassword(): string {
  return randomText(10)
}

function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  // There are 16 characters, so that each is equally likely.
  return [...bytes].map((byte) => CHARACTERS[byte % CHARACTERS.length]).join('')
}

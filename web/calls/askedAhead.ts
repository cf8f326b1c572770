/** What `shell/boot.js` has asked for before the scripts came: with which token, when, and when the answer came. */
interface Ahead {
  token: string
  asked: number
  answered: Promise<{ response: Response; heard: number }>
}

declare global {
  /** By URL. */
  var askedAhead: Map<string, Ahead> | undefined
}

/** How old such an answer may be. A slow line may take that long to bring the scripts. */
const AHEAD_LASTS_MS = 30_000

/** Returns what was asked for ahead, once; undefined where nothing was, or no answer came. */
export async function takeAhead(url: string, token: string | null) {
  const one = globalThis.askedAhead?.get(url)
  globalThis.askedAhead?.delete(url)
  if (!one || one.token !== token || Date.now() - one.asked > AHEAD_LASTS_MS) return undefined
  const answered = await one.answered.catch(() => null)
  return answered?.response.ok ? { asked: one.asked, ...answered } : undefined
}

/** Forgets what was asked for ahead, which a change may make untrue. */
export function dropAhead(): void {
  globalThis.askedAhead?.clear()
}

import { Refusal } from '../../refusal.ts'

/** Downloads at once: each holds a connection for as long as it lasts, and the other calls need theirs. */
const MOST = 4
/** How long a download waits for its turn, in milliseconds. */
const PATIENCE = 10_000

let free = MOST
const waiting: (() => void)[] = []

/** Waits for a place among the downloads. Answers what gives it back; a second time does nothing. */
export async function takeSlot(): Promise<() => void> {
  if (free > 0) free -= 1
  else await turn()
  let taken = true
  return () => {
    if (!taken) return
    taken = false
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
}

function turn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      clearTimeout(patience)
      resolve()
    }
    const patience = setTimeout(() => {
      waiting.splice(waiting.indexOf(go), 1)
      reject(
        new Refusal('unavailable', 'Several exports are on their way. Please try again in a moment.', {
          retryAfter: PATIENCE / 1000,
        }),
      )
    }, PATIENCE)
    waiting.push(go)
  })
}

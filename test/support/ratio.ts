/** Returns how many times as long `act` takes as `beside`, which are run by turns: the quickest of five of each. */
export function timesAsLong(act: () => void, beside: () => void): number {
  const quickest = [Infinity, Infinity]
  for (let round = 0; round < 5; round += 1)
    for (const [which, run] of [act, beside].entries()) {
      const began = performance.now()
      run()
      quickest[which] = Math.min(quickest[which] ?? 0, performance.now() - began)
    }
  const [slow = 0, plain = 1] = quickest
  // What is quick may be over before the clock has moved.
  return slow / Math.max(plain, 0.01)
}

/**
 * Returns a function that runs work, unless it is under way: whoever asks meanwhile waits for that run and gets its
 * result.
 */
export function oneAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}

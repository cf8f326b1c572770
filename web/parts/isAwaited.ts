/** Returns whether a card waits for what it shows: what is there stays as it is during a refresh in the background. */
export function isAwaited(
  { isFetching, error }: { isFetching: boolean; error: unknown },
  shown: unknown,
): boolean {
  return isFetching && (shown === undefined || error !== null)
}

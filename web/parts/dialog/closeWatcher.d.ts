/**
 * Hears the wish to close something, as by Back of a telephone. TypeScript has no type of it.
 * Source: https://wicg.github.io/close-watcher/
 */
declare class CloseWatcher {
  onclose: (() => void) | null
  destroy(): void
}

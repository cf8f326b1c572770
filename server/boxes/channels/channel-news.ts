import type { BoxClient } from '../client.ts'

/**
 * How long boxes are told of other channels, in milliseconds: as long as an `update_channels` of a dealer's change
 * lives.
 */
const TOLD_FOR_MS = 240_000

/** Which packages' channels changed within the last four minutes, and which clients' boxes have been told. */
export function openChannelNews(clock: () => Date) {
  const changes = new Map<number, { at: number; told: Set<number> }>()
  return {
    /** Compares what the boxes of each package see with what they saw before. */
    compare(before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): void {
      const at = clock().getTime()
      for (const [packageId, sees] of after)
        if (before.get(packageId) !== sees) changes.set(packageId, { at, told: new Set() })
    },

    /** Whether a client's box has yet to hear that its channels are others now. */
    isNewTo({ id, package_selection }: BoxClient): boolean {
      const told = recent(package_selection)
      return told !== undefined && !told.has(id)
    },

    /** Notes that a client's box was told so, or loads its channels anyway. */
    noteTold({ id, package_selection }: BoxClient): void {
      recent(package_selection)?.add(id)
    },
  }

  /** Returns the clients who know of the change of a package that was made a short while ago. */
  function recent(packageId: number): Set<number> | undefined {
    const change = changes.get(packageId)
    if (change === undefined || clock().getTime() - change.at < TOLD_FOR_MS) return change?.told
    changes.delete(packageId)
    return undefined
  }
}

/** The most unknown MACs of one network within the window, each counted once. */
const MOST_UNKNOWN = 60
const WINDOW_MS = 15 * 60_000
/** How many more are looked up each second once a network is full, because many customers may share its address. */
const MORE_A_SECOND = 2
const SECOND_MS = 1_000
/** The most networks that are counted, so that a stranger with many addresses fills no memory. */
const MOST_NETWORKS = 20_000

type Network = {
  began: number
  unknown: Set<string>
  /** The second in which more were looked up, and how many. */
  second: number
  more: number
}

/**
 * Limits how many MACs of nobody are looked up for one network. What is in memory is never counted, and neither is what
 * comes through an untrusted proxy, whose network is null.
 */
export function openStrangers(clock: () => Date) {
  const networks = new Map<string, Network>()
  return {
    /** Whether a MAC that is not in memory may be looked up for this network. */
    mayAsk(network: string | null, mac: string): boolean {
      const counted = network === null ? undefined : networks.get(network)
      if (!counted || isOver(counted) || counted.unknown.has(mac) || counted.unknown.size < MOST_UNKNOWN)
        return true
      const second = Math.floor(clock().getTime() / SECOND_MS)
      if (counted.second !== second) Object.assign(counted, { second, more: 0 })
      counted.more += 1
      return counted.more <= MORE_A_SECOND
    },

    /** Counts a MAC that no client has. */
    count(network: string | null, mac: string): void {
      if (network === null) return
      const counted = networks.get(network)
      if (counted && !isOver(counted)) {
        if (counted.unknown.size < MOST_UNKNOWN) counted.unknown.add(mac)
        return
      }
      // A network that is counted anew comes last, so that the first one is the oldest.
      networks.delete(network)
      if (networks.size >= MOST_NETWORKS) networks.delete(networks.keys().next().value ?? '')
      networks.set(network, { began: clock().getTime(), unknown: new Set([mac]), second: 0, more: 0 })
    },
  }

  function isOver({ began }: Network): boolean {
    return clock().getTime() - began >= WINDOW_MS
  }
}

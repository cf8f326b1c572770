import { MINUTE_MS } from '../../../contract/time.ts'

/** The most unknown MACs of one network within the window, each counted once. */
const MOST_UNKNOWN = 60
const WINDOW_MS = 15 * MINUTE_MS
/** How many more are looked up each second once a network is full, because many customers may share its address. */
const MORE_A_SECOND = 2
const SECOND_MS = 1_000
/** The most networks that are counted, so that a stranger with many addresses fills no memory. */
const MOST_NETWORKS = 20_000

type Network = {
  began: number
  unknown: Set<string>
  /** The lookups under way, each of which may find that a MAC is unknown. */
  lookups: Set<Promise<unknown>>
  /** The second in which more were looked up, and how many. */
  second: number
  more: number
}

/**
 * Limits how many unknown MACs are looked up for one network. A MAC in memory is never counted, and neither is a
 * request whose network a proxy hides, and which is null.
 */
export function openStrangers(clock: () => Date) {
  const networks = new Map<string, Network>()
  return {
    /** Forgets what was counted. After memory was cleared the boxes of known clients look like strangers for once. */
    forget() {
      networks.clear()
    },

    /** Looks up a MAC that is not in memory, and counts it where nobody has it. */
    async lookUp<Found>(
      network: string | null,
      mac: string,
      find: () => Promise<Found | null>,
    ): Promise<Found | null | 'too many'> {
      if (network === null) return find()
      for (;;) {
        const counted = countedOf(network)
        const { unknown, lookups } = counted
        if (unknown.size >= MOST_UNKNOWN && !unknown.has(mac))
          return mayAskMore(counted) ? find() : 'too many'
        if (unknown.has(mac) || unknown.size + lookups.size < MOST_UNKNOWN) return count(network, mac, find())
        // A burst of unknown MACs is stopped, and one of customers who share an address is not.
        await Promise.race(lookups)
      }
    },
  }

  function countedOf(name: string): Network {
    const counted = networks.get(name)
    if (counted && clock().getTime() - counted.began < WINDOW_MS) return counted
    // A network that is counted anew comes last, so that the first one is the oldest.
    networks.delete(name)
    if (networks.size >= MOST_NETWORKS) networks.delete(networks.keys().next().value ?? '')
    const fresh: Network = {
      began: clock().getTime(),
      unknown: new Set(),
      lookups: new Set(),
      second: 0,
      more: 0,
    }
    networks.set(name, fresh)
    return fresh
  }

  function mayAskMore(counted: Network): boolean {
    const second = Math.floor(clock().getTime() / SECOND_MS)
    if (counted.second !== second) Object.assign(counted, { second, more: 0 })
    counted.more += 1
    return counted.more <= MORE_A_SECOND
  }

  function count<Found>(name: string, mac: string, finding: Promise<Found | null>): Promise<Found | null> {
    const counted = countedOf(name)
    const { unknown, lookups } = counted
    const lookup = finding.then(
      (found) => end(found === null),
      () => end(false),
    )
    lookups.add(lookup)
    return finding

    function end(isUnknown: boolean): void {
      lookups.delete(lookup)
      if (isUnknown) unknown.add(mac)
      // The networks of customers take no memory.
      if (unknown.size + lookups.size === 0 && networks.get(name) === counted) networks.delete(name)
    }
  }
}

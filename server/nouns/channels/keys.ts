import type { Channel } from '../../../contract/channels.ts'

type Named = Pick<Channel, 'name' | 'group'> & { id: string }

/**
 * Gives channels the keys by which they keep their ids, in whatever order they come. A channel is known by its tvg-id,
 * or else by its name and group; where several have one tvg-id, such as those of one program in other qualities, by all
 * of these. A channel in use keeps its key when others get its tvg-id or lose it. Where one that was in use by its
 * tvg-id alone comes back beside others, nothing tells which it was: the first of them takes its place.
 * @param known the keys of a tvg-id alone that have an id
 */
export function withKeys<Entry extends Named>(
  channels: readonly Entry[],
  inUse: readonly Channel[],
  known: ReadonlySet<string> = new Set(),
): (Omit<Entry, 'id'> & { key: string })[] {
  const holders = Map.groupBy(channels, ({ id }) => id)
  const kept = keptOf(inUse)
  const stay = new Set(channels.map((one) => kept.get(`${ID}${one.id}\n${namedBy(one)}`)))
  const given = new Given()
  return channels.map(({ id, ...channel }) => {
    const named = namedBy(channel)
    if (id === '') return { key: given.firstFree([named]), ...channel }
    const byId = `${ID}${id}`
    const byAll = `${byId}\n${named}`
    const isAlone = holders.get(id)?.length === 1
    const isReturning = known.has(byId) && !stay.has(byId)
    const first = isAlone || isReturning ? byId : byAll
    return { key: given.firstFree([kept.get(byAll) ?? first, byAll]), ...channel }
  })
}

const ID = 'id '

function namedBy({ name, group }: Pick<Channel, 'name' | 'group'>): string {
  return `name ${name}\n${group}`
}

/** Returns the keys of the channels in use that have a tvg-id, by the longest key that each could have. */
function keptOf(inUse: readonly Channel[]): Map<string, string> {
  const kept = new Map<string, string>()
  for (const channel of inUse) {
    if (!channel.key.startsWith(ID)) continue
    const [byId] = channel.key.split('\n', 1)
    const byAll = `${byId}\n${namedBy(channel)}`
    // Channels that are alike in all of these have their keys in turn: the first one keeps the first.
    if (!kept.has(byAll)) kept.set(byAll, channel.key)
  }
  return kept
}

class Given {
  readonly #keys = new Set<string>()
  readonly #times = new Map<string, number>()

  /** Returns the first of some keys that no other channel has, or else the last with a number behind it. */
  firstFree(keys: readonly string[]): string {
    const free = keys.find((key) => !this.#keys.has(key)) ?? this.#numbered(keys.at(-1) ?? '')
    this.#keys.add(free)
    return free
  }

  #numbered(key: string): string {
    let times = this.#times.get(key) ?? 1
    do times += 1
    while (this.#keys.has(`${key}\n${times}`))
    this.#times.set(key, times)
    return `${key}\n${times}`
  }
}

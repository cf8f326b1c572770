import { change } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { Admission } from '../admission.ts'
import type { BoxTurns } from '../box-turns.ts'
import type { Channels } from '../channels/channels.ts'
import type { BoxClient } from '../client.ts'
import { answerOfEvent, confirm, takeEvent, waits } from '../events.ts'
import type { Presence } from '../memory/presence.ts'
import type { Roster } from '../memory/roster.ts'
import { Away, Unauthorized } from '../refusals.ts'
import type { Answer } from '../wire/answers.ts'
import { checked, Prepared } from '../wire/prepared.ts'
import { obeysCuts, stoppedByItself } from '../wire/request.ts'
import type { BoxCall, BoxHandlers } from '../wire/routes.ts'

type PollDependencies = {
  sql: Sql
  clock: () => Date
  roster: Roster
  presence: Presence
  channels: Channels
  admission: Admission
  turns: BoxTurns
}

/**
 * Opens the calls by which a box that is in asks what it has to be told, and says that it has shown it, and
 * `answerAtOnce`, which answers a poll by memory alone, as nearly all are.
 */
export function openPollCalls({
  sql,
  clock,
  roster,
  presence,
  channels,
  admission: { nonceOf, letInOrCut, letInAtOnce },
  turns,
}: PollDependencies) {
  const calls = {
    'watchdog/get_events': getEvents,
    'watchdog/confirm_event': async (request) => {
      const { client } = await letInOrCut(request)
      if (roster.isAway) throw new Away()
      await turns.run(client.id, () =>
        change(sql, () => confirm(sql, client.id, request.field('event_active_id'), clock())),
      )
      return { data: 'ok' }
    },
  } satisfies Partial<BoxHandlers>
  return { calls, answerAtOnce }

  /** Answers a poll by what the box has to be told next. While the database is away, that waits. */
  async function getEvents(request: BoxCall): Promise<Answer<'watchdog/get_events'> | Prepared> {
    const quiet = answerAtOnce(request)
    if (quiet) return quiet
    const { client, refusal } = await letInOrCut(request)
    const now = clock()
    if (refusal === null) noteStop(client, request)
    const hasStopped = stoppedByItself(request)
    if (!waits(client, { hasStopped, isCut: refusal !== null }, now))
      return refusal === null ? newsFor(client, now) : QUIET
    const obeys = obeysCuts(request)
    const poll = { sql, nonce: nonceOf(request), place: request.place, obeys, hasStopped, now }
    try {
      if (roster.isAway) throw new Away()
      const { event } = await roster.change(async () => {
        const taken = await turns.run(client.id, () =>
          takeEvent({ ...poll, unserved: roster.unserved }, client.id),
        )
        if (!taken) throw new Unauthorized()
        return taken
      })
      return event === null ? QUIET : answerOfEvent(event, now)
    } catch (error) {
      if (!(error instanceof Away)) throw error
      // A box that cannot be told to stop is refused.
      if (refusal !== null && (hasStopped ?? client.device?.cut) === false) throw new Unauthorized()
      return QUIET
    }
  }

  /** Returns null where there may be something to tell or to look up. */
  function answerAtOnce(request: BoxCall): Prepared | null {
    const now = clock()
    const client = letInAtOnce(request, now)
    if (client === null || !channels.hasNoNewsFor(client)) return null
    if (waits(client, { hasStopped: stoppedByItself(request), isCut: false }, now)) return null
    noteStop(client, request)
    return QUIET
  }

  function noteStop(client: BoxClient, { field, place }: BoxCall): void {
    if (field('cur_play_type') === '0') presence.plays(client, place, '', clock())
  }

  /** Tells a box once that its channels are others. A million of them are told so without a query. */
  async function newsFor(client: BoxClient, now: Date): Promise<Answer<'watchdog/get_events'> | Prepared> {
    if (roster.isAway) return QUIET
    // Where the channels cannot be read, a poll is answered all the same.
    if (!(await channels.hasNewsFor(client).catch(() => false))) return QUIET
    channels.noteTold(client)
    return answerOfEvent({ id: '', event: 'update_channels', message: '' }, now)
  }
}

/** The answer to nearly every poll. */
const QUIET = new Prepared(checked('watchdog/get_events', { data: { msgs: 0, additional_services_on: '1' } }))

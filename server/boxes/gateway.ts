import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Networks } from '../access/network.ts'
import type { Seal } from '../access/seal.ts'
import type { Sql } from '../postgres/pool.ts'
import { openAdmission } from './admission.ts'
import { openBoxTurns } from './box-turns.ts'
import { accountCalls } from './calls/account-calls.ts'
import { channelCalls } from './calls/channel-calls.ts'
import { openLoginCalls } from './calls/login-calls.ts'
import { openPollCalls } from './calls/poll-calls.ts'
import { signInCalls } from './calls/sign-in-calls.ts'
import { openChannels } from './channels/channels.ts'
import { openPresence } from './memory/presence.ts'
import { Roster } from './memory/roster.ts'
import { openLateFacts } from './sign-in/late-facts.ts'
import type { MayShareTrial } from './sign-in/login-sign-in.ts'
import { openUnknownBoxes } from './sign-in/unknown-boxes.ts'
import { type StreamRules, serveStreamCheck } from './streams/stream-check.ts'
import { openUsedTokens } from './streams/used-tokens.ts'
import { type BoxHandlers, type PollAnswer, pollReader, serveBoxCalls } from './wire/routes.ts'

type GatewayDependencies = {
  sql: Sql
  seal: Seal
  networks: Networks
  log: FastifyBaseLogger
  clock: () => Date
  /** The zone in which a box is told the last day of its service. */
  zone: string
  mayShareTrial: MayShareTrial
  streams: StreamRules
}

export type Gateway = {
  /** Registers the calls of the boxes. `alone` where nothing else is served there, so that `/` is theirs too. */
  serve(app: FastifyInstance, options: { alone: boolean }): Promise<void>
  /** Returns the answer to a poll that memory alone can answer; null for any other request. */
  answerAtOnce(request: IncomingMessage, ip: string): PollAnswer | null
  /** Whether boxes can be answered, from the database or from memory. */
  canAnswer(): Promise<boolean>
  /** Stores what boxes said since the last time: their polls, those that are unknown, and what was late. */
  write(): Promise<void>
  /** Stores them for the last time. */
  stop(): Promise<void>
}

/** How often the polls are stored, in milliseconds. */
const WRITE_EVERY_MS = 10_000

/**
 * Opens the gateway, by which boxes ask whether they may play. Polls are answered from memory; a sign-in is a
 * transaction.
 */
export function openGateway({
  sql,
  seal,
  networks,
  log,
  clock,
  zone,
  mayShareTrial,
  streams,
}: GatewayDependencies): Gateway {
  const roster = new Roster(sql, log, clock)
  const presence = openPresence(sql, log, clock)
  const unknown = openUnknownBoxes(sql, log, clock)
  const channels = openChannels(sql, seal, log, clock)
  const isAway = () => roster.isAway
  const usedTokens = openUsedTokens(sql, log, isAway, clock)
  const lateFacts = openLateFacts(sql, log)
  const turns = openBoxTurns()
  const base = { sql, seal, clock, roster, presence, turns }
  const admission = openAdmission(base)
  const logins = openLoginCalls({ ...base, mayShareTrial, unknown, admission })
  const polls = openPollCalls({ ...base, channels, admission })
  let present: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  const writing = setInterval(() => void write(), WRITE_EVERY_MS)
  writing.unref()

  const handlers: BoxHandlers = {
    ...signInCalls({ ...base, channels, admission, lateFacts, logins }),
    'stb/do_auth': logins.doAuth,
    ...polls.calls,
    ...channelCalls({ ...base, channels, letIn: admission.letIn }),
    ...accountCalls({ letIn: admission.letIn, clock, zone }),
  }

  return {
    async serve(app, { alone }) {
      await serveBoxCalls(app, { handlers, networks, alone })
      serveStreamCheck(app, { ...streams, roster, channels, usedTokens, seal, clock })
    },
    answerAtOnce: pollReader({ networks, log, answerAtOnce: polls.answerAtOnce }),
    canAnswer: () =>
      roster.catchUp().then(
        () => true,
        () => false,
      ),
    write,
    async stop() {
      clearInterval(writing)
      await write()
      await usedTokens.stop()
    },
  }

  /** One runs at a time. All who ask meanwhile share the next one, which has what was said until then. */
  function write(): Promise<void> {
    const begin = () => {
      next = null
      present = writeAll()
      return present
    }
    next ??= present.then(begin, begin)
    return next
  }

  async function writeAll(): Promise<void> {
    await presence.write()
    await unknown.write()
    await lateFacts.write()
  }
}

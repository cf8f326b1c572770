import { type Call, pathParameters } from '../../contract/call.ts'
import type { InputOf, OutputOf } from '../../contract/calls.ts'
import type { RefusalBody, RefusalCode } from '../../contract/refusals.ts'
import { setClock, setClockRoughly } from '../clock.ts'
import { dropAhead, takeAhead } from './askedAhead.ts'
import { connection } from './connection.ts'

/** The error of a call that the server refused, failed to carry out, or did not answer. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** 'offline' means that no answer was received: the server may or may not have carried out the call. */
  readonly code: RefusalCode | 'offline'
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** One message for each field that the server refused. */
  readonly errors: Readonly<Record<string, string>> | undefined
  /** Of the names that the call was given, those that are there no more. */
  readonly missing: readonly string[] | undefined
  /** Seconds to wait before another try. */
  readonly retryAfter: number | undefined
  /** True where nothing came for as long as a call waits: another try would take as long again. */
  readonly timedOut: boolean
  /** True where it is certain that nothing was changed. As the server tells it, only of the try that it refused. */
  readonly unchanged: boolean
  /** A longer captcha challenge, whose solution lets the login continue. */
  readonly challenge: unknown

  constructor(message: string, about: Pick<ApiError, 'code' | 'status'> & Partial<ApiError>) {
    super(message)
    this.code = about.code
    this.status = about.status
    this.errors = about.errors
    this.missing = about.missing
    this.retryAfter = about.retryAfter
    this.timedOut = about.timedOut ?? false
    this.unchanged = about.unchanged ?? BEFORE_THE_KEY.has(about.code)
    this.challenge = about.challenge
  }
}

/** Returns whether another try may soon succeed: the connection was lost, or the server or database is starting. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof ApiError && !error.timedOut && (error.code === 'offline' || error.code === 'unavailable')
  )
}

/** The refusals that come before the server has looked whether it knows the Idempotency-Key. */
const BEFORE_THE_KEY: ReadonlySet<ApiError['code']> = new Set<ApiError['code']>([
  'no_session',
  'wrong_role',
  'suspended',
  'too_many_tries',
])

/**
 * Returns whether an error leaves open what became of a change: without an answer, after a fault, where something
 * before the server refused it, and where the call was refused before the server could tell that an earlier try of it
 * was carried out.
 */
export function leavesOpen(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) return true
  // No refusal of the server's has this code: it is of a proxy, which knows nothing of an earlier try.
  return error.code === 'internal' || BEFORE_THE_KEY.has(error.code)
}

/** Returns whether the person has to be told that a change may have been made. */
export function mayBeDone(error: unknown): boolean {
  return leavesOpen(error) && !(error instanceof ApiError && error.unchanged)
}

interface SendOptions {
  idempotencyKey?: string
  signal?: AbortSignal | undefined
  /** The token of the session that it is made in; by default of the one in use. */
  token?: string | null
}

/**
 * Makes a call that is answered with JSON. Those that are answered with a file are made by `receive`.
 * @throws ApiError for a refusal, a fault, or when no answer is received
 */
export async function send<C extends Call>(
  call: C,
  input: InputOf<C>,
  options: SendOptions = {},
): Promise<OutputOf<C>> {
  const token = options.token ?? source.token()
  const { url, body } = addressOf(call, input as Record<string, unknown>)
  if (body !== undefined) dropAhead()
  const ahead = await takeAhead(url, token)
  const asked = ahead?.asked ?? Date.now()
  const { response, heard, answer } = await within(
    longestWait(call),
    async (signal) => {
      const request = {
        method: call.method,
        headers: headers(token, body, options.idempotencyKey),
        body: body ?? null,
        cache: 'no-store',
        signal,
      } as const
      const response = ahead?.response ?? (await reach(url, request))
      // What waited for the scripts was heard before.
      const heard = ahead?.heard ?? Date.now()
      return { response, heard, answer: await read(response) }
    },
    options.signal,
  )
  if (isAnswer(answer) && typeof answer.now === 'string') setClock(answer.now, asked, heard)
  else setClockRoughly(response.headers.get('date'), heard)
  if (response.ok && isAsExpected(call, answer)) return answer as OutputOf<C>
  const error = refusalOf(response, answer)
  if (error.code === 'no_session' && token !== null) source.ended(token)
  throw error
}

/** Supplies the token of every call, and is told of a token that the server no longer knows. */
interface TokenSource {
  token(): string | null
  ended(token: string): void
}

let source: TokenSource = { token: () => null, ended: () => {} }

export function setTokenSource(next: TokenSource): void {
  source = next
}

/**
 * Sends a request only to find out whether the server can be reached, and returns whether it can. Each one that gets no
 * answer lets the next wait longer, so that a slow line is found too.
 */
export async function probe(): Promise<boolean> {
  try {
    await within(probeWait, (signal) => reach('/v1/health', { cache: 'no-store', signal }))
    probeWait = WHILE_LOST_MS
    return !connection.lost.get()
  } catch {
    probeWait = Math.min(probeWait + WHILE_LOST_MS, 3 * WHILE_LOST_MS)
    return false
  }
}

/** The longest wait for an answer while the connection is lost, for what changes nothing. */
const WHILE_LOST_MS = 5_000
let probeWait = WHILE_LOST_MS

/** Returns the longest wait for an answer, in milliseconds. The server's own limits are shorter. */
function longestWait({ method, body, slow }: Call): number {
  // So that a page opened meanwhile shows what was kept. What was too late is loaded again once the line is back.
  if (connection.lost.get() && method === 'GET') return WHILE_LOST_MS
  // The server waits ten minutes for a file.
  if (body === 'file') return 660_000
  return slow ? 150_000 : 30_000
}

/** How many requests were answered. */
let answers = 0

/**
 * Makes a request that ends after a time, which counts as a lost connection, or when its caller aborts it. Some
 * browsers have no `AbortSignal.any` for that, such as Safari before 17.4.
 */
async function within<T>(
  wait: number,
  request: (signal: AbortSignal) => Promise<T>,
  caller?: AbortSignal,
): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, wait)
  const before = answers
  caller?.addEventListener('abort', abort)
  if (caller?.aborted) abort()
  try {
    return await request(controller.signal)
  } catch (error) {
    if (!controller.signal.aborted || caller?.aborted) throw error
    // Where another request was answered meanwhile, the server can be reached.
    throw answers === before
      ? connectionLost({ timedOut: true })
      : offline({ status: 0, timedOut: true }, 'Boxtree did not answer in time. Please try again.')
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', abort)
  }
}

export async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, request)
    if (!isOfProxy(response)) answers += 1
    connection.lost.set(isOfProxy(response))
    return response
  } catch (error) {
    throw connectionError(error)
  }
}

/** Returns the error of a request that got no answer. An aborted request keeps its AbortError. */
function connectionError(error: unknown): unknown {
  return isAbort(error) ? error : connectionLost()
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

function connectionLost(about?: { timedOut: boolean }): ApiError {
  connection.lost.set(true)
  return offline({ status: 0, ...about })
}

/** A reverse proxy answers so while the console is down. A 503 can also be the server's own, which is always JSON. */
function isOfProxy({ status, headers }: Response): boolean {
  const isJson = headers.get('content-type')?.includes('application/json') === true
  return status === 502 || status === 504 || (status === 503 && !isJson)
}

export function offline(
  about: Pick<ApiError, 'status'> & Partial<ApiError>,
  message = 'The connection to Boxtree is lost. Please try again.',
): ApiError {
  return new ApiError(message, { ...about, code: 'offline' })
}

/** Returns where a call is sent, and the body of one that changes something. */
export function addressOf(call: Call, input: Record<string, unknown>): { url: string; body?: string } {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  let path = call.path
  for (const name of pathParameters(call.path)) {
    path = path.replace(`{${name}}`, encodeURIComponent(String(rest.get(name))))
    rest.delete(name)
  }
  if (call.method !== 'GET') return { url: `/v1${path}`, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)])).toString()
  return { url: `/v1${path}${query && `?${query}`}` }
}

function headers(token: string | null, body: string | undefined, key: string | undefined): HeadersInit {
  return {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== null && { 'access-token': token, authorization: `Bearer ${token}` }),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
}

export async function read(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw connectionError(error)
  }
}

type Answer = Record<string, unknown>

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === 'object' && answer !== null
}

function isAsExpected(call: Call, answer: unknown): boolean {
  if (!isAnswer(answer)) return false
  return call.method === 'GET' || answer.status === 'OK'
}

export function refusalOf(response: Response, answer: unknown): ApiError {
  const { status } = response
  if (isOfProxy(response)) return offline({ status })
  const body: Partial<RefusalBody> = isAnswer(answer) ? answer : {}
  const retryAfter = Number(response.headers.get('retry-after'))
  const { code, message } = { ...(status === 413 ? TOO_LARGE : UNKNOWN), ...body }
  const id = body.request_id ?? response.headers.get('x-request-id')
  return new ApiError(code === 'internal' && id ? withId(message, id) : message, {
    code,
    status,
    ...(body.errors && { errors: body.errors }),
    ...(body.missing && { missing: body.missing }),
    ...(retryAfter > 0 && { retryAfter }),
    ...(body.unchanged && { unchanged: true }),
    ...(body.challenge !== undefined && { challenge: body.challenge }),
  })
}

const UNKNOWN = { code: 'internal', message: 'An unknown error occurred' } as const

/** A refusal of a proxy, which refuses everything of this size each time. */
const TOO_LARGE = {
  code: 'too_large',
  message: 'This is too large for a proxy between you and Boxtree. Tell whoever runs Boxtree.',
} as const

/** Adds to the message of an error that only the log explains the id under which the log has it. */
function withId(message: string, id: string): string {
  return `${message.replace(/\.?$/, '.')} Tell whoever runs Boxtree this code: ${id}`
}

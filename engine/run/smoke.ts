// The smoke call: before any verdict counts, one valid request with each key.

import { isUnread, readBody } from '../../history/body.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  controlId,
  get,
  header,
  noAnswerWords,
  readBasePath,
  statusCode,
  unauthorized,
} from '../../history/exchange.ts'
import { EndOfRun, NoResponseError, Untested, Violation } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import { refusalOf } from '../../history/rate-headers.ts'
import { text } from '../../history/text.ts'
import { describeResponse, wrongBody } from '../../model/clause.ts'
import { isValidList } from '../check/control-request.ts'
import type { ClientResult } from '../http/client.ts'
import { keyNotes } from '../http/redact.ts'
import { type Judged, recordResult } from './results.ts'
import type { LabelledKey } from './run-options.ts'
import { ask, KeyWithdrawn } from './send.ts'
import type { Session } from './session.ts'

export const smokeId = 'smoke-list-200'

/** How often a 429 is waited out. */
const maxWaits = 3

/** A key that is not valid and one that is banned look alike. */
const isKeyRefused = (exchange: AnsweredExchange) => refusalOf(exchange) === 'ban'

const refusalIn = ({ trace }: Session): AnsweredExchange | undefined =>
  trace.find((one) => one.check === smokeId && isKeyRefused(one))

/** A connection may be lost at any moment: what got no response is sent again, on a new one. */
const isLost = (error: unknown): boolean =>
  error instanceof NoResponseError && ['reset', 'timeout'].includes(`${error.exchange.noResponse}`)

const callPatiently = async (session: Session, call: ApiRequest): Promise<AnsweredExchange> => {
  let request = call
  for (let waits = 0; ; ) {
    try {
      return await ask(session, smokeId, request)
    } catch (error) {
      const isBlocked = error instanceof Untested && error.because === 'blocked'
      if (isBlocked && waits < maxWaits) waits += 1
      else if (isLost(error) && !request.fresh) request = { ...call, fresh: true }
      else throw error
    }
  }
}

/**
 * The response to a key; undefined if the key is refused by the list and by the fetch; why it has
 * to rest, if a run before this one, or another client, left it with a long wait.
 */
const tryKey = async (
  session: Session,
  key: string,
): Promise<AnsweredExchange | Untested | undefined> => {
  try {
    const list = await callPatiently(session, { ...get('/pets'), key })
    if (!isKeyRefused(list)) return list
    const fetched = await callPatiently(session, { ...get('/pets/1'), key })
    return isKeyRefused(fetched) ? undefined : list
  } catch (error) {
    // It was served before this run was resumed.
    if (error instanceof KeyWithdrawn) return undefined
    const isUnsent = error instanceof Untested && error.evidence.length === 0
    if (isUnsent && error.because === 'blocked') return error
    throw error
  }
}

/** Below a path of the interface a request looks for a pet of that name, which may draw any 4xx. */
const tooDeep = /\/pets(?:\/[^/]*)?$/

/** With the version of the interface, in place of another one; without a path of the interface. */
const withV1 = (baseUrl: URL): string =>
  `${baseUrl.origin}${readBasePath(baseUrl)
    .replace(tooDeep, '')
    .replace(/\/v\d+$/, '')}/v1`

/** The base URL that the target itself answers with: the same path elsewhere, or one with `/v1`. */
const addressToTry = (exchange: AnsweredExchange, baseUrl: URL): string | undefined => {
  const status = statusCode(exchange)
  const path = readBasePath(baseUrl)
  if (status === 404 && !path.endsWith('/v1')) return withV1(baseUrl)
  if (status >= 400 && status < 500 && tooDeep.test(path)) return withV1(baseUrl)
  const location = header(exchange, 'location') ?? ''
  if (status < 300 || status >= 400 || !URL.canParse(location, exchange.request.url)) return
  const there = new URL(location, exchange.request.url)
  const isSamePath = readBasePath(there) === `${path}/pets`
  return isSamePath && there.origin !== baseUrl.origin ? `${there.origin}${path}` : undefined
}

/** A base URL at which there is no API says nothing about the target. */
const wrongAddress = (exchange: AnsweredExchange, baseUrl: URL): string | undefined => {
  const other = addressToTry(exchange, baseUrl)
  if (other === undefined) return undefined
  const status = statusCode(exchange)
  const what = status < 400 ? `redirects to ${other}` : `answers ${status}, and does not end in /v1`
  return `${baseUrl.href.replace(/\/$/, '')} ${what}: did you mean ${other}?`
}

/** Whether a gateway may have answered: an API has an Error for each 4xx. */
const isPage = (exchange: AnsweredExchange): boolean => {
  const status = statusCode(exchange)
  const isOther = status < 400 || status > 499 || status === 401 || status === 404
  if (isOther || isUnread(exchange)) return false
  const body = readBody(exchange)
  return 'fault' in body && body.usable === undefined
}

/** Where a request gets the same page with a key and without, it did not reach the API. */
const pageInstead = async (
  session: Session,
  exchange: AnsweredExchange,
): Promise<string | undefined> => {
  if (!isPage(exchange)) return undefined
  const bare = await callPatiently(session, unauthorized(get('/pets'))).catch((error) => {
    // Without a response, or within a limit, nothing is known.
    if (error instanceof NoResponseError) return undefined
    if (error instanceof Untested && error.because === 'blocked') return undefined
    throw error
  })
  if (!bare || statusCode(bare) !== statusCode(exchange) || !isPage(bare)) return undefined
  const { protocol, host, origin } = session.baseUrl
  const secure = protocol === 'http:' ? `https://${host}${readBasePath(session.baseUrl)}, or ` : ''
  const what = `${origin} answers ${wrongBody(exchange).actual}, with a key and without`
  return `${what}: it is not the API; try ${secure}a client certificate (--cert, --cert-key)`
}

/** @throws EndOfRun where the smoke call shows that something else is at the base URL */
const expectApi = async (session: Session, first = refusalIn(session)): Promise<void> => {
  const wrong =
    first && (wrongAddress(first, session.baseUrl) ?? (await pageInstead(session, first)))
  if (wrong !== undefined) throw new EndOfRun(wrong)
}

const hintOf = (exchange: AnsweredExchange): string | undefined => {
  const status = statusCode(exchange)
  if (status >= 300 && status < 400) {
    const target = header(exchange, 'location') ?? 'nowhere'
    return `it redirects to ${target}; redirects are never followed: give the final base URL`
  }
  if (status === 404) return 'is the base URL right?'
  return undefined
}

/** Why the run is not possible, for a reader who knows what a smoke call is not. */
const explained = (error: unknown, { options, governor }: Session): unknown => {
  if (error instanceof NoResponseError) {
    const what = error.exchange.noResponse === 'proxy' ? 'was not reached' : 'gave no answer'
    const { origin } = new URL(options.baseUrl)
    return new EndOfRun(`${origin} ${what}: ${error.message}`)
  }
  const isSpent = options.noWait && error instanceof Untested && error.because === 'budget'
  if (!isSpent) return error
  const waitMs = Math.ceil(governor.waitMs() / 1_000) * 1_000
  return new Untested('budget', `no call is left in this minute: try again in ${duration(waitMs)}`)
}

const absentStatuses = [502, 503, 504]

/** Why the target is not up yet, as far as a request without a key shows; null: it may be. */
const absence = ({ noResponse, response }: ClientResult): string | null => {
  if (response)
    return absentStatuses.includes(response.status) ? `it responds ${response.status}` : null
  // A container's published port may accept connections, and close them, before its server is up.
  if (noResponse !== 'refused' && noResponse !== 'reset') return null
  return noAnswerWords[noResponse]
}

const retryMs = 1_000

/** Waits for a target that starts, as long as the run may; what it got there is not judged. */
const waitForTarget = async ({ baseUrl, client, options, pace, sink }: Session): Promise<void> => {
  const { waitForTargetMs = 0, headers } = options
  const untilMs = pace.now() + waitForTargetMs
  const path = `${readBasePath(baseUrl)}/pets`
  for (let leftMs = waitForTargetMs; leftMs > 0; leftMs = untilMs - pace.now()) {
    const request = { method: 'GET', path, headers, body: null, connection: 'fresh' } as const
    const why = absence(await client.send(request))
    if (why === null) return
    sink.event({ kind: 'waiting', ms: leftMs, why: `for the target: ${why}`, isLogged: true })
    await pace.sleep(Math.min(retryMs, leftMs))
  }
}

const withoutKey = (session: Session, keys: readonly LabelledKey[]): Error => {
  const which = keys.length === 1 ? 'the key was' : 'all keys were'
  const refusal = refusalIn(session)
  const why = refusal ? `${which} refused with ${describeResponse(refusal)}` : `${which} revoked`
  return new EndOfRun(why)
}

/** What the clocks of two machines, or of one at two times, may be apart. */
export const graceMs = 2_000

/** By how much a test clock counts as ahead. */
export const leadOf = (ms: number): number => (Math.abs(ms) > graceMs ? Math.round(ms) : 0)

/** Notes by how much the test clock is ahead; what a run had moved it before is none of that. */
const readLead = async (session: Session): Promise<void> => {
  if (!session.clock) return
  const leadMs = (await session.clock.now()) - session.runMs() - session.pace.movedMs()
  session.clockAheadMs ??= leadOf(leadMs)
}

/**
 * Finds out whether the run is possible at all, and with which keys.
 * @throws EndOfRun, Untested where it is not; Violation where something else is at the base URL
 */
export const smoke = async (session: Session, keys = session.keys): Promise<AnsweredExchange> => {
  try {
    await waitForTarget(session)
    await readLead(session)
    let first: AnsweredExchange | undefined
    const notes = keyNotes(keys)
    let resting: Untested | undefined
    for (const { label } of keys) {
      const found = await tryKey(session, label)
      const list = found instanceof Untested ? undefined : found
      session.governor.setSelectable(label, list !== undefined)
      if (found instanceof Untested) {
        resting ??= found
        notes.push(`key ${label} is not used: ${found.message}`)
      } else if (!found) notes.push(`key ${label} was refused and is not used`)
      first ??= list
    }
    await expectApi(session, first)
    if (!first) throw resting ?? withoutKey(session, keys)
    const hint = hintOf(first)
    if (hint === undefined) {
      for (const text of notes) session.note(text)
      return first
    }
    const actual = `${describeResponse(first)} (${hint})`
    const brief = text(`${statusCode(first)}`)
    throw new Violation('200 with a list', actual, [first], { aspect: 'behaviour', brief })
  } catch (error) {
    throw explained(error, session)
  }
}

const smokeQuestion: Judged = { id: smokeId, requirement: 'list.success' }

/** Records the result of the smoke call. @returns whether the run is possible. @throws EndOfRun */
export const recordSmoke = async (
  session: Session,
  found: Promise<AnsweredExchange>,
): Promise<boolean> => {
  try {
    const first = await found
    // Any other wrong response is judged by the suites.
    if (isValidList(first)) recordResult(session, smokeQuestion, { kind: 'pass' })
    return true
  } catch (error) {
    const isBlocked = error instanceof Untested && error.because !== 'interrupted'
    if (!isBlocked && !(error instanceof Violation)) throw error
    if (isBlocked) session.cut = error
    recordResult(session, smokeQuestion, { kind: 'threw', error })
    return false
  }
}

/**
 * A run of few checks may see a single status, like a run against a target that gives every request
 * the same one: a list without a key shows the difference.
 */
export const probeSecondStatus = async (session: Session): Promise<void> => {
  if (new Set(session.trace.map(statusCode)).size !== 1) return
  try {
    await ask(session, controlId, unauthorized(get('/pets')))
  } catch (error) {
    // Without a response the run stays undecided, as it would without this request.
    if (!(error instanceof Untested) && !(error instanceof NoResponseError)) throw error
  }
}

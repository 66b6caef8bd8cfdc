// The clock of the reference, which windows, bans, dates and the removal of an operation use. A
// test clock can be moved at an address of its own, outside the API and without a key.
import { isObject, parseJson } from './json.ts'
import { type ApiRequest, type ApiResponse, type Handle, splitTarget } from './message.ts'

export interface Clock {
  /** Unix time in whole milliseconds. */
  now: () => number
}

export interface TestClock extends Clock {
  /** Moves the clock forward. */
  advance: (ms: number) => void
}

export const realClock: Clock = { now: () => Date.now() }

/** The last moment that a four-digit year can name. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * A clock that a test run may move forward. Between moves it runs at real speed, by a timer that
 * never steps back (`elapsedMs`), because a window that reopened would grant its calls twice.
 */
export const testClock = (startMs: number, elapsedMs: () => number): TestClock => {
  const startedAt = elapsedMs()
  let movedMs = 0
  return {
    now: () => Math.min(startMs + movedMs + Math.floor(elapsedMs() - startedAt), latestMs),
    advance: (ms) => {
      movedMs += ms
    },
  }
}

export const clockPath = '/clock'

/** Room for either move, and for some white space. */
const maxBodyBytes = 1_024

export const handleClock =
  (clock: TestClock): Handle =>
  (request) => {
    const response = respond(request, clock)
    const date = new Date(clock.now()).toUTCString()
    return { ...response, headers: { ...response.headers, Date: date } }
  }

const respond = (request: ApiRequest, clock: TestClock): ApiResponse => {
  if (splitTarget(request.target).path !== clockPath) {
    return json(404, { message: `The clock is at ${clockPath}.` })
  }
  if (request.method === 'GET') return showTime(clock)
  if (request.method === 'POST') return move(clock, request.body)
  const response = json(405, { message: 'The clock is read with GET and moved with POST.' })
  return { ...response, headers: { ...response.headers, Allow: 'GET, POST' } }
}

const showTime = (clock: TestClock): ApiResponse =>
  json(200, { now: new Date(clock.now()).toISOString() })

const move = (clock: TestClock, body: ApiRequest['body']): ApiResponse => {
  // Read once: between two readings the clock runs, and a small move would be a move backward.
  const nowMs = clock.now()
  const toMs = body === 'too-large' ? undefined : readMove(body, nowMs)
  if (toMs === undefined) {
    return json(400, { message: 'Send {"advanceMs": milliseconds} or {"set": an ISO time}.' })
  }
  if (toMs < nowMs) return json(409, { message: 'The clock only moves forward.' })
  clock.advance(toMs - nowMs)
  return showTime(clock)
}

/** The time to move to; undefined for anything that is not exactly one of the two moves. */
const readMove = (body: Buffer, nowMs: number): number | undefined => {
  if (body.length > maxBodyBytes) return undefined
  const members = parseJson(body.toString('utf8'))?.value
  const [only, ...others] = isObject(members) ? Object.entries(members) : []
  if (only === undefined || others.length > 0) return undefined
  const [name, given] = only
  const value = typeof given === 'bigint' ? Number(given) : given
  if (name === 'advanceMs' && Number.isSafeInteger(value)) return within(nowMs + Number(value))
  return name === 'set' && typeof value === 'string' ? within(readTime(value)) : undefined
}

const within = (timeMs: number): number | undefined => (timeMs <= latestMs ? timeMs : undefined)

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** NaN, which is within nothing, for a day or an hour that does not exist. */
const readTime = (text: string): number => (isoTime.test(text) ? Date.parse(text) : Number.NaN)

const json = (status: number, body: object): ApiResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

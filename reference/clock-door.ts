// The address at which a run may move the test clock; it is no part of the API, and needs no key.
import { latestMs, type TestClock } from './clock.ts'
import type { ApiRequest, ApiResponse, Handle } from './message.ts'
import { splitTarget } from './message.ts'

export const clockPath = '/clock'

/** Room for either move, and for some white space. */
const longestBodyBytes = 1_024

export const clockDoor =
  (clock: TestClock): Handle =>
  (request) => {
    const answered = answerOf(request, clock)
    const date = new Date(clock.now()).toUTCString()
    return { ...answered, headers: { ...answered.headers, Date: date } }
  }

const answerOf = (request: ApiRequest, clock: TestClock): ApiResponse => {
  if (splitTarget(request.target).path !== clockPath) {
    return answer(404, { message: `The clock is at ${clockPath}.` })
  }
  if (request.method === 'GET') return tell(clock)
  if (request.method === 'POST') return move(clock, request.body)
  const refused = answer(405, { message: 'The clock is read with GET and moved with POST.' })
  return { ...refused, headers: { ...refused.headers, Allow: 'GET, POST' } }
}

const tell = (clock: TestClock): ApiResponse =>
  answer(200, { now: new Date(clock.now()).toISOString() })

const move = (clock: TestClock, body: ApiRequest['body']): ApiResponse => {
  const toMs = body === 'too-large' ? undefined : readMove(body, clock.now())
  if (toMs === undefined) {
    return answer(400, { message: 'Send {"advanceMs": milliseconds} or {"set": an ISO time}.' })
  }
  if (!clock.set(toMs)) return answer(409, { message: 'The clock only moves forward.' })
  return tell(clock)
}

/** The time to move to; undefined for anything that is not exactly one of the two moves. */
const readMove = (body: Buffer, nowMs: number): number | undefined => {
  if (body.length > longestBodyBytes) return undefined
  const members = parseObject(body.toString('utf8'))
  const [only, ...others] = Object.entries(members ?? {})
  if (only === undefined || others.length > 0) return undefined
  const [name, value] = only
  if (name === 'advanceMs' && Number.isSafeInteger(value)) return within(nowMs + Number(value))
  return name === 'set' && typeof value === 'string' ? within(readTime(value)) : undefined
}

const within = (timeMs: number): number | undefined => (timeMs <= latestMs ? timeMs : undefined)

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** NaN, which is within nothing, for a day or an hour that does not exist. */
const readTime = (text: string): number => (isoTime.test(text) ? Date.parse(text) : Number.NaN)

const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const answer = (status: number, body: object): ApiResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

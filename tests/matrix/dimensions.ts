// The dimensions in which an implementation goes wrong, and where an exchange lies in each of them.

import { bodyText } from '../../engine/check/body.ts'
import { type AnsweredExchange, header, statusCode } from '../../engine/check/exchange.ts'
import { petsIn } from '../../engine/check/known-pets.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'

/** What of the place of an exchange does not follow from the exchange itself. */
interface Surroundings {
  /** The one that ended last before it; undefined on a new connection, or in parallel. */
  readonly before: AnsweredExchange | undefined
  readonly meanwhile: readonly AnsweredExchange[]
  /** The last one of the same key. */
  readonly beforeOfKey: AnsweredExchange | undefined
  readonly repeated: boolean
}

type Test = (exchange: AnsweredExchange, around: Surroundings) => boolean

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const largeBytes = 100_000

const hasStatus =
  (...statuses: number[]) =>
  (exchange: AnsweredExchange | undefined): boolean =>
    exchange !== undefined && statuses.includes(statusCode(exchange))

const isOperation = (name: string) => (exchange: AnsweredExchange) =>
  recognizeOperation(exchange) === name

/** Keys are named by plan and position: `free-2`. */
const positionOf = ({ key }: AnsweredExchange): number =>
  Number((key ?? '').replace(/^.*-/, '') || 0)

const moved =
  (fromMs: number, toMs: number): Test =>
  ({ movedMs }) =>
    movedMs >= fromMs && movedMs < toMs

const sent = ({ apiRequest }: AnsweredExchange): string =>
  typeof apiRequest.body === 'string' ? `${apiRequest.path} ${apiRequest.body}` : apiRequest.path

const sends = (pattern: RegExp) => (exchange: AnsweredExchange) => pattern.test(sent(exchange))

/** The largest number that the request carries lies from 2^from, below 2^to. */
const sendsNumber =
  (from: bigint, to: bigint): Test =>
  (exchange) => {
    const numbers = sent(exchange).match(/(?<![\d.\w])\d{1,40}(?![\d.\w])/g) ?? []
    const most = numbers.reduce((most, each) => (BigInt(each) > most ? BigInt(each) : most), 0n)
    return most >= 2n ** from && most < 2n ** to
  }

const lists =
  (from: number, to: number): Test =>
  (exchange) => {
    const { length } = petsIn(exchange)
    return (
      isOperation('list')(exchange) && hasStatus(200)(exchange) && length >= from && length <= to
    )
  }

const follows =
  (test: (before: AnsweredExchange, exchange: AnsweredExchange) => boolean): Test =>
  (exchange, { before }) =>
    before !== undefined && test(before, exchange)

const together =
  (test: (exchange: AnsweredExchange, other: AnsweredExchange) => boolean): Test =>
  (exchange, { meanwhile }) =>
    meanwhile.some((other) => test(exchange, other))

const isSameKind = (one: AnsweredExchange, other: AnsweredExchange): boolean =>
  recognizeOperation(one) === recognizeOperation(other) && statusCode(one) === statusCode(other)

const isLarge = ({ apiRequest }: AnsweredExchange): boolean =>
  (apiRequest.body?.length ?? 0) > largeBytes

const isOfDay = (exchange: AnsweredExchange): boolean =>
  Number(header(exchange, 'X-RateLimit-Limit') ?? 0) >= 1_000

/** Each dimension with its values; an exchange may lie at several values of one. */
const dimensions: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  operation: {
    list: isOperation('list'),
    create: isOperation('create'),
    get: isOperation('get'),
    none: (exchange) => recognizeOperation(exchange) === undefined,
  },
  status: {
    '2xx': hasStatus(200, 201),
    400: hasStatus(400),
    401: hasStatus(401),
    404: hasStatus(404),
    405: hasStatus(405),
    429: hasStatus(429),
  },
  key: {
    first: (exchange) => positionOf(exchange) === 1,
    second: (exchange) => positionOf(exchange) > 1,
    'of another plan': ({ key }) => key !== null && !key.startsWith('free'),
    'nearly right': ({ apiRequest }) => Array.isArray(apiRequest.authorization),
    none: ({ apiRequest }) => apiRequest.authorization === null,
  },
  'connection after': {
    '2xx': follows(hasStatus(200, 201)),
    400: follows(hasStatus(400)),
    401: follows(hasStatus(401)),
    404: follows(hasStatus(404)),
    429: follows(hasStatus(429)),
    'another key': follows(
      (before, { key }) => before.key !== null && key !== null && before.key !== key,
    ),
    'a large body': follows(isLarge),
  },
  concurrency: {
    alone: (_exchange, { meanwhile }) => meanwhile.length === 0,
    'its own kind': together(isSameKind),
    'another kind': together((one, other) => !isSameKind(one, other)),
    'another key': together((one, other) => one.key !== other.key),
  },
  'time passed': {
    none: moved(0, 1),
    minutes: moved(1, hourMs),
    hours: moved(hourMs, dayMs),
    days: moved(dayMs, 30 * dayMs),
    years: moved(30 * dayMs, Number.POSITIVE_INFINITY),
  },
  repetition: {
    first: (_exchange, { repeated }) => !repeated,
    again: (_exchange, { repeated }) => repeated,
    'after a refusal': (_exchange, { beforeOfKey }) => hasStatus(429)(beforeOfKey),
  },
  'list of': {
    0: lists(0, 0),
    1: lists(1, 1),
    '2 to 20': lists(2, 20),
    '21 to 99': lists(21, 99),
    100: lists(100, 100),
  },
  content: {
    ASCII: sends(/"name"\s*:\s*"[\x20-\x7e]+"/),
    'not ASCII': sends(/[^\p{ASCII}]/u),
    'beyond plane 0': sends(/[\u{10000}-\u{10ffff}]/u),
    escapes: sends(/\\/),
    int32: sendsNumber(0n, 31n),
    int53: sendsNumber(31n, 53n),
    int64: sendsNumber(53n, 63n),
    'beyond int64': sendsNumber(63n, 133n),
    'a large body': isLarge,
    'a long response': (exchange) => bodyText(exchange).length > 2_000,
  },
  window: {
    minute: (exchange) => !isOfDay(exchange) && exchange.key !== null,
    day: isOfDay,
  },
}

/** The cells of a row: `operation: list`. */
export const cells: readonly string[] = Object.entries(dimensions).flatMap(([dimension, tests]) =>
  Object.keys(tests).map((value) => `${dimension}: ${value}`),
)

/** What came before each exchange and what was in flight meanwhile. @param trace in any order */
const surroundingsOf = (
  trace: readonly AnsweredExchange[],
): ReadonlyMap<AnsweredExchange, Surroundings> => {
  const bySent = trace.toSorted((a, b) => a.sentMs - b.sentMs)
  const byEnd = trace.toSorted((a, b) => a.receivedMs - b.receivedMs)
  const met = new Set<string>()
  const lastOfKey = new Map<string | null, AnsweredExchange>()
  const found = new Map<AnsweredExchange, Surroundings & { meanwhile: AnsweredExchange[] }>()
  let ended = 0
  let open: AnsweredExchange[] = []
  for (const exchange of bySent) {
    for (let done = byEnd[ended]; done && done.receivedMs <= exchange.sentMs; ended += 1) {
      lastOfKey.set(done.key, done)
      done = byEnd[ended + 1]
    }
    open = open.filter(({ receivedMs }) => receivedMs > exchange.sentMs)
    const { apiRequest, key, response } = exchange
    const request = `${apiRequest.method} ${apiRequest.path} ${key} ${apiRequest.body}`
    const isAlone = open.length === 0 && response.opened === undefined
    found.set(exchange, {
      before: isAlone ? byEnd[ended - 1] : undefined,
      meanwhile: [...open],
      beforeOfKey: lastOfKey.get(key),
      repeated: met.has(request),
    })
    for (const other of open) found.get(other)?.meanwhile.push(exchange)
    met.add(request)
    open.push(exchange)
  }
  return found
}

/** The cells that each exchange lies in. @param trace all exchanges of one run, in any order */
export const cellsOf = (
  trace: readonly AnsweredExchange[],
): ReadonlyMap<AnsweredExchange, readonly string[]> =>
  new Map(
    [...surroundingsOf(trace)].map(([exchange, around]) => [
      exchange,
      Object.entries(dimensions).flatMap(([dimension, tests]) =>
        Object.entries(tests)
          .filter(([, test]) => test(exchange, around))
          .map(([value]) => `${dimension}: ${value}`),
      ),
    ]),
  )

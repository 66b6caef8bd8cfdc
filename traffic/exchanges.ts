// Recorded exchanges as those of a run: with their keys and times, in the order of sending.
import { restoredExchange } from '../engine/http/recorder.ts'
import type { Redactor } from '../engine/http/redact.ts'
import { type Exchange, get, type Header } from '../history/exchange.ts'
import { dateMs } from '../history/rate-headers.ts'
import { ofHeaders } from '../model/read-head.ts'
import { findMoves } from './clock.ts'
import { harCheck, type Recorded } from './har.ts'
import { credentialsOf, type Keys } from './keys.ts'

const secretFields = /^(?:cookie|set-cookie|proxy-authorization|x-api-key|api-key|x-auth-token)$/i

/** Secrets of others are in no report. */
const shown = (headers: readonly Header[]): readonly Header[] =>
  headers.map(([name, value]) => [name, secretFields.test(name) ? '(not shown)' : value] as const)

/** Some exporters write each field of a request twice. */
const once = (headers: readonly Header[]): readonly Header[] => [
  ...new Map(headers.map((field) => [field.join(': '), field])).values(),
]

const withoutSecrets = (one: Recorded): Recorded => ({
  ...one,
  request: { ...one.request, headers: shown(once(one.request.headers)) },
  response: one.response && { ...one.response, headers: shown(one.response.headers) },
})

/** These belong to a connection, or ask for codings that an exporter has decoded. */
const ofTransport =
  /^(?:host|content-length|connection|keep-alive|proxy-connection|accept-encoding)$/i

/**
 * It may be refused for credentials that do not fit the grammar, or for fields that are there
 * twice: where it is not known how they were sent, that says nothing.
 */
const mayBeMalformed = (one: Recorded, isHidden = false): boolean => {
  const { status = 0 } = one.response ?? {}
  const { headers } = one.request
  const isDoubled = once(headers).length < headers.length
  const isUnknown = isHidden || credentialsOf(one).some((value) => value.includes('$('))
  return (status === 400 && isUnknown) || (status >= 400 && isDoubled && one.key === undefined)
}

/** In a longer head any field may be the one too many. */
const maxUsualBytes = 3_000

/** Fields that each request with a key has are of its client, and distinguish none of them. */
const findUsual = (all: readonly Recorded[]): ReadonlySet<string> => {
  const fieldsOf = ({ request }: Recorded) => request.headers.map((field) => field.join(': '))
  const [first, ...others] = all.filter((one) => credentialsOf(one).length > 0)
  let usual = first ? fieldsOf(first) : []
  for (const other of others) {
    const own = new Set(fieldsOf(other))
    usual = usual.filter((field) => own.has(field))
  }
  return new Set(usual.join().length < maxUsualBytes ? usual : [])
}

/** Of those what asks for nothing. */
const isUsual = (field: Header, method: string, usual: ReadonlySet<string>): boolean =>
  usual.has(field.join(': ')) &&
  ofHeaders({ ...get('/pets'), method, headers: [field] }).some(({ is }) => is === 'valid')

/** What is known of all exchanges of a recording. */
interface Known {
  readonly base: string
  readonly keys: Keys
  readonly redactor: Redactor
}

/**
 * Where a part of a request was not recorded, nothing of it is judged.
 * @param at its place among all
 */
const exchangeOf = (
  one: Recorded,
  at: number,
  { base, keys, redactor }: Known,
  usual: ReadonlySet<string>,
): Exchange => {
  const { key, isHidden, ofExchange, ofRequest } = keys.of(one, at)
  const isOwn = one.key !== undefined
  const isFurther = (field: Header) =>
    ofTransport.test(field[0]) ||
    (one.framing === 'chunked' && /^transfer-encoding$/i.test(field[0])) ||
    isUsual(field, one.request.method, usual)
  const further = isOwn ? [] : one.request.headers.filter(isFurther)
  const restored = restoredExchange(
    { ...(isOwn ? one : withoutSecrets(one)), key },
    {
      ...{ baseUrl: new URL(base), keys: [], furtherHeaders: further.map(([name]) => name) },
      ...{ redactor, startMs: 0 },
    },
  )
  // Exporters write the names of fields in lower case.
  const { names, ...apiRequest } = restored.apiRequest
  return {
    ...restored,
    ...ofExchange,
    apiRequest: { ...apiRequest, ...(isOwn && names && { names }), ...ofRequest },
    ...((one.isUnread || mayBeMalformed(one, isHidden)) && {
      response: null,
      noResponse: 'unread',
    }),
  }
}

/** With the time at the server: where it is not known, no limit of a span of time is judged. */
const timed = (exchanges: readonly Exchange[]): readonly Exchange[] => {
  // petvet recorded when it moved a clock.
  if (exchanges.some(({ check }) => check !== harCheck)) return exchanges
  const moves = findMoves(exchanges)
  if (!moves) return exchanges.map(({ quota: _, ...one }) => ({ ...one, timeIsUnknown: true }))
  return exchanges.map((one, at) => ({ ...one, movedMs: moves[at] ?? 0 }))
}

/** Date is in whole seconds. */
const apartMs = 2_000

/** Whether all of a file was before all of the next one. */
const isBefore = (
  file: readonly Exchange[],
  next: readonly Exchange[],
  timeOf: (exchange: Exchange) => number | undefined,
): boolean => {
  const timesOf = (all: readonly Exchange[]) =>
    all.flatMap((one) => timeOf(one) ?? []).sort((a, b) => a - b)
  const [lastMs = Infinity, firstMs = -Infinity] = [timesOf(file).at(-1), timesOf(next)[0]]
  return firstMs - lastMs > apartMs
}

/**
 * Files of one after the other, by the Date of the server too, are one piece of traffic. Of others
 * it is not known what was sent before what: each is judged by itself.
 */
const joinedFiles = (files: readonly (readonly Exchange[])[]): readonly (readonly Exchange[])[] => {
  const sorted = files.toSorted(([a], [b]) => (a?.sentMs ?? 0) - (b?.sentMs ?? 0))
  const areApart = sorted.every((next, at) => {
    const file = sorted[at - 1]
    return !file || (isBefore(file, next, (one) => one.sentMs) && isBefore(file, next, dateMs))
  })
  return areApart ? [sorted.flat()] : files
}

/**
 * @param before how many exchanges were before these
 * @returns pieces of traffic, each in the order of sending, numbered through
 */
export const makeExchanges = (
  all: readonly Recorded[],
  known: Known,
  before = 0,
): readonly (readonly Exchange[])[] => {
  let at = before
  const files = [...Map.groupBy(all, ({ file }) => file).values()].map((own) => {
    const usual = findUsual(own)
    const exchanges = own.map((one) => {
      at += 1
      return exchangeOf(one, at, known, usual)
    })
    return exchanges.sort((a, b) => a.sentMs - b.sentMs || a.receivedMs - b.receivedMs)
  })
  let seq = before
  return joinedFiles(files).map((piece) =>
    timed(piece).map((exchange) => {
      seq += 1
      return { ...exchange, seq }
    }),
  )
}

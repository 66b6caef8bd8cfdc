// Recorded exchanges as those of a run: with their keys and times, in the order of sending.
import { restoredExchange } from '../engine/http/recorder.ts'
import type { Redactor } from '../engine/http/redact.ts'
import { DateBounds } from '../history/date-watch.ts'
import { type Exchange, get, type Header, isAtOwnPath, isSuccess } from '../history/exchange.ts'
import { dateMs, is429, writesDate } from '../history/rate-headers.ts'
import { ofHeaders } from '../model/read-head.ts'
import { harCheck, type Recorded } from './har.ts'
import { credentialsOf, type Keys } from './keys.ts'

/** These belong to a connection, or ask for codings that an exporter has decoded. */
const ofTransport =
  /^(?:host|content-length|connection|keep-alive|proxy-connection|accept-encoding)$/i

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

/** Where a part of a request was not recorded, nothing of it is judged. */
const exchangeOf = (
  one: Recorded,
  { base, keys, redactor }: Known,
  usual: ReadonlySet<string>,
): Exchange => {
  const { key, isHidden, ofExchange, ofRequest } = keys.of(one)
  const isOwn = one.key !== undefined
  const isFurther = (field: Header) =>
    ofTransport.test(field[0]) ||
    (one.framing === 'chunked' && /^transfer-encoding$/i.test(field[0])) ||
    isUsual(field, one.request.method, usual)
  const further = isOwn ? [] : one.request.headers.filter(isFurther)
  const restored = restoredExchange(
    { ...one, key },
    {
      ...{ baseUrl: new URL(base), keys: [], furtherHeaders: further.map(([name]) => name) },
      ...{ redactor, startMs: 0 },
    },
  )
  // Exporters write the names of fields in lower case.
  const { names, ...apiRequest } = restored.apiRequest
  // It may be refused for credentials that do not fit the grammar.
  const hidden = one.key === null ? '$' : '$('
  const mayBeMalformed = isHidden || credentialsOf(one).some((value) => value.includes(hidden))
  return {
    ...restored,
    ...ofExchange,
    apiRequest: { ...apiRequest, ...(isOwn && names && { names }), ...ofRequest },
    ...((one.isUnread || (mayBeMalformed && one.response?.status === 400)) && {
      response: null,
      noResponse: 'unread',
    }),
  }
}

/** Whether its Date has to be there and true: else the time at the server is not known. */
const isOfServer = (exchange: Exchange): boolean =>
  exchange.key !== null && isAtOwnPath(exchange) && (isSuccess(exchange) || is429(exchange))

/**
 * With the time at the server: a test clock may have been moved meanwhile, and no HAR file says so
 * but by Date. Where it is not known, no limit of a span of time is judged.
 */
const timed = (exchanges: readonly Exchange[]): readonly Exchange[] => {
  // petvet recorded when it moved a clock.
  if (exchanges.some(({ check }) => check !== harCheck)) return exchanges
  const bounds = new DateBounds()
  let isKnown = !exchanges.some((one) => isOfServer(one) && !writesDate(one))
  let [movedMs, firstMs] = [0, undefined as number | undefined]
  const moved = exchanges.map((exchange) => {
    const fit = bounds.fit(exchange)
    fit?.take()
    firstMs ??= fit?.minMs
    if (fit?.isBehind) isKnown = false
    if (fit?.isAhead) movedMs = Math.round(fit.minMs - (firstMs ?? 0))
    return { ...exchange, movedMs }
  })
  return isKnown
    ? moved
    : exchanges.map(({ quota: _, ...one }) => ({ ...one, timeIsUnknown: true }))
}

/** Date is in whole seconds. */
const apartMs = 2_000

/** Whether all of a file was before all of the next one, by the Date of the server too. */
const isBefore = (file: readonly Exchange[] | undefined, next: readonly Exchange[]): boolean =>
  file === undefined ||
  [(one: Exchange) => one.sentMs, dateMs].every((timeOf) => {
    const [own = [], later = []] = [file, next].map((all) =>
      all.flatMap((one) => timeOf(one) ?? []),
    )
    const gapMs = Math.min(...later) - Math.max(...own)
    return gapMs > apartMs && Number.isFinite(gapMs)
  })

/**
 * Files of one after the other are one piece of traffic. Of others it is not known what was sent
 * before what: each is judged by itself.
 */
const joinedFiles = (files: readonly (readonly Exchange[])[]): readonly (readonly Exchange[])[] => {
  const sorted = files.toSorted(([a], [b]) => (a?.sentMs ?? 0) - (b?.sentMs ?? 0))
  return sorted.every((next, at) => isBefore(sorted[at - 1], next)) ? [sorted.flat()] : files
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
  const files = [...Map.groupBy(all, ({ file }) => file).values()].map((own) => {
    const usual = findUsual(own)
    const exchanges = own.map((one) => exchangeOf(one, known, usual))
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

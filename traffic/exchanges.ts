// Recorded exchanges as those of a run: with their keys and times, in the order of sending.
import { restoredExchange } from '../engine/http/recorder.ts'
import type { Redactor } from '../engine/http/redact.ts'
import type { Exchange, Header } from '../history/exchange.ts'
import { dateMs } from '../history/rate-headers.ts'
import { findMoves } from './clock.ts'
import { harCheck, type Recorded } from './har.ts'
import { credentialsOf, type Keys } from './keys.ts'

const secretFields = /^(?:cookie|set-cookie|proxy-authorization|x-api-key|api-key|x-auth-token)$/i

/** Secrets of others are in no report. */
const shown = (headers: readonly Header[]): readonly Header[] =>
  headers.map(([name, value]) => [name, secretFields.test(name) ? '(not shown)' : value] as const)

const withoutSecrets = (one: Recorded): Recorded => ({
  ...one,
  request: { ...one.request, headers: shown(one.request.headers) },
  response: one.response && { ...one.response, headers: shown(one.response.headers) },
})

/** These belong to a connection, or ask for codings that an exporter has decoded. */
const ofTransport =
  /^(?:host|content-length|connection|keep-alive|proxy-connection|accept-encoding)$/i

/** 400 may be due to credentials that do not fit the grammar: it is not known what they were. */
const mayBeMalformed = (one: Recorded, isHidden = false): boolean =>
  one.response?.status === 400 &&
  (isHidden || credentialsOf(one).some((value) => value.includes('$(')))

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
const exchangeOf = (one: Recorded, { base, keys, redactor }: Known, at: number): Exchange => {
  const { key, quota, isSaid, isHidden, says, carries } = keys.of(one, at)
  const isOwn = one.key !== undefined
  const names = isOwn ? [] : one.request.headers.map(([name]) => name)
  const isFurther = (name: string) =>
    ofTransport.test(name) || (one.framing === 'chunked' && /^transfer-encoding$/i.test(name))
  const restored = restoredExchange(
    { ...(isOwn ? one : withoutSecrets(one)), key },
    {
      ...{ baseUrl: new URL(base), keys: [], furtherHeaders: names.filter(isFurther) },
      ...{ redactor, startMs: 0 },
    },
  )
  return {
    ...restored,
    ...(quota && { quota }),
    ...(isSaid && { quotaIsSaid: true }),
    apiRequest: { ...restored.apiRequest, ...(says && { says }), ...(carries && { carries }) },
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

/** @returns pieces of traffic, each in the order of sending, numbered through */
export const makeExchanges = (
  all: readonly Recorded[],
  known: Known,
): readonly (readonly Exchange[])[] => {
  const numbered = all.map((one, at) => ({ one, exchange: exchangeOf(one, known, at) }))
  const files = [...Map.groupBy(numbered, ({ one }) => one.file).values()].map((own) =>
    own
      .map(({ exchange }) => exchange)
      .sort((a, b) => a.sentMs - b.sentMs || a.receivedMs - b.receivedMs),
  )
  let seq = 0
  return joinedFiles(files).map((piece) =>
    timed(piece).map((exchange) => {
      seq += 1
      return { ...exchange, seq }
    }),
  )
}

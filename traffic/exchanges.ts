// Recorded exchanges as those of a run: with their keys and times, in the order of sending.
import { restoredExchange } from '../engine/http/recorder.ts'
import type { Redactor } from '../engine/http/redact.ts'
import type { Exchange, Header } from '../history/exchange.ts'
import { dateMs } from '../history/rate-headers.ts'
import { pathBelow } from './base.ts'
import { findMoves } from './clock.ts'
import type { Recorded } from './har.ts'
import { credentialsOf, type Keys } from './keys.ts'

const secretFields = /^(?:cookie|set-cookie|proxy-authorization|x-api-key|api-key|x-auth-token)$/i

/** Secrets of others are in no report. */
const shown = (headers: readonly Header[]): readonly Header[] =>
  headers.map(([name, value]) => [name, secretFields.test(name) ? '(not shown)' : value] as const)

const withoutSecrets = (one: Recorded, isLeftOut: boolean): Recorded => {
  const { request, response } = one
  const { method, url } = request
  const headers = request.headers.filter(([name]) => !isLeftOut || name !== 'Authorization')
  const sent = isLeftOut ? { method, url, body: null } : request
  return {
    ...one,
    request: { ...sent, headers: shown(headers) },
    response: response && { ...response, headers: shown(response.headers) },
  }
}

/** These belong to a connection, or ask for codings that an exporter has decoded. */
const ofTransport =
  /^(?:host|content-length|connection|keep-alive|proxy-connection|accept-encoding)$/i

/**
 * 400 may be due to credentials that do not fit the grammar: of those that an exporter left out
 * and of what petvet made of a key and writes as an expression of a shell, that is not known.
 */
const mayBeMalformed = (one: Recorded, isHidden: boolean): boolean =>
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
const exchangeOf = (given: Recorded, { base, keys, redactor }: Known, at: number): Exchange => {
  const { key, scheme, quota, isSaid, carries, unknown } = keys.of(given, at)
  const isOwn = given.key !== undefined
  const one = isOwn ? given : withoutSecrets(given, unknown === 'left out')
  const names = isOwn ? [] : one.request.headers.map(([name]) => name)
  const isFurther = (name: string) =>
    ofTransport.test(name) || (one.framing === 'chunked' && /^transfer-encoding$/i.test(name))
  const restored = restoredExchange(
    { ...one, key },
    {
      ...{ baseUrl: new URL(base), keys: [], furtherHeaders: names.filter(isFurther) },
      ...{ redactor, startMs: 0 },
    },
  )
  const isUnread =
    given.isUnread || unknown === 'left out' || mayBeMalformed(given, unknown === 'hidden')
  const path = pathBelow(base, given.request.url) ?? ''
  return {
    ...restored,
    ...(quota && { quota }),
    ...(isSaid && { quotaIsSaid: true }),
    apiRequest: { ...restored.apiRequest, path, from: 'base', scheme, ...(carries && { carries }) },
    ...(isUnread && { response: null, noResponse: 'unread' }),
  }
}

/** With the time at the server: where it is not known, no limit of a span of time is judged. */
const timed = (exchanges: readonly Exchange[]): readonly Exchange[] => {
  const moves = findMoves(exchanges)
  if (!moves) return exchanges.map(({ quota: _, ...one }) => ({ ...one, timeIsUnknown: true }))
  return exchanges.map((one, at) => ({ ...one, movedMs: moves[at] ?? 0 }))
}

const inOrder = (exchanges: readonly Exchange[]): readonly Exchange[] =>
  exchanges.toSorted((a, b) => a.sentMs - b.sentMs || a.receivedMs - b.receivedMs)

/** Date is in whole seconds. */
const apartMs = 2_000

const smallest = (all: readonly number[]): number =>
  all.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY)

/**
 * Files of one after the other, by the Date of the server, are one piece of traffic. Of others it
 * is not known what was sent before what: each is judged by itself.
 */
const joinedFiles = (files: readonly (readonly Exchange[])[]): readonly (readonly Exchange[])[] => {
  if (files.length < 2) return files
  const all = files.map((file) => {
    const dates = file.flatMap((one) => dateMs(one) ?? [])
    const behind = file.map((one) => one.receivedMs - (dateMs(one) ?? Number.NEGATIVE_INFINITY))
    const lastMs = -smallest(dates.map((ms) => -ms))
    return { file, firstMs: smallest(dates), lastMs, behindMs: smallest(behind) }
  })
  all.sort((a, b) => a.firstMs - b.firstMs)
  const isApart = all.every(
    ({ firstMs }, at) =>
      Number.isFinite(firstMs) && firstMs - (all[at - 1]?.lastMs ?? -Infinity) > apartMs,
  )
  if (!isApart) return files
  return [
    all.flatMap(({ file, behindMs }) => {
      // By the clock of the first file.
      const ms = (all[0]?.behindMs ?? 0) - behindMs
      const shiftMs = Math.abs(ms) > apartMs ? ms : 0
      return file.map((one) => {
        const [sentMs, receivedMs] = [one.sentMs + shiftMs, one.receivedMs + shiftMs]
        return { ...one, sentMs, receivedMs }
      })
    }),
  ]
}

/** @returns pieces of traffic, each in the order of sending, numbered through */
export const makeExchanges = (
  all: readonly Recorded[],
  known: Known,
): readonly (readonly Exchange[])[] => {
  const numbered = all.map((one, at) => ({ one, exchange: exchangeOf(one, known, at) }))
  const files = [...Map.groupBy(numbered, ({ one }) => one.file).values()].map((own) => {
    const exchanges = inOrder(own.map(({ exchange }) => exchange))
    return own.some(({ one }) => one.key !== undefined) ? exchanges : timed(exchanges)
  })
  let seq = 0
  return joinedFiles(files).map((file) =>
    inOrder(file).map((exchange) => {
      seq += 1
      return { ...exchange, seq }
    }),
  )
}

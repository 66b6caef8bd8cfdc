// Recorded exchanges as those of a run: below one base URL, with their keys and times, in order.
import type { ApiRequest, Exchange, Header } from '../history/exchange.ts'
import { dateMs } from '../history/rate-headers.ts'
import { pathBelow } from './base.ts'
import { findMoves } from './clock.ts'
import { credentialsOf, type KeyOf, type Keys } from './keys.ts'
import type { Recorded } from './recorded.ts'

/** Where no name is given, as in a HAR file. */
const recordedId = 'recorded'

const secretFields = /^(?:cookie|set-cookie|proxy-authorization|x-api-key|api-key|x-auth-token)$/i

/** Secrets of others are in no report. */
const withoutSecrets = (headers: readonly Header[]): readonly Header[] =>
  headers.map(([name, value]) => [name, secretFields.test(name) ? '(not shown)' : value] as const)

/** A request with a key that the writer does not know. */
const withoutKey = (one: Recorded): Recorded => ({
  ...one,
  headers: one.headers.filter(([name]) => !/^authorization$/i.test(name)),
  body: undefined,
})

/** These belong to a connection, or ask for codings that an exporter has decoded. */
const ofTransport =
  /^(?:host|content-length|connection|keep-alive|proxy-connection|accept-encoding)$/i

const isOfRequest = ([name, value]: Header, isOwn: boolean): boolean => {
  if (/^authorization$/i.test(name)) return false
  if (isOwn) return !(name === 'Accept-Encoding' && value === 'identity')
  return !ofTransport.test(name) && !isChunked([name, value])
}

const isChunked = ([name, value]: Header): boolean =>
  /^transfer-encoding$/i.test(name) && /^\s*chunked\s*$/i.test(value)

/** So many spaces before a body are not kept. */
const minPadding = 1_000

const unpadded = (body: string | Uint8Array | null) => {
  const rest = typeof body === 'string' ? body.trimStart() : ''
  const padding = typeof body === 'string' ? body.length - rest.length : 0
  return padding < minPadding ? { body, padding: 0 } : { body: rest, padding }
}

const requestOf = (one: Recorded, path: string, key: KeyOf): ApiRequest => {
  const { method, headers, own, label } = one
  const { body, padding } = unpadded(one.body ?? null)
  const framing = own === undefined && headers.some(isChunked) && { framing: 'chunked' as const }
  const { authorization, scheme, carries } = key
  return {
    ...{ method, path, from: 'base', authorization, scheme, body },
    headers: headers.filter((field) => isOfRequest(field, label !== undefined)),
    ...framing,
    ...(padding > 0 && { padding }),
    ...own?.apiRequest,
    ...(carries !== undefined && { carries }),
  }
}

/**
 * 400 may be due to credentials that do not fit the grammar: of those that an exporter left out
 * and of what petvet made of a key and writes as an expression of a shell, that is not known.
 */
const mayBeMalformed = ({ headers, response }: Recorded, { isHidden }: KeyOf): boolean =>
  response?.status === 400 &&
  (isHidden === true || credentialsOf(headers).some((value) => value.includes('$(')))

/**
 * Where a part of a request was not recorded, nothing of it is judged.
 * @param at its place among all
 */
const exchangeOf = (given: Recorded, path: string, keys: Keys, at: number): Exchange => {
  const isOwn = given.label !== undefined
  const shown = (headers: readonly Header[]) => (isOwn ? headers : withoutSecrets(headers))
  const key = keys.of(given, at)
  const safe = key.isLeftOut ? withoutKey(given) : given
  const one = { ...safe, headers: shown(safe.headers) }
  const { method, url, headers, sentMs, receivedMs, own, response } = one
  const { body, padding } = unpadded(one.body ?? null)
  const isUnknown = one.body === undefined || mayBeMalformed(given, key)
  const { check = recordedId, movedMs = 0, meanwhileMs } = own ?? {}
  const bytes = typeof body === 'string' || body === null ? undefined : Buffer.from(body)
  return {
    ...{ seq: 0, at: new Date(sentMs).toISOString(), check, key: key.key },
    ...(key.quota && { quota: key.quota }),
    ...(key.quotaIsSaid && { quotaIsSaid: true }),
    apiRequest: requestOf(one, path, key),
    request: {
      ...{ method, url, headers, body: bytes ? bytes.toString() : (body as string | null) },
      ...(padding > 0 && { padding }),
      ...(bytes && { bodyBase64: bytes.toString('base64') }),
    },
    response: isUnknown || !response ? null : { ...response, headers: shown(response.headers) },
    noResponse: isUnknown ? 'unread' : one.noResponse,
    ...{ sentMs, receivedMs, movedMs, ...(meanwhileMs !== undefined && { meanwhileMs }) },
  }
}

/** With the time at the server: where it is not known, no limit of a span of time is judged. */
const timed = (exchanges: readonly Exchange[]): readonly Exchange[] => {
  const moves = findMoves(exchanges)
  if (!moves) return exchanges.map(({ quota: _, ...one }) => ({ ...one, timeIsUnknown: true }))
  return exchanges.map((one, at) => ({ ...one, movedMs: moves[at] ?? 0 }))
}

/** Date is in whole seconds. */
const apartMs = 2_000

const datesOf = (file: readonly Exchange[]) => {
  const dates = file.flatMap((one) => dateMs(one) ?? [])
  const aheadMs = file.map((one) => (dateMs(one) ?? Number.NaN) - one.receivedMs)
  const known = aheadMs.filter((ms) => !Number.isNaN(ms))
  return {
    ...{ file, firstMs: min(dates), lastMs: -min(dates.map((ms) => -ms)) },
    aheadMs: -min(known.map((ms) => -ms)),
  }
}

const min = (all: readonly number[]): number =>
  all.reduce((least, ms) => Math.min(least, ms), Infinity)

/**
 * Files of one after the other, by the Date of the server, are one piece of traffic. Of others it
 * is not known what was sent before what: each is judged by itself.
 */
const joinedFiles = (files: readonly (readonly Exchange[])[]): readonly (readonly Exchange[])[] => {
  const all = files.map(datesOf).sort((a, b) => a.firstMs - b.firstMs)
  const isApart = all.every(({ firstMs }, at) => {
    const before = all[at - 1]
    return Number.isFinite(firstMs) && (!before || firstMs - before.lastMs > apartMs)
  })
  if (files.length < 2 || !isApart) return files
  const [first] = all
  return [
    all.flatMap(({ file, aheadMs }) => {
      const ms = aheadMs - (first?.aheadMs ?? 0)
      // By the clock of the first file.
      const shiftMs = Math.abs(ms) > apartMs ? ms : 0
      return file.map((one) => ({
        ...one,
        ...{ sentMs: one.sentMs + shiftMs, receivedMs: one.receivedMs + shiftMs },
      }))
    }),
  ]
}

const inOrder = (exchanges: readonly Exchange[]): Exchange[] =>
  exchanges.toSorted((a, b) => a.sentMs - b.sentMs || a.receivedMs - b.receivedMs)

/** @returns pieces of traffic, each in the order of sending, numbered through */
export const makeExchanges = (
  all: readonly Recorded[],
  base: string,
  keys: Keys,
): readonly (readonly Exchange[])[] => {
  const below = all.flatMap((one, at) => {
    const path = pathBelow(base, one.url)
    return path === undefined ? [] : [{ one, exchange: exchangeOf(one, path, keys, at) }]
  })
  const files = [...Map.groupBy(below, ({ one }) => one.file).values()].map((own) => {
    const exchanges = inOrder(own.map(({ exchange }) => exchange))
    return own.some(({ one }) => one.own) ? exchanges : timed(exchanges)
  })
  let seq = 0
  return joinedFiles(files).map((file) =>
    inOrder(file).map((exchange) => {
      seq += 1
      return { ...exchange, seq }
    }),
  )
}

// Samples as exchanges of the suites: made only of those that are judged or shown.

import type { ClientResult } from '../engine/client/client.ts'
import type { WireRequest } from '../engine/client/http1.ts'
import { codingsOf } from '../engine/client/read-body.ts'
import {
  type Exchange,
  get,
  type Header,
  type NoAnswer,
  withPlainCoding,
} from '../engine/exchange.ts'
import { retryAfterMs } from '../engine/quota/rate-headers.ts'
import type { Place } from './place.ts'
import type { Sample } from './sample.ts'

/** A short response, the same at each server. */
export const loadPath = '/pets?limit=1'

/** Of one scenario; a million would fill a disk. */
export const maxRecorded = 3_000

export const pairs = (flat: readonly string[]): Header[] =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? ''])

/** The usual form of Retry-After, in milliseconds. */
const secondsIn = ({ rawHeaders }: Sample): number | undefined => {
  const at = rawHeaders.findIndex((name) => name.toLowerCase() === 'retry-after')
  const text = rawHeaders[at + 1]
  return at !== -1 && at % 2 === 0 && text && /^\d{1,15}$/.test(text)
    ? Number(text) * 1000
    : undefined
}

const lostBy = (noAnswer: NoAnswer): Sample['lost'] => (noAnswer === 'timeout' ? noAnswer : 'reset')

const sampleOf = (
  label: string,
  { response, noAnswer, sentMs, receivedMs }: ClientResult,
): Sample => ({
  key: label,
  status: response?.status ?? 0,
  lost: noAnswer === null ? null : lostBy(noAnswer),
  sentMs,
  ms: receivedMs - sentMs,
  rawHeaders: response?.headers.flat() ?? [],
  body: response ? Buffer.from(response.bytes).toString() : null,
})

/** @param about what the sample itself does not say */
export const exchangeFrom = (
  { key, status, lost, sentMs, ms, rawHeaders, body }: Sample,
  about: Pick<Exchange, 'seq' | 'at' | 'check' | 'movedMs'>,
  request: Pick<Exchange['request'], 'url' | 'headers'>,
): Exchange => {
  const headers = pairs(rawHeaders)
  const response: Exchange['response'] = {
    ...{ status, headers, bytes: Buffer.from(body ?? ''), cut: false },
    // The body of a sample is not decoded.
    ...(codingsOf(headers).length > 0 && { encoded: 'unknown' }),
  }
  return {
    ...about,
    key,
    apiRequest: get(loadPath),
    request: { method: 'GET', ...request, body: null },
    response: lost === null ? response : null,
    noAnswer: lost,
    sentMs,
    receivedMs: sentMs + ms,
  }
}

const createMaker = ({ options, keys, session }: Place, scenario: string) => {
  const url = new URL(options.baseUrl)
  const path = `${url.pathname.replace(/\/+$/, '')}${loadPath}`
  const headersOf = (label: string): readonly Header[] => {
    const key = keys.find((each) => each.label === label)?.key ?? ''
    return withPlainCoding([['Authorization', `Bearer ${key}`], ...options.headers])
  }
  const wire = (label: string): WireRequest => ({
    method: 'GET',
    path,
    headers: headersOf(label),
    body: null,
    connection: 'own',
  })
  const make = (sample: Sample): Exchange => {
    const atMs = session.wallMs() - (performance.now() - sample.sentMs)
    const at = new Date(atMs).toISOString()
    const movedMs = session.pace.movedMs()
    return exchangeFrom(
      sample,
      { seq: session.nextSeq(), at, check: scenario, movedMs },
      { url: `${url.origin}${path}`, headers: headersOf(sample.key) },
    )
  }
  return { wire, make }
}

export const createExchanges = (place: Place, scenario: string) => {
  const { wire, make } = createMaker(place, scenario)
  const made = new WeakMap<Sample, Exchange>()
  let recorded = 0
  const of = (sample: Sample): Exchange => {
    const known = made.get(sample) ?? make(sample)
    made.set(sample, known)
    return known
  }
  return {
    request: get(loadPath),
    /** The request for a key. */
    wire,
    sampleOf,
    sampleOfExchange: (exchange: Exchange): Sample => {
      const sample = sampleOf(exchange.key ?? '', exchange)
      made.set(sample, exchange)
      return sample
    },
    of,
    /** The Retry-After of a response. */
    waitMs: (sample: Sample): number | undefined => secondsIn(sample) ?? retryAfterMs(of(sample)),
    /** Records it, up to a limit. */
    record: (sample: Sample): void => {
      // Made in any case: only now is it known how far the clock was moved.
      const exchange = of(sample)
      recorded += 1
      if (recorded <= maxRecorded) place.session.record(exchange)
    },
  }
}

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

const pairs = (flat: readonly string[]): Header[] =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? ''])

/** The Retry-After of a response. @param atMs when it was requested, in Unix milliseconds */
export const waitMsOf = ({ rawHeaders }: Sample, atMs: number): number | undefined =>
  retryAfterMs({ at: new Date(atMs).toISOString(), response: { headers: pairs(rawHeaders) } })

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
    connection: 'separate',
  })
  const atMsOf = ({ sentMs }: Sample) => session.wallMs() - (performance.now() - sentMs)
  const make = (sample: Sample): Exchange => {
    const at = new Date(atMsOf(sample)).toISOString()
    const movedMs = session.pace.movedMs()
    return exchangeFrom(
      sample,
      { seq: session.nextSeq(), at, check: scenario, movedMs },
      { url: `${url.origin}${path}`, headers: headersOf(sample.key) },
    )
  }
  return { wire, make, atMsOf }
}

export const createExchanges = (place: Place, scenario: string) => {
  const { wire, make, atMsOf } = createMaker(place, scenario)
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
    waitMs: (sample: Sample) => waitMsOf(sample, atMsOf(sample)),
    /** Records it, up to a limit. */
    record: (sample: Sample): void => {
      // Made in any case: only now is it known how far the clock was moved.
      const exchange = of(sample)
      recorded += 1
      if (recorded <= maxRecorded) place.session.record(exchange)
    },
  }
}

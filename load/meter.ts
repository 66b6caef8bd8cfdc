// Measures a lane: counts by fate and key, latencies as a histogram, a line for each second. The
// door of hdr-histogram.
import * as hdr from 'hdr-histogram-js'
import {
  type Fate,
  fates,
  type Latency,
  type LoadFigures,
  type LoadSecond,
  type LoadStep,
} from '../engine/check/run-file.ts'
import { isSuccess } from '../history/exchange.ts'
import { refusalOf, retryAfterMs } from '../history/rate-headers.ts'
import type { Sample } from './connection.ts'

const maxUs = 3_600_000_000

/** Latencies in bounded memory: microseconds, three digits. */
export class Histogram {
  readonly #histogram = hdr.build({
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: maxUs,
    numberOfSignificantValueDigits: 3,
  })

  /** More than an hour counts as an hour. */
  record(latencyMs: number): void {
    const us = Math.round(latencyMs * 1_000)
    if (!Number.isFinite(us)) throw new RangeError(`${latencyMs} ms is not a latency`)
    this.#histogram.recordValue(Math.min(Math.max(us, 0), maxUs))
  }

  latency(): Latency | null {
    const { totalCount, mean, maxValue } = this.#histogram
    if (totalCount === 0) return null
    const ms = (us: number) => Math.min(us, maxValue) / 1_000
    const at = (percent: number) => ms(this.#histogram.getValueAtPercentile(percent))
    return {
      count: totalCount,
      meanMs: mean / 1_000,
      p50Ms: at(50),
      p90Ms: at(90),
      p95Ms: at(95),
      p99Ms: at(99),
      p999Ms: at(99.9),
      maxMs: ms(maxValue),
    }
  }
}

/** A Retry-After that ends later than the first one by more than this is no longer the window's. */
const toleranceMs = 5_000

/**
 * Counts the samples of a lane, in order, as one fate each. The earlier responses to a key
 * distinguish a ban from a spent quota.
 * @param timed a sample with the time at which it was sent
 */
export const createFates = (
  timed: (sample: Sample) => Parameters<typeof refusalOf>[0],
): ((sample: Sample) => Fate) => {
  /** The first of each key: when it came, and when the Retry-After that it stated has elapsed. */
  const refusals = new Map<string, { readonly atMs: number; readonly endsMs: number }>()
  const refuse = (sample: Sample): Fate => {
    const { key, receivedMs: atMs } = sample
    const before = refusals.get(key)
    const endsMs = atMs + (retryAfterMs(timed(sample)) ?? Number.POSITIVE_INFINITY)
    if (!before) refusals.set(key, { atMs, endsMs })
    return before && endsMs > before.endsMs + toleranceMs ? 'banned' : 'refused'
  }

  const serve = ({ key, sentMs }: Sample): Fate => {
    // A request that was in flight with the refusal does not end it.
    if (sentMs > (refusals.get(key)?.atMs ?? sentMs)) refusals.delete(key)
    return 'served'
  }

  return (sample) => {
    const { key, response, noResponse } = sample
    if (response === null) return noResponse === 'timeout' ? 'timeout' : 'reset'
    if (isSuccess(sample)) return serve(sample)
    const refusal = refusalOf(timed(sample))
    if (refusal === 'quota') return refuse(sample)
    if (refusal === 'ban' && refusals.has(key)) return 'banned'
    return response.status >= 500 ? 'serverError' : 'otherClientError'
  }
}

/** What is kept of a scenario at one server; what is left out is reported. */
const maxSeconds = 20_000

type Counting = Record<Fate, number>

export const zeroCounts = (): Counting =>
  Object.fromEntries(fates.map((fate) => [fate, 0])) as Record<Fate, number>

export class Meter {
  /** The real time of what it measures, without waits for a quota or a window. */
  activeMs = 0
  sent = 0
  neverSent = 0
  /** The longest delay between due and sent. */
  latestMs = 0
  readonly counts = zeroCounts()
  readonly #byKey = new Map<string, Counting>()
  readonly #histogram = new Histogram()
  /** The seconds of each key, in order. */
  readonly #seconds = new Map<string, LoadSecond>()
  /** Requests of further seconds. */
  leftOut = 0
  readonly #steps: LoadStep[] = []
  /** The first sample begins the series: a lane may have to wait for its turn. */
  #zeroMs: number | undefined

  /**
   * @param nowMs when it ended, by the time of the target, moves of its clock included
   * @param fromMs from when its latency counts
   */
  take({ key, response, sentMs, receivedMs }: Sample, fate: Fate, nowMs: number, fromMs = sentMs) {
    this.sent += 1
    this.counts[fate] += 1
    const ofKey = this.#byKey.get(key) ?? zeroCounts()
    this.#byKey.set(key, ofKey)
    ofKey[fate] += 1
    this.#zeroMs ??= nowMs
    this.#countIn(Math.max(0, Math.floor((nowMs - this.#zeroMs) / 1000)), key, fate)
    if (response !== null) this.#histogram.record(receivedMs - fromMs)
  }

  #countIn(second: number, key: string, fate: Fate): void {
    const name = `${second} ${key}`
    const counts: Partial<Counting> = this.#seconds.get(name)?.counts ?? {}
    counts[fate] = (counts[fate] ?? 0) + 1
    if (this.#seconds.size < maxSeconds) this.#seconds.set(name, { second, key, counts })
    else if (!this.#seconds.has(name)) this.leftOut += 1
  }

  /** @param sent from so many connections, in a time */
  step(connections: number, sent: Omit<LoadFigures, 'countsByKey' | 'seconds'>): void {
    const { durationMs, counts, latency } = sent
    this.#steps.push({
      connections,
      perSecond: durationMs > 0 ? (counts.served * 1_000) / durationMs : 0,
      p50Ms: latency?.p50Ms ?? 0,
      p99Ms: latency?.p99Ms ?? 0,
      errors: sent.sent - counts.served,
    })
  }

  figures(): LoadFigures {
    const { sent, neverSent, counts } = this
    return {
      durationMs: Math.max(0, Math.round(this.activeMs)),
      sent,
      neverSent,
      counts: { ...counts },
      countsByKey: Object.fromEntries([...this.#byKey].map(([key, own]) => [key, { ...own }])),
      latency: this.#histogram.latency(),
      seconds: [...this.#seconds.values()].sort((a, b) => a.second - b.second),
      ...(this.#steps.length > 0 && { steps: [...this.#steps] }),
    }
  }
}

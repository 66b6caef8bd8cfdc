// A lane at a server: connects a session of the suites, the driver and a meter. Every sample is
// counted once, as one fate, and the governor of the session learns the latest responses.

import type { LimitKey } from '../engine/check/context.ts'
import type { Means } from '../engine/check/key-handle.ts'
import type { Fate } from '../engine/check/run-file.ts'
import { keyHandleOf } from '../engine/run/contexts.ts'
import { addressed, throwIfInterrupted, transmit } from '../engine/run/send.ts'
import { readCodings } from '../history/body.ts'
import {
  type Exchange,
  isAnswered,
  memoized,
  type SentRequest,
  unauthorized,
} from '../history/exchange.ts'
import { NoResponseError, Untested } from '../history/outcome.ts'
import { retryAfterMs } from '../history/rate-headers.ts'
import type { Sample } from './connection.ts'
import { drive } from './driver.ts'
import { compact, loadRequest, maxRecorded, type Place } from './load-server.ts'
import { createFates, Meter } from './meter.ts'
import { keepPace } from './pace.ts'
import { type Lane, type LoadPlan, type LoadSettings, planLoad } from './scenario.ts'

const atOnce = async () => {}
const withoutKey = { key: null, apiRequest: unauthorized(loadRequest) }

export class OpenLane implements Lane {
  readonly meter = new Meter()
  readonly column: Lane['column']
  plan: LoadPlan
  readonly ensureDay: Lane['ensureDay']
  readonly pass: Lane['pass']
  readonly pause: Lane['pause']
  readonly #waits: (key: LimitKey) => Pick<Means, 'rest' | 'waitForRetryAfter'>
  readonly #place: Place
  readonly #scenario: string
  readonly #fateOf = createFates((sample) => this.#timed(sample))
  readonly #requests = new Map<string, SentRequest>()
  #recorded = 0

  constructor(place: Place, scenario: string, settings: LoadSettings, lanes: number) {
    const { column, options, session, ensureDay } = place
    const { governor, pace } = session
    this.column = column
    this.plan = planLoad(options, settings, lanes)
    // Prism counts nothing: no key has to wait there.
    const isStateless = column === 'prism'
    this.ensureDay = isStateless ? atOnce : ensureDay
    this.pass = isStateless ? atOnce : this.#waiting(pace.pass)
    const [rest, retry] = [this.#waiting(this.#rest), this.#waiting(governor.waitForRetryAfter)]
    this.#waits = ({ label }) =>
      isStateless
        ? { rest: atOnce, waitForRetryAfter: atOnce }
        : { rest: () => rest(label), waitForRetryAfter: () => retry(label) }
    this.pause = this.#waiting(pace.sleep)
    this.#place = place
    this.#scenario = scenario
  }

  readonly drive: Lane['drive'] = async (load) => {
    const { options, session, calls } = this.#place
    const { budget, governor } = session
    throwIfInterrupted(options)
    const left = budget.left()
    if (load.amount > left) {
      throw new Untested('budget', `the run has ${left} requests left (--max-requests)`)
    }
    const target = { ...options, request: this.#request(load.key) }
    const own = new Meter()
    const kept: Sample[] = []
    // What the governor has to learn: of thousands of samples only those that matter.
    let last: Sample | undefined
    let refused: Sample | undefined
    let longest: Sample | undefined
    const endsMs = (sample: Sample) => sample.receivedMs + (retryAfterMs(this.#timed(sample)) ?? 0)
    const learn = (sample: Sample, fate: Fate) => {
      if (sample.response !== null || !last) last = sample
      if (fate !== 'refused' && fate !== 'banned') return
      refused ??= sample
      if (endsMs(sample) >= endsMs(longest ?? sample)) longest = sample
    }
    let isCut = false
    const driven = await drive(target, load, (sample) => {
      budget.take(this.#scenario, sample.key)
      const fate = this.#enter(sample, null)
      own.take(sample, fate, this.nowMs())
      learn(sample, fate)
      if (kept.length < load.keep) kept.push(sample)
      else if (load.keep > 0 && calls.hasRoom(load.key, kept.length)) kept.push(compact(sample))
      else isCut = true
    })
    this.meter.neverSent += driven.neverSent
    // The laws read the calls in the order in which they were sent.
    for (const sample of kept.sort((a, b) => a.sentMs - b.sentMs)) {
      this.#record(this.#exchangeOf(sample))
    }
    if (isCut) calls.leaveOut(load.key, load.keep > 0)
    for (const sample of new Set([refused, longest, last])) {
      if (sample === undefined) continue
      governor.take(sample.key)
      this.#learn(this.#exchangeOf(sample))
    }
    throwIfInterrupted(this.#place.options)
    const { counts, latency } = own.figures()
    const sent = { ...driven, counts, latency }
    if (load.durationMs !== null) this.meter.step(load.connections, sent)
    return sent
  }

  readonly handleOf: Lane['handleOf'] = (key) => {
    const send = async () => {
      const exchange = await this.#call(key.label, null)
      if (isAnswered(exchange)) return exchange
      throwIfInterrupted(this.#place.options)
      throw new NoResponseError(exchange)
    }
    const sending = { call: send, insist: send, insistApart: send }
    return keyHandleOf(this.#place.session, key, { ...sending, ...this.#waits(key) })
  }

  readonly keepPace: Lane['keepPace'] = async (label, perSecond, amount) => {
    const send = (dueMs: number) => this.#call(label, dueMs)
    const { sleep, meter } = this
    const { lateMs, neverSent, refusal } = await keepPace({ perSecond, amount, send, sleep })
    meter.latestMs = Math.max(meter.latestMs, lateMs)
    meter.neverSent += neverSent
    return refusal
  }

  /** @param dueMs when it was due, by `performance.now()`: its latency counts from then */
  async #call(label: string, dueMs: number | null): Promise<Exchange> {
    const { session } = this.#place
    throwIfInterrupted(this.#place.options)
    session.governor.take(label)
    const sending = transmit(session, this.#scenario, loadRequest, 'separate', label)
    const sent = await sending.catch((error) => {
      session.governor.release(label)
      throw error
    })
    this.#enter({ ...sent, key: label }, dueMs)
    const exchange = { ...sent, request: this.#request(label) }
    this.#record(exchange)
    this.#learn(exchange)
    return exchange
  }

  /**
   * Counts and records what was sent elsewhere.
   * @param apartMs what the times of those who sent may be apart
   * @returns what became of each, as they ended
   */
  readonly take = <One extends Sample & { readonly dueMs: number }>(
    sent: readonly One[],
    apartMs: number,
  ) => {
    const ended = sent.toSorted((a, b) => a.receivedMs - b.receivedMs)
    const fates = ended.map((one) => ({ one, fate: this.#enter(one, one.dueMs, one.receivedMs) }))
    for (const sample of sent.toSorted((a, b) => a.sentMs - b.sentMs)) {
      this.#place.session.budget.count(this.#scenario, sample.key)
      this.#record(this.#exchangeOf({ ...sample, receivedMs: sample.receivedMs + apartMs }))
    }
    return fates
  }

  readonly sleep: Lane['sleep'] = (ms) => this.#place.session.pace.sleep(ms)
  readonly nowMs = () => this.#place.session.pace.now()

  /** Counts a sample. @param dueMs when it was due, if its latency counts from then */
  #enter(sample: Sample, dueMs: number | null, nowMs = this.nowMs()): Fate {
    const fate = this.#fateOf(sample)
    this.meter.take(sample, fate, nowMs, dueMs ?? sample.sentMs)
    return fate
  }

  #learn(exchange: Exchange): void {
    const { governor } = this.#place.session
    const label = exchange.key ?? ''
    if (isAnswered(exchange)) governor.learn(label, exchange)
    else governor.release(label)
  }

  /** One object for all exchanges of a key. */
  #request(label: string): SentRequest {
    const { session } = this.#place
    const key = session.keys.find((each) => each.label === label)?.key ?? null
    const request = this.#requests.get(label) ?? addressed(session, loadRequest, key)
    this.#requests.set(label, request)
    return request
  }

  #at(sample: Sample): string {
    const { wallMs } = this.#place.session
    return new Date(wallMs() - (performance.now() - sample.sentMs)).toISOString()
  }

  /** A sample as history reads its headers. */
  #timed(sample: Sample) {
    return { ...sample, at: this.#at(sample), apiRequest: loadRequest }
  }

  /** Made once, while it is known how far the clock was moved. */
  readonly #exchangeOf = memoized((sample: Sample): Exchange => {
    const { nextSeq, pace, keys } = this.#place.session
    const { quota } = keys.find(({ label }) => label === sample.key) ?? {}
    const { response } = sample
    const isCoded = response !== null && readCodings(response.headers).length > 0
    // A body that a driver received is not decoded.
    const encoded = isCoded ? ({ encoded: 'unknown' } as const) : {}
    return {
      ...sample,
      response: response && { ...response, ...encoded },
      seq: nextSeq(),
      at: this.#at(sample),
      check: this.#scenario,
      movedMs: pace.movedMs(),
      ...(quota ? { quota, apiRequest: loadRequest } : withoutKey),
      request: this.#request(sample.key),
    }
  })

  /** Records an exchange, up to a limit. */
  #record(exchange: Exchange): void {
    this.#recorded += 1
    if (this.#recorded <= maxRecorded) this.#place.session.record(exchange)
    this.#place.calls.add(exchange)
  }

  readonly #rest = async (label: string): Promise<void> => {
    await this.#place.session.governor.rest(label)
    this.#place.calls.rested(label)
  }

  #waiting<Given>(wait: (given: Given) => Promise<void>): (given: Given) => Promise<void> {
    return async (given) => {
      const fromMs = performance.now()
      await wait(given).finally(() => {
        this.meter.activeMs -= performance.now() - fromMs
      })
    }
  }
}

// Opens a lane: connects a session of the suites, the driver and a meter. Every sample is counted
// once, as one fate, and the governor of the session learns the latest responses.
import { type AnsweredExchange, isAnswered } from '../engine/exchange.ts'
import { NoResponseError, Untested } from '../engine/outcome.ts'
import type { Fate } from '../engine/run-file.ts'
import { drive } from './driver.ts'
import { createExchanges } from './exchanges.ts'
import { createMeter } from './meter.ts'
import type { Place } from './place.ts'
import { createFates, type Sample } from './sample.ts'
import type { Lane, LoadSettings } from './scenario.ts'

export type OpenLane = ReturnType<typeof openLane>

type Tools = ReturnType<typeof openTools>

const sinceDue = (sample: Sample, dueMs: number): Sample => ({
  ...sample,
  ms: sample.sentMs + sample.ms - dueMs,
})

const openTools = (place: Place, scenario: string) => {
  const exchanges = createExchanges(place, scenario)
  const meter = createMeter(place.session.pace.now)
  const fateOf = createFates(exchanges.waitMs)
  /** Counts a sample. @param dueMs when it was due, if its latency counts from then */
  const enter = (sample: Sample, dueMs: number | null): Fate => {
    const fate = fateOf(sample)
    place.days.spend(sample.key)
    meter.take(dueMs === null ? sample : sinceDue(sample, dueMs), fate)
    return fate
  }
  return { place, scenario, exchanges, meter, enter }
}

/** The latest response to a key, its first 429, and the refusal that lasts longest. */
interface Latest {
  last: Sample
  /** After a 429, a 401 or 403 is the response of a ban. */
  plain: Sample | undefined
  refusal: Sample | undefined
  untilMs: number
}

/** What the governor has to learn of a load: of thousands of samples only those that matter. */
const createDigest = ({ place, exchanges }: Tools) => {
  const { governor } = place.session
  const latest = new Map<string, Latest>()
  const learn = (sample: Sample): void => {
    const exchange = exchanges.of(sample)
    governor.take(sample.key)
    if (isAnswered(exchange)) governor.learn(sample.key, exchange)
    else governor.release(sample.key)
  }
  return {
    add: (sample: Sample, fate: Fate): void => {
      const known = latest.get(sample.key) ?? {
        ...{ last: sample, plain: undefined, refusal: undefined, untilMs: 0 },
      }
      latest.set(sample.key, known)
      if (sample.lost === null) known.last = sample
      if (fate !== 'refused' && fate !== 'banned') return
      if (sample.status === 429) known.plain ??= sample
      const untilMs = sample.sentMs + sample.ms + (exchanges.waitMs(sample) ?? 0)
      if (untilMs >= known.untilMs) Object.assign(known, { refusal: sample, untilMs })
    },
    teachGovernor: (): void => {
      for (const { last, plain, refusal } of latest.values()) {
        new Set([plain, refusal, last].filter((each) => each !== undefined)).forEach(learn)
      }
    },
  }
}

const throwIfInterrupted = (signal: AbortSignal) => {
  if (signal.aborted) throw new Untested('interrupted', 'the run was interrupted')
}

const driveWith = (tools: Tools): Lane['drive'] => {
  const { place, scenario, exchanges, meter, enter } = tools
  const { options, session, addresses } = place
  const { budget } = session
  return async (load) => {
    throwIfInterrupted(options.signal)
    if (load.amount !== null && load.amount > budget.left()) {
      throw new Untested('budget', `the run has ${budget.left()} requests left (--max-requests)`)
    }
    const target = { ...options, addresses, request: exchanges.wire(load.key) }
    const own = createMeter(session.pace.now)
    const digest = createDigest(tools)
    const driven = await drive(target, { ...load, maxRequests: budget.left() }, (sample) => {
      budget.take(scenario)
      const fate = enter(sample, null)
      own.take(sample, fate)
      digest.add(sample, fate)
    })
    meter.neverSent(driven.neverSent)
    digest.teachGovernor()
    for (const sample of driven.samples) exchanges.record(sample)
    throwIfInterrupted(options.signal)
    if (driven.isSpent) {
      throw new Untested('budget', `the run's ${options.maxRequests} requests are spent`)
    }
    const { counts, latency } = own.figures()
    return { ...driven, counts, latency }
  }
}

const callWith =
  ({ place, scenario, exchanges, enter }: Tools): Lane['call'] =>
  async (label, dueMs) => {
    const { governor, budget } = place.session
    throwIfInterrupted(place.options.signal)
    budget.take(scenario)
    governor.take(label)
    const sample = exchanges.sampleOf(label, await place.client.send(exchanges.wire(label)))
    enter(sample, dueMs)
    if (sample.lost === null) governor.learn(label, exchanges.of(sample) as AnsweredExchange)
    else governor.release(label)
    exchanges.record(sample)
    return sample
  }

const askWith =
  ({ place, scenario, exchanges, enter }: Tools): Lane['ask'] =>
  async (label) => {
    try {
      const request = { ...exchanges.request, key: label, insists: true } as const
      const answered = await place.session.ask(scenario, request, false)
      enter(exchanges.sampleOfExchange(answered), null)
      return answered
    } catch (error) {
      if (error instanceof NoResponseError) enter(exchanges.sampleOfExchange(error.exchange), null)
      throw error
    }
  }

const atOnce = async () => {}

/** @param columns how many lanes take turns */
export const openLane = (
  place: Place,
  scenario: string,
  settings: LoadSettings,
  columns: number,
) => {
  const { column, options, session } = place
  // Prism counts nothing: no key has to wait there.
  const isStateless = column === 'prism'
  const { pace, governor } = session
  const tools = openTools(place, scenario)
  const { exchanges, meter } = tools
  const { keys, banKey } = session.contextOf(scenario).limits
  const lane: Lane = {
    ...{ column, columns, keys, banKey, settings },
    allow: options.allow,
    shared: options.shared,
    instant: pace.instant,
    drive: driveWith(tools),
    call: callWith(tools),
    skipped: () => meter.neverSent(1),
    ask: askWith(tools),
    exchangeOf: exchanges.of,
    ensureDay: async (label, requests) => {
      const key = [...keys, banKey].find((each) => each?.label === label)
      if (key && !isStateless) await place.days.ensure(key, requests)
    },
    waitForFullQuota: isStateless ? atOnce : governor.rest,
    waitForRetryAfter: isStateless ? atOnce : governor.waitForRetryAfter,
    pass: isStateless ? atOnce : pace.pass,
    sleep: pace.sleep,
    nowMs: pace.now,
    step: meter.step,
    figures: meter.figures,
  }
  return { lane, meter }
}

// Opens a lane: ties a session of the suites, the driver of crowds and a meter together.
import type { Answered } from '../engine/exchange.ts'
import { NoAnswerError } from '../engine/no-answer.ts'
import { Untested } from '../engine/outcome.ts'
import { drive } from './driver.ts'
import { createExchanges, type Exchanges } from './exchanges.ts'
import type { Lane, LoadSettings } from './lane.ts'
import type { Sample } from './load-form.ts'
import { createMeter, type Meter } from './meter.ts'
import type { Place } from './place.ts'
import { createRegister, type Register } from './register.ts'

export interface OpenLane {
  readonly lane: Lane
  readonly meter: Meter
}

interface Tools {
  readonly place: Place
  readonly scenario: string
  readonly exchanges: Exchanges
  readonly register: Register
  readonly meter: Meter
}

const unlessInterrupted = (signal: AbortSignal) => {
  if (signal.aborted) throw new Untested('interrupted', 'the run was interrupted')
}

const driveWith =
  ({ place, scenario, exchanges, register, meter }: Tools): Lane['drive'] =>
  async (load) => {
    const { options, session, addresses } = place
    const { budget } = session
    unlessInterrupted(options.signal)
    if (load.amount !== null && load.amount > budget.left()) {
      throw new Untested('budget', `the run has ${budget.left()} requests left (--max-requests)`)
    }
    const target = { ...options, addresses, request: exchanges.wire(load.key) }
    const capped = { ...load, most: budget.left() }
    const own = createMeter(session.pace.now)
    const driven = await drive(target, capped, (sample) => {
      budget.take(scenario)
      own.take(sample, register.enterOfCrowd(sample))
    })
    meter.neverSent(driven.neverSent)
    register.tellGovernor()
    for (const sample of driven.samples) exchanges.record(sample)
    unlessInterrupted(options.signal)
    if (driven.isSpent) {
      throw new Untested('budget', `the run's ${options.maxRequests} requests are spent`)
    }
    const { counts, latency } = own.figures()
    return { ...driven, counts, latency }
  }

const callWith =
  ({ place, scenario, exchanges, register }: Tools): Lane['call'] =>
  async (label: string, dueMs: number | null): Promise<Sample> => {
    const { governor, budget } = place.session
    unlessInterrupted(place.options.signal)
    budget.take(scenario)
    governor.take(label)
    const sample = exchanges.sampleOf(label, await place.client.send(exchanges.wire(label)))
    register.enter(sample, dueMs)
    if (sample.lost === null) governor.learn(label, exchanges.of(sample) as Answered)
    else governor.lost(label)
    exchanges.record(sample)
    return sample
  }

const askWith =
  ({ place, scenario, exchanges, register }: Tools): Lane['ask'] =>
  async (label: string): Promise<Answered> => {
    try {
      const request = { ...exchanges.request, key: label, insists: true } as const
      const answered = await place.session.ask(scenario, request, false)
      register.enter(exchanges.sampleOfExchange(answered), null)
      return answered
    } catch (error) {
      if (error instanceof NoAnswerError) {
        register.enter(exchanges.sampleOfExchange(error.exchange), null)
      }
      throw error
    }
  }

const atOnce = async () => {}

export const openLane = (
  place: Place,
  scenario: string,
  settings: LoadSettings,
  columns: number,
): OpenLane => {
  const { column, options, session, isStateless } = place
  const { pace, governor } = session
  const exchanges = createExchanges(place, scenario)
  const meter = createMeter(pace.now)
  const register = createRegister(place, exchanges, meter)
  const tools = { place, scenario, exchanges, register, meter }
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
    rest: isStateless ? atOnce : governor.rest,
    thaw: isStateless ? atOnce : governor.thaw,
    pass: isStateless ? atOnce : pace.pass,
    sleep: pace.sleep,
    nowMs: pace.now,
    step: meter.step,
    figures: meter.figures,
  }
  return { lane, meter }
}

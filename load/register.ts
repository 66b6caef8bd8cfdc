// The register of a lane: every sample is entered once, as one fate; its governor hears the latest.
import { isAnswered } from '../engine/exchange.ts'
import type { Fate } from '../engine/load-figures.ts'
import type { Session } from '../engine/session.ts'
import type { Exchanges } from './exchanges.ts'
import { createFates } from './fates.ts'
import type { Sample } from './load-form.ts'
import type { Meter } from './meter.ts'
import type { Place } from './place.ts'

export interface Register {
  /** @param dueMs when it was due, where its latency counts from then */
  readonly enter: (sample: Sample, dueMs: number | null) => Fate
  /** Enters one of a crowd; of these the governor hears the latest alone. */
  readonly enterOfCrowd: (sample: Sample) => Fate
  /** Lets the governor hear of the crowd, when it is over. */
  readonly tellGovernor: () => void
}

/** The last that a key was told, and the refusal whose wait ends last. */
interface Latest {
  last: Sample
  /** Any 429: after one of these, 401 and 403 are answers of a ban. */
  plain: Sample | undefined
  refusal: Sample | undefined
  untilMs: number
}

const sinceDue = (sample: Sample, dueMs: number): Sample => ({
  ...sample,
  ms: sample.sentMs + sample.ms - dueMs,
})

const startOf = (last: Sample): Latest => ({
  last,
  plain: undefined,
  refusal: undefined,
  untilMs: 0,
})

const tell = ({ governor }: Session, exchanges: Exchanges, sample: Sample): void => {
  const exchange = exchanges.of(sample)
  governor.take(sample.key)
  if (isAnswered(exchange)) governor.learn(sample.key, exchange)
  else governor.lost(sample.key)
}

export const createRegister = (
  { session, days }: Pick<Place, 'session' | 'days'>,
  exchanges: Exchanges,
  meter: Meter,
): Register => {
  const fateOf = createFates(exchanges.waitMs)
  const latest = new Map<string, Latest>()

  const enter = (sample: Sample, dueMs: number | null): Fate => {
    const fate = fateOf(sample)
    days.spend(sample.key)
    meter.take(dueMs === null ? sample : sinceDue(sample, dueMs), fate)
    return fate
  }

  const enterOfCrowd = (sample: Sample): Fate => {
    const fate = enter(sample, null)
    const known = latest.get(sample.key) ?? startOf(sample)
    latest.set(sample.key, known)
    if (sample.lost === null) known.last = sample
    if (fate !== 'refused' && fate !== 'banned') return fate
    if (sample.status === 429) known.plain ??= sample
    const untilMs = sample.sentMs + sample.ms + (exchanges.waitMs(sample) ?? 0)
    if (untilMs >= known.untilMs) Object.assign(known, { refusal: sample, untilMs })
    return fate
  }

  const tellGovernor = (): void => {
    for (const { last, plain, refusal } of latest.values()) {
      const told = new Set([plain, refusal, last].filter((each) => each !== undefined))
      for (const sample of told) tell(session, exchanges, sample)
    }
    latest.clear()
  }
  return { enter, enterOfCrowd, tellGovernor }
}

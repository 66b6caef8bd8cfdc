// The samples of all instances: figures of each phase and scenario, and what is judged one by one.
import type { Fate, LoadFigures } from '../../engine/run-file.ts'
import { waitMsOf } from '../exchanges.ts'
import { createMeter, type Meter } from '../meter.ts'
import { createFates } from '../sample.ts'
import type { K6Plan } from './plan.ts'
import { SamplesError } from './read.ts'
import type { K6Sample } from './sample-line.ts'

/** Samples that are kept to be judged one by one, in all; scenarios that spend a quota need few. */
const maxKept = 100_000
const receivedMs = ({ sentMs, ms }: K6Sample): number => sentMs + ms

/** What was measured in one phase, or in all phases of a scenario. */
class Measure {
  readonly #meter: Meter
  #nowMs: number
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(zeroMs: number) {
    this.#nowMs = zeroMs
    this.#meter = createMeter(() => this.#nowMs)
  }

  take(sample: K6Sample, fate: Fate): void {
    this.#nowMs = receivedMs(sample)
    this.#firstMs = Math.min(this.#firstMs, sample.sentMs)
    this.#lastMs = Math.max(this.#lastMs, this.#nowMs)
    const { key, lost, latencyMs: ms } = sample
    this.#meter.take({ key, lost, ms }, fate)
  }

  figures(): LoadFigures {
    const durationMs = Math.max(0, Math.round(this.#lastMs - this.#firstMs))
    return { ...this.#meter.figures(), durationMs }
  }
}

/** Within the quota what counts are the figures: millions of samples are not kept. */
const isStreamed = ({ phases }: K6Plan, phase: string): boolean =>
  phases.some(({ name, kind }) => name === phase && (kind === 'rate' || kind === 'step'))

/** Collects the samples of all instances. */
export class Samples {
  readonly kept: K6Sample[] = []
  sent = 0
  lastMs = 0
  /** By phase, and by scenario. */
  readonly #measures = new Map<string, Measure>()
  readonly #fatesOf = new Map<string, ReturnType<typeof createFates>>()

  readonly take = (sample: K6Sample, plan: K6Plan): void => {
    this.sent += 1
    this.lastMs = Math.max(this.lastMs, receivedMs(sample))
    if (isStreamed(plan, sample.phase)) this.measure(sample)
    else this.kept.push(sample)
    if (this.kept.length > maxKept) {
      throw new SamplesError(`more than ${maxKept} samples of scenarios that spend a quota`)
    }
  }

  /** A ban is distinguished from a refusal by the order of the samples. */
  measure(sample: K6Sample, isSorted = false): void {
    const { phase, instance } = sample
    const order = isSorted ? phase : `${phase} ${instance}`
    const fateOf = this.#fatesOf.get(order) ?? createFates((one) => waitMsOf(one, one.sentMs))
    this.#fatesOf.set(order, fateOf)
    const fate = fateOf(sample)
    for (const name of [phase, scenarioOf(phase)]) {
      const measure = this.#measures.get(name) ?? new Measure(sample.sentMs)
      this.#measures.set(name, measure)
      measure.take(sample, fate)
    }
  }

  /** @param name of a phase, or of a scenario */
  figures(name: string): LoadFigures {
    return (this.#measures.get(name) ?? new Measure(0)).figures()
  }
}

export const scenarioOf = (phase: string): string => phase.slice(0, phase.lastIndexOf('_'))

// Judges what k6 sent with the verdicts of the scenarios: the same that judge our own driver.

import { type Exchange, isAnswered } from '../../engine/check/exchange.ts'
import { type Ending, Suspicion, Violation } from '../../engine/check/outcome.ts'
import type { CheckResult, LoadFigures, RunFile } from '../../engine/check/run-file.ts'
import { direct } from '../../engine/http/connection-options.ts'
import { createEvidence, printLine } from '../../engine/http/recorder.ts'
import { createRedactor } from '../../engine/http/redact.ts'
import type { RunOptions, RunSink } from '../../engine/run/run-options.ts'
import { type Judged, makeResult, summarise } from '../../engine/run/run-state.ts'
import {
  createFates,
  exchangeFrom,
  loadRequest,
  maxRecorded,
  statedWaitMs,
} from '../load-sample.ts'
import { countByKey, Meter } from '../meter.ts'
import { judgeVerdict } from '../run-scenario.ts'
import type { Recording, Scenario, Verdict } from '../scenario.ts'
import { judgeThresholds, readThresholds, type Thresholds } from '../thresholds.ts'
import { type K6Plan, loadPlanIn } from './k6-plan.ts'
import { type Clocks, type K6Samples, readK6, SamplesError } from './read-samples.ts'
import type { K6Sample } from './sample-line.ts'

/** A placeholder for the keys, which no sample has; redacted like one. */
const hiddenKey = 'petvet-key-in-the-environment-of-k6'

const scenarioOf = (phase: string): string => phase.slice(0, phase.lastIndexOf('_'))

/** Samples that are kept to be judged one by one, in all; scenarios that spend a quota need few. */
const maxKept = 100_000
const receivedMs = ({ sentMs, ms }: K6Sample): number => sentMs + ms

/** Within the quota what counts are the figures: millions of samples are not kept. */
const isStreamed = ({ phases }: K6Plan, phase: string): boolean =>
  phases.some(({ name, expected }) => name === phase && !expected.includes(429))

/** Sums up all instances: figures of each phase and scenario, and the samples that are judged. */
class Samples {
  readonly kept: K6Sample[] = []
  /** Those that are kept, in the order in which they were sent. */
  readonly exchanges: (readonly [sample: K6Sample, exchange: Exchange])[] = []
  sent = 0
  lastMs = 0
  /** By phase, and by scenario. */
  readonly #meters = new Map<string, Meter>()
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
    const { phase, instance, key, sentMs, lost, latencyMs } = sample
    const order = isSorted ? phase : `${phase} ${instance}`
    const fateOf = this.#fatesOf.get(order) ?? createFates((one) => statedWaitMs(one, one.sentMs))
    this.#fatesOf.set(order, fateOf)
    const fate = fateOf(sample)
    const measured = { key, sentMs, lost, ms: latencyMs }
    for (const name of [phase, scenarioOf(phase)]) {
      const meter = this.#meters.get(name) ?? new Meter()
      this.#meters.set(name, meter)
      meter.take(measured, fate, receivedMs(sample))
    }
  }

  /** @param name of a phase, or of a scenario */
  figures(name: string): LoadFigures {
    return (this.#meters.get(name) ?? new Meter()).figures()
  }
}

/** @param widenedBy how far the clock of an instance may be wrong */
const recordingOf = (
  plan: K6Plan,
  samples: Samples,
  { id }: Scenario,
  widenedBy: (instance: string) => number,
): Recording => {
  const names = plan.phases.filter(({ scenario }) => scenario === id).map(({ name }) => name)
  return {
    plan: loadPlanIn(plan),
    exchanges: (label, parts, phase) => {
      const wanted = phase === undefined ? names : [names[phase]]
      return samples.exchanges
        .filter(([one]) => {
          return wanted.includes(one.phase) && one.key === label && parts.includes(one.part)
        })
        .map(([{ instance }, exchange]) => {
          const ms = widenedBy(instance)
          if (ms === 0) return exchange
          return { ...exchange, sentMs: exchange.sentMs - ms, receivedMs: exchange.receivedMs + ms }
        })
    },
    figures: samples.figures(id),
    phases: names.map((name) => samples.figures(name)),
  }
}

const violationIn = (ending: Ending): Violation | undefined =>
  ending.kind === 'threw' && ending.error instanceof Violation ? ending.error : undefined

/** What clocks that differ may explain is no violation. */
const judge = (
  { plan, clocks: { maxSkewMs, slackOf } }: K6Samples,
  samples: Samples,
  scenario: Scenario,
  verdict: Verdict<unknown>,
): Ending => {
  const endAt = (widenedBy: (instance: string) => number): Ending => {
    const recording = recordingOf(plan, samples, scenario, widenedBy)
    return judgeVerdict(verdict, () => scenario.k6?.seen(recording), recording)
  }
  const ending = endAt(() => 0)
  const violation = violationIn(ending)
  if (!violation || maxSkewMs === 0 || violationIn(endAt(slackOf))) return ending
  const why = `the clocks of the instances may differ by ${Math.ceil(maxSkewMs)} ms`
  const error = new Suspicion(`${violation.message}; ${why}`, violation.evidence)
  return { kind: 'threw', error }
}

interface K6Run {
  readonly paths: readonly string[]
  readonly scenarios: readonly Scenario[]
  /** Null: those of the plan. */
  readonly thresholds: Thresholds | null
  readonly options: Pick<RunOptions, 'strict' | 'command'>
}

/** In the order in which they were sent, by one clock. */
const align = (kept: readonly K6Sample[], { shiftOf }: Clocks): K6Sample[] =>
  kept
    .map((sample) => ({ ...sample, sentMs: sample.sentMs + shiftOf(sample.instance) }))
    .sort((a, b) => a.sentMs - b.sentMs)

const thresholdsOf = ({ thresholds }: K6Plan): Thresholds =>
  Object.keys(thresholds).length === 0 ? [] : readThresholds(JSON.stringify(thresholds))

const noteOf = ({ count, clocks: { maxSkewMs } }: K6Samples): string =>
  count === 1
    ? 'sent by one instance of k6'
    : `sent by ${count} instances of k6, whose clocks may differ by up to ` +
      `${Math.ceil(maxSkewMs)} ms`

/**
 * Reads the samples of one run and judges them.
 * @throws SamplesError where the files are not those of one whole run
 */
export const judgeK6 = async (run: K6Run, sink: RunSink): Promise<RunFile> => {
  const samples = new Samples()
  const read = await readK6(run.paths, samples.take)
  const { plan, startedMs, clocks } = read
  const redactor = createRedactor()
  redactor.hideKey(hiddenKey)
  const { baseUrl, keys } = plan
  const request = {
    url: `${baseUrl}${loadRequest.path}`,
    headers: [['Authorization', `Bearer ${hiddenKey}`]],
  } as const
  for (const [at, sample] of align(samples.kept, clocks).entries()) {
    samples.measure(sample, true)
    const sentAt = new Date(sample.sentMs).toISOString()
    const quota = keys.find(({ label }) => label === sample.key)
    const about = { seq: at + 1, at: sentAt, check: scenarioOf(sample.phase), movedMs: 0 }
    const exchange = exchangeFrom(sample, { ...about, ...(quota && { quota }) }, request)
    if (at < maxRecorded) sink.exchange?.(printLine(exchange, redactor))
    samples.exchanges.push([sample, exchange])
  }
  const results: CheckResult[] = []
  const written = { redactor, evidenceOf: createEvidence(redactor, []) }
  const record = (judged: Judged, ending: Ending, sent = 0) => {
    const result = makeResult(judged, ending, sent, written)
    results.push(result)
    sink.event({ kind: 'result', result })
  }
  const chosen = run.scenarios.filter(({ id }) => plan.phases.some((one) => one.scenario === id))
  for (const scenario of chosen) {
    for (const [at, verdict] of scenario.verdicts.entries()) {
      const sent = at === 0 ? samples.figures(scenario.id).sent : 0
      record(verdict, judge(read, samples, scenario, verdict), sent)
    }
  }
  const connections = Math.max(...plan.settings.connections)
  const load = chosen.map(({ id, says }) => {
    return { id, says, connections, columns: { target: samples.figures(id) } }
  })
  judgeThresholds(run.thresholds ?? thresholdsOf(plan), load, chosen, record)
  const { signal } = new AbortController()
  const options = { ...run.options, baseUrl, seed: 0, clockUrl: null, reach: direct, signal }
  const trace = samples.exchanges.map(([, exchange]) => exchange).filter(isAnswered)
  const file = summarise(options, {
    startedAt: new Date(startedMs),
    durationMs: samples.lastMs - startedMs,
    session: { redactor: createRedactor(), trace, keys },
    results,
    notes: [noteOf(read)],
    requests: samples.sent,
    impossible: null,
    selected: new Set(results.map(({ id }) => id)),
  })
  const labels = keys.map(({ label }) => label)
  return { ...file, requestsByKey: countByKey(labels, load, []), load }
}

// Judges what k6 sent with the verdicts of the scenarios: the same that judge our own driver.
import { direct } from '../../engine/client/reach.ts'
import { type AnsweredExchange, type Exchange, isAnswered } from '../../engine/exchange.ts'
import { Suspicion, Violation } from '../../engine/outcome.ts'
import { createEvidence, lineOf } from '../../engine/record/record.ts'
import { createRedactor } from '../../engine/record/redact.ts'
import type { CheckResult, LoadScenarioFigures, RunFile } from '../../engine/run-file.ts'
import type { RunOptions, RunSink } from '../../engine/run-options.ts'
import { resultOf, summarise } from '../../engine/run-state.ts'
import { labelKeys } from '../../engine/session.ts'
import { exchangeFrom, loadPath, maxRecorded } from '../exchanges.ts'
import { countByKey, settleThresholds } from '../load-results.ts'
import { endingOf } from '../run-scenario.ts'
import type { Recording, Scenario, Verdict } from '../scenario.ts'
import { readThresholds, type Thresholds } from '../thresholds.ts'
import { type Alignment, alignClocks } from './clocks.ts'
import { Samples, scenarioOf } from './collect.ts'
import { type K6Plan, loadPlanIn } from './plan.ts'
import { type K6Samples, readK6 } from './read.ts'
import type { K6Sample } from './sample-line.ts'

/** A placeholder for the keys, which no sample has; redacted like one. */
const hiddenKey = 'petvet-key-in-the-environment-of-k6'

const exchangeOf = (sample: K6Sample, seq: number, { baseUrl }: K6Plan): Exchange =>
  exchangeFrom(
    sample,
    {
      seq,
      at: new Date(sample.sentMs).toISOString(),
      check: scenarioOf(sample.phase),
      movedMs: 0,
    },
    { url: `${baseUrl}${loadPath}`, headers: [['Authorization', `Bearer ${hiddenKey}`]] },
  )

interface Judging {
  readonly plan: K6Plan
  readonly samples: Samples
  readonly exchanges: readonly (readonly [sample: K6Sample, exchange: Exchange])[]
}

/** @param widenedBy how far the clock of an instance may be wrong */
const recordingOf = (
  { plan, samples, exchanges }: Judging,
  { id }: Scenario,
  widenedBy: (instance: string) => number,
): Recording => {
  const names = plan.phases.filter(({ scenario }) => scenario === id).map(({ name }) => name)
  return {
    plan: loadPlanIn(plan),
    shared: plan.shared,
    exchanges: (label, parts, phase) =>
      exchanges
        .filter(([sample]) => {
          const isOfPhase =
            phase === undefined ? names.includes(sample.phase) : sample.phase === names[phase]
          return isOfPhase && sample.key === label && parts.includes(sample.part)
        })
        .map(([sample, exchange]) => {
          const ms = widenedBy(sample.instance)
          if (ms === 0) return exchange
          return { ...exchange, sentMs: exchange.sentMs - ms, receivedMs: exchange.receivedMs + ms }
        }),
    figures: samples.figures(id),
    phases: names.map((name) => samples.figures(name)),
  }
}

/** What clocks that differ may explain is no violation. */
const judge = (
  judging: Judging,
  scenario: Scenario,
  verdict: Verdict<unknown>,
  { maxSkewMs, slackOf }: Alignment,
) => {
  const endAt = (widenedBy: (instance: string) => number) => {
    try {
      return endingOf(verdict, scenario.k6?.seen(recordingOf(judging, scenario, widenedBy)))
    } catch (error) {
      return { kind: 'threw', error } as const
    }
  }
  const ending = endAt(() => 0)
  if (ending.kind !== 'threw' || !(ending.error instanceof Violation) || maxSkewMs === 0)
    return ending
  const widened = endAt(slackOf)
  if (widened.kind === 'threw' && widened.error instanceof Violation) return ending
  const { message, evidence } = ending.error
  const why = `the clocks of the instances may differ by ${Math.ceil(maxSkewMs)} ms`
  return { kind: 'threw', error: new Suspicion(`${message}; ${why}`, evidence) } as const
}

const optionsOf = (plan: K6Plan, given: GivenOptions): RunOptions => ({
  baseUrl: plan.baseUrl,
  keys: plan.keys.map(({ plan: name, perMinute, perDay }) => ({
    plan: name,
    key: '',
    quota: { perMinute, perDay },
  })),
  clockUrl: null,
  categories: [],
  allow: plan.allow,
  descriptionUrl: null,
  shared: plan.shared,
  seed: 0,
  maxRequests: 0,
  responseTimeoutMs: 0,
  headers: [],
  secrets: [],
  reach: direct,
  signal: new AbortController().signal,
  ...given,
})

type GivenOptions = Pick<RunOptions, 'strict' | 'again'>

interface K6Run {
  readonly paths: readonly string[]
  readonly scenarios: readonly Scenario[]
  /** Null: those of the plan. */
  readonly thresholds: Thresholds | null
  readonly options: GivenOptions
}

const align = (kept: readonly K6Sample[], { shiftOf }: Alignment): K6Sample[] =>
  kept
    .map((sample) => ({ ...sample, sentMs: sample.sentMs + shiftOf(sample.instance) }))
    .sort((a, b) => a.sentMs - b.sentMs)

const thresholdsOf = ({ thresholds }: K6Plan): Thresholds =>
  Object.keys(thresholds).length === 0 ? [] : readThresholds(JSON.stringify(thresholds))

interface Judged {
  readonly results: readonly CheckResult[]
  readonly load: readonly LoadScenarioFigures[]
  readonly notes: readonly string[]
  readonly trace: readonly AnsweredExchange[]
}

const notesOf = ({ instances }: K6Samples, { maxSkewMs }: Alignment): string[] => {
  const count = instances.size
  if (count === 1) return ['sent by one instance of k6']
  const skew = Math.ceil(maxSkewMs)
  return [`sent by ${count} instances of k6, whose clocks may differ by up to ${skew} ms`]
}

const fileOf = (
  { options: given }: K6Run,
  { plan, instances }: K6Samples,
  samples: Samples,
  { results, load, notes, trace }: Judged,
): RunFile => {
  const options = optionsOf(plan, given)
  const starts = [...instances.values()].map(({ startedMs }) => startedMs)
  const keys = labelKeys(options.keys)
  const file = summarise(options, {
    startedAt: new Date(Math.min(...starts)),
    durationMs: samples.lastMs - Math.min(...starts),
    session: { redactor: createRedactor(), trace, keys },
    results,
    notes,
    requests: samples.sent,
    impossible: null,
    selected: new Set(results.map(({ id }) => id)),
  })
  return { ...file, requestsByKey: countByKey(keys, load, []), load }
}

/**
 * Reads the samples of one run and judges them.
 * @throws SamplesError where the files are not those of one whole run
 */
export const judgeK6 = async (run: K6Run, sink: RunSink): Promise<RunFile> => {
  const samples = new Samples()
  const read = await readK6(run.paths, samples.take)
  const { plan, instances } = read
  const alignment = alignClocks(instances)
  const redactor = createRedactor()
  redactor.hideKey(hiddenKey)
  const exchanges = align(samples.kept, alignment).map((sample, at) => {
    samples.measure(sample, true)
    const exchange = exchangeOf(sample, at + 1, plan)
    if (at < maxRecorded) sink.exchange(lineOf(exchange, redactor))
    return [sample, exchange] as const
  })
  const results: CheckResult[] = []
  const written = { redactor, evidenceOf: createEvidence(redactor, []) }
  const record = (
    judged: Parameters<typeof resultOf>[0],
    ending: Parameters<typeof resultOf>[1],
    sent = 0,
  ) => {
    const result = resultOf(judged, ending, sent, written)
    results.push(result)
    sink.event({ kind: 'result', result })
  }
  const chosen = run.scenarios.filter(({ id }) => plan.phases.some((one) => one.scenario === id))
  const judging = { plan, samples, exchanges }
  for (const scenario of chosen) {
    for (const [at, verdict] of scenario.verdicts.entries()) {
      const sent = at === 0 ? samples.figures(scenario.id).sent : 0
      record(verdict, judge(judging, scenario, verdict, alignment), sent)
    }
  }
  const load = chosen.map(({ id, says }) => ({
    id,
    says,
    connections: Math.max(...plan.settings.connections),
    columns: { target: samples.figures(id) },
  }))
  settleThresholds(run.thresholds ?? thresholdsOf(plan), load, chosen, record)
  return fileOf(run, read, samples, {
    results,
    load,
    notes: notesOf(read, alignment),
    trace: exchanges.map(([, exchange]) => exchange).filter(isAnswered),
  })
}

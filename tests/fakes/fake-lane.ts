// A lane without a server, in a time that only its waits let pass: for scenarios that keep a pace.
import { vi } from 'vitest'
import { KeyHandle } from '../../engine/check/key-handle.ts'
import type { LoadFigures } from '../../engine/check/run-file.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import type { Load, Sample } from '../../load/connection.ts'
import { loadRequest } from '../../load/load-server.ts'
import { createFates, Meter } from '../../load/meter.ts'
import { keepPace } from '../../load/pace.ts'
import type { Lane, Scenario } from '../../load/scenario.ts'
import type { Plan, Quota } from '../../spec/plans.ts'
import { fakeTrace } from './fake-exchange.ts'

/** What the server does with one request. */
export interface FakeReply {
  readonly ms: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

interface FakeThroughput {
  readonly perSecond: number
  readonly failing?: number
  readonly status?: number
}

export interface FakeLaneParts {
  readonly plan?: Plan
  readonly quota: Quota
  readonly lanes?: number
  readonly durationMs?: number | null
  readonly connections?: readonly number[]
  /** Called with the time since the beginning, and how many came before it. */
  readonly reply?: (atMs: number, before: number) => FakeReply
  /** Requests per second that so many connections get, how many of each hundred fail, and how. */
  readonly throughputOf?: (connections: number) => FakeThroughput
}

/** Stops the time; `vi.useRealTimers` ends that. */
export const beginFakeTime = (): void => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
}

interface FakeDrive {
  readonly atMs: number
  readonly load: Load
  readonly sent: number
}

/** A timer is late by more than what a pace looks at the clock for. */
const sleep = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms > 0 ? Math.ceil(ms) + 2 : 0)
}

const sampleOf = ({ ms, status = 200, headers = {} }: FakeReply, sentMs: number): Sample => ({
  key: 'key-1',
  response: { status, headers: Object.entries(headers), bytes: Buffer.of(), cut: false },
  ...{ noResponse: null, sentMs, receivedMs: sentMs + ms },
})

const exchangeOf = (sample: Sample) => ({
  ...sample,
  ...{ seq: 1, at: new Date(0).toISOString(), check: 'fake', movedMs: 0, apiRequest: loadRequest },
  request: { method: 'GET', url: 'http://127.0.0.1/v1/pets', headers: [], body: null },
})

const driveWith =
  (
    { throughputOf }: FakeLaneParts,
    at: () => number,
    driven: FakeDrive[],
    take: (sample: Sample, own: Meter) => void,
    step: Meter['step'],
  ): Lane['drive'] =>
  async (load) => {
    const own = new Meter()
    const usual: FakeThroughput = { perSecond: 1_000 }
    const {
      perSecond,
      failing = 0,
      status: failed = 503,
    } = throughputOf?.(load.connections) ?? usual
    const inTime = Math.ceil((perSecond * (load.durationMs ?? Number.POSITIVE_INFINITY)) / 1_000)
    const sent = Math.min(load.amount, inTime)
    driven.push({ atMs: at(), load, sent })
    for (let index = 0; index < sent; index += 1) {
      const status = index % 100 < failing ? failed : 200
      take(sampleOf({ ms: (load.connections * 1_000) / perSecond, status }, at()), own)
    }
    const durationMs = (sent * 1_000) / perSecond
    await vi.advanceTimersByTimeAsync(durationMs)
    const none = { neverSent: 0, ended: 'done', why: null } as const
    const { counts, latency } = own.figures()
    const all = { sent, durationMs, counts, latency, ...none }
    if (load.durationMs !== null) step(load.connections, all)
    return all
  }

type MeasuredLane = Lane & { readonly figures: () => LoadFigures }

export const fakeLane = (parts: FakeLaneParts) => {
  const startMs = performance.now()
  const at = () => performance.now() - startMs
  const meter = new Meter()
  const fateOf = createFates((sample) => ({ ...sample, at: '', apiRequest: loadRequest }))
  let frozenUntilMs = 0
  const sentMs: number[] = []
  const rests: number[] = []
  const driven: FakeDrive[] = []
  const callAt = async (dueMs: number | null) => {
    const sent = performance.now()
    sentMs.push(at())
    const reply = parts.reply?.(at(), sentMs.length - 1) ?? { ms: 1 }
    await new Promise((resolve) => setTimeout(resolve, reply.ms))
    const sample = sampleOf(reply, sent)
    const waitMs = 1_000 * Number(reply.headers?.['Retry-After'] ?? 0)
    frozenUntilMs = performance.now() + waitMs
    meter.take(sample, fateOf(sample), performance.now(), dueMs ?? sent)
    return exchangeOf(sample) as AnsweredExchange
  }

  const drive = driveWith(
    parts,
    at,
    driven,
    (sample, own) => {
      const fate = fateOf(sample)
      for (const each of [meter, own]) each.take(sample, fate, performance.now())
    },
    (connections, sent) => meter.step(connections, sent),
  )

  const send = () => callAt(null)
  const lane: MeasuredLane = {
    column: 'target',
    plan: {
      keys: [{ label: 'key-1', plan: parts.plan ?? 'business', quota: parts.quota }],
      banKey: undefined,
      allow: ['exhaust'],
      connections: parts.connections ?? [8],
      durationMs: parts.durationMs ?? null,
      ...{ shared: false, instant: false, lanes: parts.lanes ?? 1 },
    },
    drive,
    handleOf: (key) =>
      new KeyHandle(key, {
        ...{ call: send, insist: send, insistApart: send, spare: () => 0, responses: () => [] },
        rest: async () => {
          rests.push(at())
          await sleep(120_000)
        },
        waitForRetryAfter: () => sleep(frozenUntilMs - performance.now()),
        ...{ waitForMinute: async () => {}, pass: sleep, instant: false },
        clockMs: async () => performance.now(),
      }),
    keepPace: async (_label, perSecond, amount) => {
      const { neverSent, refusal } = await keepPace({ perSecond, amount, send: callAt, sleep })
      meter.neverSent += neverSent
      return refusal
    },
    ensureDay: async () => {},
    pass: sleep,
    sleep,
    pause: sleep,
    nowMs: () => performance.now(),
    figures: () => meter.figures(),
  }
  return { lane, sentMs, rests, driven, meter }
}

/**
 * Runs a scenario on a fake lane to its end.
 * @param betweenMs how long the other lanes take, after each slice of this one
 * @returns what each of its verdicts says, by its id
 */
export const runOnLane = async (scenario: Scenario, lane: MeasuredLane, betweenMs: number) => {
  const course = scenario.run(lane)
  for (;;) {
    let isOver = false
    const next = course.next().finally(() => {
      isOver = true
    })
    next.catch(() => {})
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(0)
      // In-flight requests are waited for, in a slice that sends nothing more.
      if (!isOver) await new Promise((resolve) => setImmediate(resolve))
      if (!isOver && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync()
    }
    if ((await next).done) return saidOf(scenario, lane)
    await vi.advanceTimersByTimeAsync(betweenMs)
  }
}

const saidOf = (scenario: Scenario, lane: MeasuredLane) => {
  const sent = { history: fakeTrace(), own: [], latestMs: 0, error: undefined }
  const held = { plan: lane.plan, figures: lane.figures(), ...sent }
  return Object.fromEntries(
    scenario.verdicts.map((verdict) => [
      verdict.id,
      'observe' in verdict ? verdict.observe(held) : 'judged',
    ]),
  )
}

// One proof: the suites put to one server, and whether they said of it what is true.
import { startReference } from '../../reference/start.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { runSuites } from '../../suites/kit/run.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import type { Subject } from './subject.ts'

export interface Proof {
  readonly id: string
  readonly kind: Subject['kind']
  readonly says: string
  readonly caughtBy: string | null
  /** Checks that failed, or warned of a should. */
  readonly killedBy: readonly string[]
  readonly requests: number
  readonly durationMs: number
  /** What is wrong with the proof, in one line; null where it holds. */
  readonly complaint: string | null
}

const key = 'petvet-proof-key-5f21c09b'
const requestsMost = 3_000
const answerTimeoutMs = 5_000

const idsOf = (run: RunFile, ...outcomes: string[]) =>
  run.checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)

const complaintOf = (subject: Subject, run: RunFile, killedBy: readonly string[]) => {
  const errors = idsOf(run, 'error')
  if (errors.length > 0) return `errors in ${errors.join(', ')}`
  if (subject.kind === 'mutant') {
    return killedBy.includes(subject.caughtBy ?? '') ? null : `not found by ${subject.caughtBy}`
  }
  if (subject.kind === 'constant') {
    const passed = idsOf(run, 'pass')
    return passed.length === 0 ? null : `passes ${passed.join(', ')}`
  }
  if (killedBy.length > 0) return `false alarm: ${killedBy.join(', ')}`
  return run.verdict === 'conformant' ? null : `verdict ${run.verdict}: ${run.impossible ?? ''}`
}

/** Starts the subject on free ports, runs the whole catalogue, and judges what it found. */
export const prove = async (subject: Subject, seed: number): Promise<Proof> => {
  const server = await startReference({
    keys: [{ plan: 'free', key }],
    store: 'memory',
    port: 0,
    clockPort: 0,
    variant: subject.variant,
    // A mutant may break in any way; what it answers is what counts.
    onFault: () => {},
  })
  try {
    const run = await runSuites(
      catalogue,
      {
        baseUrl: server.url,
        keys: [{ plan: 'free', key, quota: plans.free }],
        clockUrl: server.clockUrl ?? null,
        categories: subject.categories,
        allow: ['write', 'exhaust', 'ban', 'day'],
        descriptionUrl: server.descriptionUrl ?? null,
        shared: false,
        seed,
        maxRequests: requestsMost,
        strict: false,
        answerTimeoutMs,
        headers: [],
        secrets: [],
        ca: null,
        proxy: null,
        signal: new AbortController().signal,
      },
      { exchange: () => {}, event: () => {} },
    )
    const killedBy = idsOf(run, 'fail', 'warn')
    const { id, kind, says, caughtBy } = subject
    const complaint = complaintOf(subject, run, killedBy)
    const { requests, durationMs } = run
    return { id, kind, says, caughtBy, killedBy, requests, durationMs, complaint }
  } finally {
    await server.close()
  }
}

// One proof: the suites run against one server, and whether they judged it correctly.
import { chooseBanKey } from '../engine/check/keys.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import { runSuites } from '../engine/run/run.ts'
import { plainTarget } from '../engine/run/run-options.ts'
import { startReference } from '../reference/start.ts'
import { countEarlyRequests } from './early-requests.ts'
import { keysOf, type Subject } from './subject.ts'

export interface Proof {
  readonly id: string
  readonly kind: Subject['kind']
  readonly seed: number
  readonly says: string
  readonly caughtBy: string | null
  /** Checks that failed, or warned of a should. */
  readonly killedBy: readonly string[]
  readonly requests: number
  readonly durationMs: number
  /** What is wrong with the proof, in one line; null where it holds. */
  readonly complaint: string | null
}

const maxRequests = 6_000
const responseTimeoutMs = 5_000

type Checked = Pick<RunFile['checks'][number], 'id' | 'outcome'>

export const idsOf = ({ checks }: { checks: readonly Checked[] }, ...outcomes: string[]) =>
  checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)

/** False where something was missing; an inconclusive check ran, and has a legal explanation. */
const hasRun = ({ checks }: RunFile, id: string): boolean => {
  const { outcome, because } = checks.find((each) => each.id === id) ?? {}
  if (outcome === 'untested') return because === 'ambiguous'
  return outcome !== undefined && outcome !== 'inapplicable'
}

const complaintOf = (
  subject: Subject,
  run: RunFile,
  killedBy: readonly string[],
  early: number,
): string | null => {
  const errors = idsOf(run, 'error')
  if (early > 0) return `${early} requests before Retry-After had elapsed`
  if (errors.length > 0) return `errors in ${errors.join(', ')}`
  if (subject.kind === 'mutant') {
    return killedBy.includes(subject.caughtBy ?? '') ? null : `not found by ${subject.caughtBy}`
  }
  if (subject.kind === 'constant') {
    const passed = idsOf(run, 'pass')
    return passed.length === 0 ? null : `passes ${passed.join(', ')}`
  }
  const failed = idsOf(run, 'fail')
  const alarms = killedBy.filter((id) => failed.includes(id) || !subject.warns.includes(id))
  if (alarms.length > 0) return `false alarm: ${alarms.join(', ')}`
  const idle = subject.exercises.filter((id) => !hasRun(run, id))
  if (idle.length > 0) return `not run: ${idle.join(', ')}`
  return run.verdict === 'conformant' ? null : `verdict ${run.verdict}: ${run.impossible ?? ''}`
}

/** Starts the subject on free ports, runs its checks, and judges their results. */
export const proveWithRun = async (
  subject: Subject,
  seed: number,
): Promise<{ readonly proof: Proof; readonly run: RunFile }> => {
  const keys = keysOf(subject.vetting)
  const early = countEarlyRequests(subject.variant, chooseBanKey(keys)?.key)
  const server = await startReference({
    keys: keys.map(({ plan, key, quota }) => ({ plan, key, ...quota })),
    store: 'memory',
    port: 0,
    clockPort: 0,
    variant: early.variant,
    // A mutant may break in any way; only its responses count.
    onFault: () => {},
  })
  try {
    const run = await runSuites(
      subject.vetting.checks,
      {
        ...plainTarget,
        baseUrl: server.url,
        keys,
        clockUrl: server.clockUrl ?? null,
        categories: subject.categories,
        allow: subject.vetting.allow,
        descriptionUrl: server.descriptionUrl ?? null,
        ...{ seed, maxRequests, strict: false, responseTimeoutMs },
        signal: new AbortController().signal,
      },
      { exchange: () => {}, event: () => {} },
    )
    const killedBy = idsOf(run, 'fail', 'warn')
    const { id, kind, says, caughtBy } = subject
    const complaint = complaintOf(subject, run, killedBy, early.count())
    const { requests, durationMs } = run
    const proof = { id, kind, seed, says, caughtBy, killedBy, requests, durationMs, complaint }
    return { proof, run }
  } finally {
    await server.close()
  }
}

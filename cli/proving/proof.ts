// One proof: the suites put to one server, and whether they said of it what is true.

import { chooseBanKey } from '../../engine/quota/limits.ts'
import { runSuites } from '../../engine/run.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { direct } from '../../engine/wire/reach.ts'
import { startReference } from '../../reference/start.ts'
import type { Subject } from './subject.ts'
import { keysOf } from './vetting.ts'
import { type Witness, witnessed } from './witness.ts'

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

const requestsMost = 6_000
const answerTimeoutMs = 5_000

const idsOf = (run: RunFile, ...outcomes: string[]) =>
  run.checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)

/** Not so where something was missing; what is ambiguous was asked, and has a legal explanation. */
const wasAsked = ({ checks }: RunFile, id: string): boolean => {
  const { outcome, because } = checks.find((each) => each.id === id) ?? {}
  if (outcome === 'untested') return because === 'ambiguous'
  return outcome !== undefined && outcome !== 'inapplicable'
}

const complaintOf = (
  subject: Subject,
  run: RunFile,
  killedBy: readonly string[],
  { knocks }: Witness,
): string | null => {
  const errors = idsOf(run, 'error')
  if (knocks() > 0) return `${knocks()} requests before the time that a refusal had stated`
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
  const idle = subject.exercises.filter((id) => !wasAsked(run, id))
  if (idle.length > 0) return `not asked: ${idle.join(', ')}`
  return run.verdict === 'conformant' ? null : `verdict ${run.verdict}: ${run.impossible ?? ''}`
}

/** Starts the subject on free ports, runs its checks on it, and judges what was found. */
export const proveWithRun = async (
  subject: Subject,
  seed: number,
): Promise<{ readonly proof: Proof; readonly run: RunFile }> => {
  const keys = keysOf(subject.vetting)
  const witness = witnessed(subject.variant, chooseBanKey(keys)?.key)
  const server = await startReference({
    keys: keys.map(({ plan, key, quota }) => ({ plan, key, ...quota })),
    store: 'memory',
    port: 0,
    clockPort: 0,
    variant: witness.variant,
    // A mutant may break in any way; what it answers is what counts.
    onFault: () => {},
  })
  try {
    const run = await runSuites(
      subject.vetting.questions,
      {
        baseUrl: server.url,
        keys,
        clockUrl: server.clockUrl ?? null,
        categories: subject.categories,
        allow: subject.vetting.allow,
        descriptionUrl: server.descriptionUrl ?? null,
        shared: false,
        seed,
        maxRequests: requestsMost,
        strict: false,
        answerTimeoutMs,
        headers: [],
        secrets: [],
        reach: direct,
        signal: new AbortController().signal,
      },
      { exchange: () => {}, event: () => {} },
    )
    const killedBy = idsOf(run, 'fail', 'warn')
    const { id, kind, says, caughtBy } = subject
    const complaint = complaintOf(subject, run, killedBy, witness)
    const { requests, durationMs } = run
    const proof = { id, kind, seed, says, caughtBy, killedBy, requests, durationMs, complaint }
    return { proof, run }
  } finally {
    await server.close()
  }
}

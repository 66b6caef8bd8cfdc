// A run of the whole catalogue against the reference, for the tests about the whole.

import { permissions } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { runSuites } from '../engine/run/run.ts'
import { plainTarget, type RunOptions } from '../engine/run/run-options.ts'
import { type ReferenceOptions, startReference } from '../reference/start.ts'
import { type Plan, plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'

export const testKey = 'petvet-test-key-77aa01'

export interface Vetted {
  readonly run: RunFile
  /** The lines of exchanges.ndjson. */
  readonly lines: readonly string[]
}

/** The numbers of Enterprise are agreed case by case: these are small. */
const quotas = { ...plans, enterprise: { perMinute: 90, perDay: 460 } }

export const keyOf = (plan: Plan, name: string, own: Partial<KeyOption> = {}): KeyOption => ({
  plan,
  key: `petvet-test-key-${name}`,
  quota: quotas[plan],
  ...own,
})

const free = keyOf('free', '', { key: testKey })

/** Two keys of one plan: one may be banned, and the other is exhausted. */
export const twoFree = [keyOf('free', 'one'), keyOf('free', 'two')]

/** Where neither lines nor events are kept. */
export const silent = { event: () => {} }

/** Options of a run against a target on loopback, all permissions given. */
export const testOptions = (baseUrl: string, differing: Partial<RunOptions>): RunOptions => ({
  ...plainTarget,
  baseUrl,
  keys: [free],
  allow: permissions,
  seed: 7,
  maxRequests: 4_000,
  strict: false,
  responseTimeoutMs: 5_000,
  pausesMs: [],
  signal: new AbortController().signal,
  ...differing,
})

const isOfLimits = (check: AnyCheck): boolean =>
  check.kind !== 'clause' && ['limits', 'bans', 'days'].includes(check.needs.stage)

/** The checks about limits, bans and days, and the clauses. */
export const limitChecks = catalogue.filter((check) => check.kind === 'clause' || isOfLimits(check))

export const vetReference = async (
  server: Partial<ReferenceOptions>,
  differing: Partial<RunOptions>,
  checks: readonly AnyCheck[] = catalogue,
): Promise<Vetted> => {
  const faults: unknown[] = []
  const { url, clockUrl, descriptionUrl, close } = await startReference({
    keys: [free],
    clockPort: 0,
    onFault: (fault) => faults.push(fault),
    ...server,
  })
  const lines: string[] = []
  try {
    const options = { clockUrl: clockUrl ?? null, descriptionUrl, ...differing }
    const run = await runSuites(checks, testOptions(url, options), {
      exchange: (line) => lines.push(line),
      event: () => {},
    })
    if (faults.length > 0) throw faults[0]
    return { run, lines }
  } finally {
    await close()
  }
}

/** The checks of a run that ended in one of these outcomes, one line each. */
export const outcomesOf = (run: RunFile, ...outcomes: string[]): string[] =>
  run.checks
    .filter(({ outcome }) => outcomes.includes(outcome))
    .map(({ id, outcome, detail }) => `${outcome} ${id}: ${detail}`)

/** The checks of a run that ended in one of these outcomes. */
export const idsOf = ({ checks }: RunFile, ...outcomes: string[]): string[] =>
  checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)

/** The outcome of each check, with what was observed, so that two runs can be compared. */
export const endingsOf = ({ checks }: RunFile): Readonly<Record<string, string>> =>
  Object.fromEntries(
    checks.map(({ id, outcome, because, detail }) => [
      id,
      [outcome, because, outcome === 'observed' ? detail : null].filter(Boolean).join(' '),
    ]),
  )

// What a run in virtual time finds at a server, with every means and with few.
import { type Features, type SignatureText, textsOf } from '../causes/dictionary.ts'
import { permissions } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { KeyOption } from '../engine/check/keys.ts'
import { isViolation } from '../engine/check/outcome.ts'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import type { Mutant } from '../reference/mutant.ts'
import type { Plan } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { quotaOf } from './servers.ts'
import { openVirtually, runVirtually, type Surrounding } from './virtual-run.ts'

/** @returns the signature of a run: each check that failed or warned, with its features */
export const signatureOf = (checks: readonly CheckResult[]): SignatureText =>
  Object.fromEntries(
    checks
      .filter(({ outcome }) => isViolation(outcome))
      .map((result): [string, Features] => [result.id, textsOf(result)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const keyAt = (plan: Plan, position: number, own: Partial<KeyOption> = {}): KeyOption => ({
  plan,
  key: `petvet-dictionary-key-${plan}-${position}-5f21c09b`,
  quota: quotaOf(plan),
  ...own,
})

const conditions = {
  full: {
    keys: [
      keyAt('free', 1),
      keyAt('free', 2),
      keyAt('pro', 1),
      keyAt('business', 1),
      keyAt('enterprise', 1),
      keyAt('free', 3, { use: 'ban' }),
    ],
    hasClock: true,
    allow: permissions,
  },
  plain: { keys: [keyAt('free', 1)], hasClock: false, allow: ['write'] },
} as const

export type Condition = keyof typeof conditions

/** @param own what surrounds the run otherwise than where the dictionary is made */
export const runAt = async (
  mutant: Pick<Mutant, 'parts' | 'handle' | 'basePath' | 'categories'>,
  condition: Condition,
  seed: number,
  { onExchange, ...own }: Partial<Surrounding> & { onExchange?: (line: string) => void } = {},
  checks: readonly AnyCheck[] = catalogue,
): Promise<RunFile> => {
  const { keys, ...allowed } = conditions[condition]
  const surrounding = {
    ...allowed,
    latency: { minMs: 2, maxMs: 2, seed },
    skewMs: 0,
    startMs: Date.UTC(2026, 10, 20, 10),
    shared: false,
    maxRequests: 10_000,
    seed,
    basePath: mutant.basePath,
    categories: mutant.categories,
    ...own,
  }
  return runVirtually(openVirtually(mutant, keys, surrounding), checks, onExchange)
}

/** What the first minute of a Free key finds with these checks. */
export const firstMinute = (
  mutant: Pick<Mutant, 'parts' | 'handle' | 'basePath' | 'categories'>,
  ofSeed: number,
  checks: readonly AnyCheck[] = catalogue,
): Promise<RunFile> => runAt(mutant, 'plain', ofSeed, { noWait: true }, checks)

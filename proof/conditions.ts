// The two conditions under which the net runs all checks against a server, in virtual time.
import { permissions } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import type { Mutant } from '../reference/variant.ts'
import type { Plan } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { provenQuota } from './subjects.ts'
import { openVirtually, runVirtually, type Surrounding } from './virtual-run.ts'

const keyAt = (plan: Plan, position: number, own: Partial<KeyOption> = {}): KeyOption => ({
  plan,
  key: `petvet-net-key-${plan}-${position}-5f21c09b`,
  quota: provenQuota(plan),
  ...own,
})

const conditions = {
  /** Keys of all plans, a test clock, and all permissions. */
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
  /** One Free key and no clock, in its first minutes. */
  oneKey: { keys: [keyAt('free', 1)], hasClock: false, allow: ['write', 'expose'] },
} as const

export type Condition = keyof typeof conditions

interface Watched extends Partial<Surrounding> {
  readonly onExchange?: (line: string) => void
  readonly around?: Parameters<typeof openVirtually>[3]
}

/**
 * Runs checks against a server over the reference, in virtual time.
 * @param own what surrounds the run differently; `onExchange` gets each line of exchanges.ndjson,
 *   and `around` what is sent
 */
export const runAt = async (
  server: Pick<Mutant, 'parts' | 'handle' | 'basePath' | 'categories'>,
  condition: Condition,
  seed: number,
  { onExchange, around, ...own }: Watched = {},
  checks: readonly AnyCheck[] = catalogue,
): Promise<RunFile> => {
  const { keys, ...allowed } = conditions[condition]
  const surrounding = {
    ...allowed,
    maxRequests: 10_000,
    seed,
    // What a run creates is the same each time.
    runId: '5f21c09b',
    basePath: server.basePath,
    categories: server.categories,
    ...own,
  }
  return runVirtually(openVirtually(server, keys, surrounding, around), checks, {
    ...(onExchange && { exchange: onExchange }),
  })
}

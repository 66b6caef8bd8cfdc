// Runs on mutants in virtual time, and what a diagnosis with the shipped dictionary finds in them.
import { withCauses } from '../../causes/diagnose.ts'
import { dictionary } from '../../causes/dictionary.ts'
import { isViolation } from '../../engine/outcome.ts'
import type { Cause, CheckResult, RunFile } from '../../engine/run-file.ts'
import type { Variant } from '../../reference/compose.ts'
import type { Mutant } from '../../reference/mutant.ts'
import { mutants } from '../../reference/mutants.ts'
import { type Plan, plans, type Quota } from '../../spec/plans.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { catalogue } from '../../suites/index.ts'
import { vetVariant } from '../virtual/vet.ts'

/** Other than the seed of the dictionary. */
const seed = 11

const enterprise: Quota = { perMinute: 90, perDay: 1_000 }

const keysOf = (given: readonly Plan[]) =>
  given.map((plan, at) => ({
    plan,
    key: `petvet-diagnosis-${plan}-${at}`,
    quota: plan === 'enterprise' ? enterprise : plans[plan],
  }))

const conditions = {
  full: {
    keys: keysOf(['free', 'free', 'free', 'pro', 'business', 'enterprise']),
    hasClock: true,
    allow: ['write', 'exhaust', 'ban', 'day'],
  },
  plain: { keys: keysOf(['free']), hasClock: false, allow: ['write'] },
} as const

export type Condition = keyof typeof conditions

const runAt = async (variant: Variant, condition: Condition): Promise<RunFile> => {
  const { keys, hasClock, allow } = conditions[condition]
  const { run } = await vetVariant(
    variant,
    keys,
    {
      latency: { minMs: 1, maxMs: 4, seed },
      skewMs: 0,
      hasClock,
      startMs: Date.UTC(2026, 10, 20, 12),
      foreign: null,
      shared: false,
      allow,
      maxRequests: 10_000,
      seed,
    },
    catalogue,
  )
  return run
}

export interface Diagnosed {
  readonly mutant: Mutant
  readonly failures: number
  readonly causes: readonly Cause[]
}

const causesOf = (run: RunFile): readonly Cause[] => withCauses(run).causes ?? []

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)

export const diagnosedAt = async (mutant: Mutant, condition: Condition): Promise<Diagnosed> => {
  const run = await runAt(mutant, condition)
  return {
    mutant,
    failures: run.checks.filter(isBad).length,
    causes: causesOf(run),
  }
}

/** Both faults in one server: the second one wraps what the first one changed. */
const together = (one: Variant, other: Variant): Variant => ({
  parts: (honest) => {
    const changed = one.parts?.(honest) ?? {}
    return { ...changed, ...other.parts?.({ ...honest, ...changed }) }
  },
  handle: (honest, parts) => {
    const handle = one.handle?.(honest, parts) ?? honest
    return other.handle?.(handle, parts) ?? handle
  },
})

/**
 * The causes that are found at a server with two faults.
 * @returns null where one fault hides the other: its own check does not fail
 */
export const causesOfBoth = async (
  one: Mutant,
  other: Mutant,
): Promise<readonly Cause[] | null> => {
  const run = await runAt(together(one, other), 'full')
  const failed = new Set(run.checks.filter(isBad).map(({ id }) => id))
  const isSeen = [one, other].every(({ caughtBy }) => failed.has(caughtBy))
  return isSeen ? causesOf(run) : null
}

export const isNamed = ({ mutant, orElse }: Cause, id: string): boolean =>
  mutant === id || orElse.includes(id)

const requirementOf = (mutant: Mutant): RequirementId | undefined =>
  dictionary().find((entry) => entry.mutants.includes(mutant.id))?.requirement

/** Mutants that need no description, base address or categories of their own, shuffled. */
export const shuffledMutants = (): readonly Mutant[] => {
  let state = seed
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  return mutants
    .filter(
      ({ description, basePath, categories }) =>
        (description ?? basePath ?? categories) === undefined,
    )
    .map((mutant) => ({ mutant, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ mutant }) => mutant)
}

/** Pairs of mutants that violate requirements under different headings. */
export const pairsOf = (
  all: readonly Mutant[],
  most: number,
): readonly (readonly [Mutant, Mutant])[] => {
  const headingOf = (mutant: Mutant) => requirementOf(mutant)?.split('.')[0]
  const left = all.filter((mutant) => headingOf(mutant) !== undefined)
  const pairs: [Mutant, Mutant][] = []
  while (pairs.length < most) {
    const one = left.shift()
    const at = left.findIndex((each) => one !== undefined && headingOf(each) !== headingOf(one))
    const [other] = at < 0 ? [] : left.splice(at, 1)
    if (!one || !other) break
    pairs.push([one, other])
  }
  return pairs
}

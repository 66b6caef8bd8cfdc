// Runs on mutants in virtual time, and what a diagnosis with the shipped dictionary finds in them.
import { withCauses } from '../../causes/diagnose.ts'
import { type Dictionary, dictionary } from '../../causes/dictionary.ts'
import { isViolation } from '../../engine/outcome.ts'
import type { Cause, CheckResult, RunFile } from '../../engine/run-file.ts'
import type { Variant } from '../../reference/compose.ts'
import type { Mutant } from '../../reference/mutant.ts'
import { mutants } from '../../reference/mutants.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { catalogue } from '../../suites/index.ts'
import { conditions } from '../dictionary/signatures.ts'
import { vetVariant } from '../virtual/vet.ts'

/** Other than the seed of the dictionary. */
const seed = 11

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
  /** With the whole dictionary, and without the entry of the mutant. */
  readonly causes: readonly Cause[]
  readonly withoutOwn: readonly Cause[]
}

const causesOf = (run: RunFile, known: Dictionary): readonly Cause[] =>
  withCauses(run, known).causes ?? []

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)

export const diagnosedAt = async (mutant: Mutant, condition: Condition): Promise<Diagnosed> => {
  const run = await runAt(mutant, condition)
  const others = dictionary().filter((entry) => !entry.mutants.includes(mutant.id))
  return {
    mutant,
    failures: run.checks.filter(isBad).length,
    causes: causesOf(run, dictionary()),
    withoutOwn: causesOf(run, others),
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
  return isSeen ? causesOf(run, dictionary()) : null
}

export const isNamed = ({ mutant, orElse }: Cause, id: string): boolean =>
  mutant === id || orElse.includes(id)

export const requirementOf = (mutant: Mutant): RequirementId | undefined =>
  dictionary().find((entry) => entry.mutants.includes(mutant.id))?.requirement

/** What a requirement is about: operations and properties, by the beginning of its id. */
const subjects: readonly (readonly [string, readonly string[]])[] = [
  ['auth', ['auth']],
  ['auth.per-key', ['auth', 'quota', 'key']],
  ['ban', ['ban', 'retry']],
  ['ban.own-key', ['ban', 'key']],
  ['bounds.limit', ['list']],
  ['create', ['create', 'pet']],
  ['create.unauthorized', ['create', 'auth']],
  ['error', ['error']],
  ['errors', ['error']],
  ['errors.400', ['error', 'create']],
  ['errors.401', ['error', 'auth']],
  ['errors.404', ['error', 'get']],
  ['errors.429', ['error', 'quota']],
  ['get', ['get', 'pet']],
  ['get.unauthorized', ['get', 'auth']],
  ['headers', ['header']],
  ['headers.remaining', ['header', 'quota']],
  ['limits', ['quota']],
  ['list', ['list', 'pet']],
  ['list.unauthorized', ['list', 'auth']],
  ['new-pet', ['create', 'pet']],
  ['pet', ['pet']],
  ['pet-status', ['pet']],
  ['pets', ['list']],
  ['retry-after', ['retry', 'quota']],
  ['service.counted', ['quota']],
  ['service.key', ['auth']],
  ['service.json', ['format']],
  ['states', ['pet']],
  ['version', ['version']],
  ['version.deprecated-works', ['version', 'get']],
]

const subjectsOf = (requirement: string): readonly string[] => {
  const isOf = (prefix: string) => requirement === prefix || requirement.startsWith(`${prefix}.`)
  const matching = subjects.filter(([prefix]) => isOf(prefix))
  return matching.sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? [requirement]
}

/** Whether a cause names the requirement of the mutant, or its operation or property. */
export const isNear = (cause: Cause | undefined, mutant: Mutant): boolean => {
  const own = requirementOf(mutant)
  if (cause === undefined || own === undefined) return false
  const named = subjectsOf(cause.requirement)
  return cause.requirement === own || subjectsOf(own).some((each) => named.includes(each))
}

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

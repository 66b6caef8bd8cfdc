// How well causes are found: at mutants by another seed, at unknown faults, and at two faults.
import { expect, test } from 'vitest'
import { withCauses } from '../../causes/diagnose.ts'
import { type Dictionary, dictionary } from '../../causes/dictionary.ts'
import { isViolation } from '../../engine/outcome.ts'
import type { Cause, CheckResult, RunFile } from '../../engine/run-file.ts'
import type { Variant } from '../../reference/compose.ts'
import type { Mutant } from '../../reference/mutant.ts'
import { mutants } from '../../reference/mutants.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import { type Condition, runAt as runOf } from '../dictionary/signatures.ts'

/** Other than the seed of the dictionary. */
const seed = 11

const runAt = (variant: Variant, condition: Condition): Promise<RunFile> =>
  runOf(variant, condition, seed, {
    latency: { minMs: 1, maxMs: 4, seed },
    startMs: Date.UTC(2026, 10, 20, 12),
  })

interface Diagnosed {
  readonly mutant: Mutant
  readonly failures: number
  /** With the whole dictionary, and without the entry of the mutant. */
  readonly causes: readonly Cause[]
  readonly withoutOwn: readonly Cause[]
}

const causesOf = (run: RunFile, known: Dictionary): readonly Cause[] =>
  withCauses(run, known).causes ?? []

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)

const diagnosedAt = async (mutant: Mutant, condition: Condition): Promise<Diagnosed> => {
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
const causesOfBoth = async (one: Mutant, other: Mutant): Promise<readonly Cause[] | null> => {
  const run = await runAt(together(one, other), 'full')
  const failed = new Set(run.checks.filter(isBad).map(({ id }) => id))
  const isSeen = [one, other].every(({ caughtBy }) => failed.has(caughtBy))
  return isSeen ? causesOf(run, dictionary()) : null
}

const isNamed = ({ mutant, orElse }: Cause, id: string): boolean =>
  mutant === id || orElse.includes(id)

const requirementOf = (mutant: Mutant): RequirementId | undefined =>
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
const isNear = (cause: Cause | undefined, mutant: Mutant): boolean => {
  const own = requirementOf(mutant)
  if (cause === undefined || own === undefined) return false
  const named = subjectsOf(cause.requirement)
  return cause.requirement === own || subjectsOf(own).some((each) => named.includes(each))
}

/** Mutants that need no description, base address or categories of their own, shuffled. */
const shuffledMutants = (): readonly Mutant[] => {
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
const pairsOf = (all: readonly Mutant[], most: number): readonly (readonly [Mutant, Mutant])[] => {
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

const samples = { full: 150, plain: 150 }
const pairs = 100
/** Some faults hide each other. */
const maxPairs = 150

const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.filter(holds).length / items.length

test.each(['full', 'plain'] as const)(
  'the causes of one fault, %s',
  async (condition: Condition) => {
    const found: Diagnosed[] = []
    for (const mutant of shuffledMutants().slice(0, samples[condition])) {
      const diagnosed = await diagnosedAt(mutant, condition)
      if (diagnosed.failures > 0) found.push(diagnosed)
    }
    const named = share(
      found,
      ({ causes: [first], mutant }) => !!first && isNamed(first, mutant.id),
    )
    const near = share(found, ({ withoutOwn: [first], mutant }) => isNear(first, mutant))
    const misled = share(
      found,
      ({ withoutOwn: [first], mutant }) => first?.confidence === 'high' && !isNear(first, mutant),
    )
    console.log(
      `${condition}, ${found.length} mutants with failures: ` +
        `named ${named}, near without its entry ${near}, misled ${misled}`,
    )
    expect(named).toBeGreaterThanOrEqual(0.97)
    expect(near).toBeGreaterThanOrEqual(0.85)
    expect(misled).toBeLessThanOrEqual(0.03)
  },
)

test('both of two faults are among the first three causes', async () => {
  const missed: string[] = []
  let seen = 0
  for (const [one, other] of pairsOf(shuffledMutants(), maxPairs)) {
    const causes = seen < pairs ? await causesOfBoth(one, other) : null
    if (causes === null) continue
    seen += 1
    const first = causes.slice(0, 3)
    const isFound = ({ id }: Mutant) => first.some((cause) => isNamed(cause, id))
    if (!isFound(one) || !isFound(other)) missed.push(`${one.id} and ${other.id}`)
  }
  console.log(`${seen - missed.length} of ${seen} pairs; not: ${missed.join(', ')}`)
  expect(seen).toBe(pairs)
  expect(seen - missed.length).toBeGreaterThanOrEqual(0.8 * pairs)
})

// How true headlines are at mutants, and at two faults in one server: one fault has few of them,
// and what was observed has to occur in what is shown with it.
import { expect, test } from 'vitest'
import { withCauses } from '../../causes/diagnose.ts'
import { isViolation } from '../../engine/check/outcome.ts'
import type { Cause, CheckResult, Finding, RunFile } from '../../engine/check/run-file.ts'
import { type Condition, runAt as runOf } from '../../proof/conditions.ts'
import { type Mutant, together, type Variant } from '../../reference/variant.ts'
import { setsOf, shuffledMutants } from '../several-faults.ts'

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)

const seed = 11

const runAt = async (variant: Variant, condition: Condition): Promise<RunFile> =>
  withCauses(
    await runOf(variant, condition, seed, {
      latency: { minMs: 1, maxMs: 4, seed },
      startMs: Date.UTC(2026, 10, 20, 12),
    }),
  )

/** What is no data of the server: how many responses, how many more conditions, how deep a body. */
const counted =
  / \((?:all \d+ responses that were judged|\d+ of \d+ responses)\)$|\d+ more\b|nested \d+ deep/g

/** What was computed from all responses, not from those that are shown. */
const computedIn = ({ contrast }: Finding): readonly string[] => (contrast ? [contrast.words] : [])

/** Numbers, statuses, headers and members that a sentence names. */
const namedIn = (observed: string, computed: readonly string[]): readonly string[] =>
  computed
    .reduce((text, each) => text.replace(each, ''), observed)
    .replaceAll(counted, '')
    // No exchange has what is missing.
    .replaceAll(/ without \w+/g, '')
    .match(/\d+|X-RateLimit-\w+|Retry-After|Content-Type|\b(?:categoryId|name|code|message)\b/g) ??
  []

/** What a headline names, and no request, response or expectation under it has. */
const unbacked = (cause: Cause, { checks }: RunFile): readonly string[] => {
  const own = checks.filter(({ id }) => cause.explains.includes(id))
  const shown = JSON.stringify(
    own.map(({ expected, actual, evidence, findings = [] }) => {
      return [expected, actual, evidence, findings.map(({ kind }) => kind)]
    }),
  ).toLowerCase()
  const computed = own.flatMap(({ findings = [] }) => findings.flatMap(computedIn))
  return namedIn(cause.observed, computed).filter((each) => !shown.includes(each.toLowerCase()))
}

const samples = Number(process.env.PETVET_MUTANTS ?? 80)

type Found = Pick<RunFile, 'causes' | 'checks'>

const failuresIn = ({ checks }: Found): number => checks.filter(isBad).length

/** What is due of the headlines of one fault, and in which share of the mutants. */
const due: readonly (readonly [string, number, (run: Found) => boolean])[] = [
  ['one headline', 0.75, ({ causes = [] }) => causes.length === 1],
  ['at most three', 0.97, ({ causes = [] }) => causes.length <= 3],
  [
    'the first explains 90 % of the failures',
    0.75,
    (run) => (run.causes?.[0]?.explains.length ?? 0) >= 0.9 * failuresIn(run),
  ],
]

test.each(['full', 'oneKey'] as const)('at mutants, %s', async (condition) => {
  const found: (readonly [id: string, RunFile])[] = []
  for (const mutant of shuffledMutants(seed).slice(0, samples)) {
    const run = await runAt(mutant, condition)
    if (failuresIn(run) > 0) found.push([mutant.id, run])
  }
  const failing = found.flatMap(([id, run]) =>
    (run.causes ?? []).flatMap((cause) => {
      const parts = unbacked(cause, run)
      return parts.length > 0 ? [`${id}: ${parts.join(', ')} in ${cause.observed}`] : []
    }),
  )
  for (const [what, share, holds] of due) {
    const others = found.filter(([, run]) => !holds(run)).map(([id]) => id)
    const number = found.length - others.length
    console.log(`${condition}, ${what}: ${number} of ${found.length} mutants with failures`)
    console.log(`  not: ${others.join(', ')}`)
    expect.soft(number, what).toBeGreaterThanOrEqual(share * found.length)
  }
  expect(failing).toEqual([])
})

const pairs = 50
/** Some faults hide each other. */
const maxPairs = 75

test('two faults are under two headlines', async () => {
  const joined: string[] = []
  let seen = 0
  for (const [one, other] of setsOf(shuffledMutants(seed), 2).slice(0, maxPairs)) {
    if (!one || !other) continue
    if (seen >= pairs) break
    const run = await runAt(together(one, other), 'full')
    const failed = new Set(run.checks.filter(isBad).map(({ id }) => id))
    if (![one, other].every(({ caughtBy }) => failed.has(caughtBy))) continue
    seen += 1
    const headline = ({ caughtBy }: Mutant) =>
      run.causes?.find(({ explains }) => explains.includes(caughtBy))?.observed
    if (headline(one) === headline(other)) joined.push(`${one.id} and ${other.id}`)
  }
  console.log(`${seen - joined.length} of ${seen} pairs apart; not: ${joined.join(', ')}`)
  expect(seen).toBe(pairs)
  expect(joined.length).toBeLessThanOrEqual(0.05 * pairs)
})

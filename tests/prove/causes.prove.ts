// How true headlines are: at faults that the dictionary does not know, at mutants by another seed,
// and at two faults. What was observed has to occur in what is shown with it.
import { describe, expect, test } from 'vitest'
import { withCauses } from '../../causes/diagnose.ts'
import {
  type Dictionary,
  dictionary,
  type Entry,
  type Feature,
  type Features,
} from '../../causes/dictionary.ts'
import { isViolation } from '../../engine/check/outcome.ts'
import type { Cause, CheckResult, Finding, RunFile } from '../../engine/check/run-file.ts'
import { type Condition, runAt as runOf } from '../../proof/kill-table.ts'
import { type Mutant, together, type Variant } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'
import { setsOf, shuffledMutants } from '../several-faults.ts'

const conditions = ['full', 'plain'] as const
const confidences = ['high', 'medium', 'low'] as const

const causesOf = (run: Pick<RunFile, 'checks' | 'target'>, known: Dictionary): readonly Cause[] =>
  withCauses(run as RunFile, known).causes ?? []

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

const nothing: Feature = {
  ...{ aspect: 'behaviour', status: '-', name: '', kind: '', due: '', says: '' },
  ...{ operations: [], conditions: [] },
}

/** The feature that has this text, with the parts that are compared. */
const featureFrom = (text: string): Feature => {
  const [aspect, ...parts] = text.split('|')
  const pairs = parts.map((part) => {
    const at = part.indexOf(' ')
    const [name, value] = [part.slice(0, at), part.slice(at + 1)]
    const isList = name === 'operations' || name === 'conditions'
    return [name, isList ? value.split(', ').filter((each) => each !== '') : value]
  })
  return { ...nothing, ...Object.fromEntries(pairs), aspect: aspect as Feature['aspect'] }
}

/** A finding with the parts that the dictionary has. */
const findingFrom = (text: string): Finding => {
  const { due, says, status, conditions: peculiar, ...feature } = featureFrom(text)
  const [expected = '', actual = ''] =
    feature.aspect === 'behaviour' ? says.split(': ') : [due === 'refusal' ? 'a refusal' : due]
  return {
    ...feature,
    status: status === '-' ? null : Number(status),
    conditions: peculiar.map((each) => {
      const [about = '', ...kind] = each.split(' ')
      return { about, kind: kind.join(' '), words: each }
    }),
    ...(feature.aspect === 'status' && says !== '' && { situation: says }),
    expected,
    actual,
    times: 1,
    judged: 1,
    exchanges: [],
  }
}

/** The run in which an entry was found, as far as the dictionary has it: all other checks pass. */
const runFrom = (entry: Entry, condition: Condition): Pick<RunFile, 'checks' | 'target'> => {
  const failed: ReadonlyMap<string, Features> = entry[condition]
  const checks = catalogue.map(({ id, requirement }): CheckResult => {
    const features = failed.get(id)
    const base = { id, requirement, level: 'must' as const, because: null, requests: 1 }
    const own = { ...base, detail: '', evidence: [] }
    if (!features) return { ...own, outcome: 'pass' }
    return { ...own, outcome: 'fail', findings: features.map(findingFrom) }
  })
  return { checks, target: { clock: condition === 'full' } as RunFile['target'] }
}

/** Faults of one family violate what one check is there to find. */
const families = {
  entry: (one: Entry, other: Entry) => one === other,
  family: (one: Entry, other: Entry) => one.caughtBy === other.caughtBy,
}

describe.each(['entry', 'family'] as const)('with its own %s left out', (kind) => {
  test.each(conditions)('a fault draws no statement of another one, %s', (condition) => {
    const wrong = new Map<string, string[]>(confidences.map((each) => [each, []]))
    const entries = dictionary().filter((entry) => entry[condition].size > 0)
    for (const entry of entries) {
      const others = dictionary().filter((other) => !families[kind](entry, other))
      const named = causesOf(runFrom(entry, condition), others).filter(({ mutant }) => mutant)
      const worst = confidences.find((each) => named.some(({ confidence }) => confidence === each))
      if (worst) wrong.get(worst)?.push(`${entry.mutants[0]}: ${named.map((each) => each.mutant)}`)
    }
    const all = [...wrong.values()].flat().length
    for (const [confidence, names] of wrong) {
      console.log(`${kind} ${condition}, ${confidence}: ${percent(names.length, entries.length)}`)
      console.log(names.map((name) => `  ${name}`).join('\n'))
    }
    expect(entries.length).toBeGreaterThan(100)
    expect((wrong.get('high') ?? []).length).toBeLessThanOrEqual(0.02 * entries.length)
    expect(all).toBeLessThanOrEqual(0.11 * entries.length)
  })
})

/** Other than the seed of the dictionary. */
const seed = 11

const runAt = (variant: Variant, condition: Condition): Promise<RunFile> =>
  runOf(variant, condition, seed, {
    latency: { minMs: 1, maxMs: 4, seed },
    startMs: Date.UTC(2026, 10, 20, 12),
  })

/** What is no data of the server: how many responses, how many more conditions, how deep a body. */
const counted =
  / \((?:all \d+ responses that were judged|\d+ of \d+ responses)\)$|\d+ more\b|nested \d+ deep/g

/** What was computed from all responses, not from those that are shown. */
const computedIn = ({ contrast, only }: Finding): readonly string[] =>
  [contrast?.words, only].filter((text) => text !== undefined)

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

const samples = Number(process.env.PETVET_MUTANTS ?? 150)

interface Diagnosed {
  readonly mutant: Mutant
  readonly run: RunFile
  readonly causes: readonly Cause[]
  readonly failures: number
}

/** What is asked of the headlines of one fault, and in which share of the mutants. */
const asked: readonly (readonly [string, number, (found: Diagnosed) => boolean])[] = [
  ['one headline', 0.75, ({ causes }) => causes.length === 1],
  ['at most three', 0.97, ({ causes }) => causes.length <= 3],
  [
    'the first explains 90 % of the failures',
    0.75,
    ({ causes: [first], failures }) => (first?.explains.length ?? 0) >= 0.9 * failures,
  ],
  [
    'the first names the mutant',
    0,
    ({ causes: [first], mutant }) =>
      [first?.mutant, ...(first?.otherMutants ?? [])].includes(mutant.id),
  ],
]

test.each(conditions)('at mutants, %s', async (condition) => {
  const found: Diagnosed[] = []
  for (const mutant of shuffledMutants(seed).slice(0, samples)) {
    const run = await runAt(mutant, condition)
    const failures = run.checks.filter(isBad).length
    if (failures > 0) found.push({ mutant, run, failures, causes: causesOf(run, dictionary()) })
  }
  const failing = found.flatMap(({ mutant, run, causes }) =>
    causes.flatMap((cause) => {
      const parts = unbacked(cause, run)
      return parts.length > 0 ? [`${mutant.id}: ${parts.join(', ')} in ${cause.observed}`] : []
    }),
  )
  for (const [what, share, holds] of asked) {
    const number = found.filter(holds).length
    const others = found.filter((each) => !holds(each)).map(({ mutant }) => mutant.id)
    console.log(`${condition}, ${what}: ${number} of ${found.length} mutants with failures`)
    console.log(`  not: ${others.join(', ')}`)
    expect.soft(number, what).toBeGreaterThanOrEqual(share * found.length)
  }
  expect(failing).toEqual([])
})

const pairs = 100
/** Some faults hide each other. */
const maxPairs = 150

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
      causesOf(run, dictionary()).find(({ explains }) => explains.includes(caughtBy))?.observed
    if (headline(one) === headline(other)) joined.push(`${one.id} and ${other.id}`)
  }
  console.log(`${seen - joined.length} of ${seen} pairs apart; not: ${joined.join(', ')}`)
  expect(seen).toBe(pairs)
  expect(joined.length).toBeLessThanOrEqual(0.05 * pairs)
})

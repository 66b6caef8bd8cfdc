// How true headlines are at mutants: what was observed has to occur in what is shown with it.
import { expect, test } from 'vitest'
import type { Cause, CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { isViolation } from '../../history/outcome.ts'
import { type Condition, runAt as runOf } from '../../proof/conditions.ts'
import type { Variant } from '../../reference/variant.ts'
import { shuffledMutants } from '../several-faults.ts'

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)

const seed = 11

const runAt = (variant: Variant, condition: Condition): Promise<RunFile> =>
  runOf(variant, condition, seed, {
    latency: { minMs: 1, maxMs: 4, seed },
    startMs: Date.UTC(2026, 10, 20, 12),
  })

/** What is no data of the server: how many responses, how many more conditions, how deep a body. */
const counted =
  / \((?:all \d+ responses that were judged|\d+ of \d+ responses)\)$|\d+ more\b|nested \d+ deep/g

/** Numbers, statuses, headers and members that a sentence names. */
const namedIn = (observed: string): readonly string[] =>
  observed
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
  return namedIn(cause.observed).filter((each) => !shown.includes(each.toLowerCase()))
}

const samples = Number(process.env.PETVET_MUTANTS ?? 80)

type Found = Pick<RunFile, 'causes' | 'checks'>

const failuresIn = ({ checks }: Found): number => checks.filter(isBad).length

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
  expect(failing).toEqual([])
})

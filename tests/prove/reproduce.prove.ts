// The line that reproduces a failure fails again: each failing check of a mutant alone, as `--only`
// runs it, with the seed of the run.
import { expect, test } from 'vitest'
import { select } from '../../config/run-settings.ts'
import type { CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { isViolation } from '../../history/outcome.ts'
import { type Condition, runAt } from '../../proof/conditions.ts'
import { mutants } from '../../reference/mutants.ts'
import type { Mutant } from '../../reference/variant.ts'
import { reproduceCheck } from '../../reports/reproduce.ts'
import { catalogue } from '../../suites/index.ts'

const seed = 11

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)

/** The checks that the line runs; all of them if it is that of the whole run. */
const checksOf = (run: RunFile, result: CheckResult) => {
  const [, only] = / --only (\S+)/.exec(reproduceCheck(run, result)) ?? []
  return only === undefined ? undefined : select(catalogue, { only: [only] })
}

/** The failures of a mutant that their own line does not show again. */
const silentAt = async (mutant: Mutant, condition: Condition) => {
  const run = await runAt(mutant, condition, seed)
  const silent: string[] = []
  let tried = 0
  for (const result of run.checks.filter(isBad)) {
    const checks = checksOf(run, result)
    // The whole run has the same seed, and fails as it did.
    if (checks === undefined || checks.length === 0) continue
    tried += 1
    const again = await runAt(mutant, condition, seed, {}, checks)
    const same = again.checks.find(({ id }) => id === result.id)
    if (!same || !isBad(same)) silent.push(`${mutant.id} ${result.id}: ${same?.detail}`)
  }
  return { tried, silent }
}

/** Of some 640. */
const samples = Number(process.env.PETVET_MUTANTS ?? 120)

test.each(['full', 'oneKey'] as const)('each failure fails again, %s', async (condition) => {
  const proven = mutants.filter(({ description }) => description === undefined)
  const silent: string[] = []
  let tried = 0
  const every = Math.ceil(proven.length / samples)
  for (const mutant of proven.filter((_mutant, at) => at % every === 0)) {
    const found = await silentAt(mutant, condition)
    tried += found.tried
    silent.push(...found.silent)
  }
  console.log(`${condition}: ${tried - silent.length} of ${tried} fail again; not:`)
  console.log(silent.join('\n'))
  expect(tried).toBeGreaterThan(70)
  // What depends on the age of the store, or on a day that other checks have spent.
  expect(silent.length).toBeLessThanOrEqual(0.05 * tried)
})

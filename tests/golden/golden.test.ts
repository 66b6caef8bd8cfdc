// Three whole runs as text: what a refactoring must not change. The net shows all other changes.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CheckResult } from '../../engine/check/run-file.ts'
import { type Condition, runAt } from '../../proof/conditions.ts'
import { mutants } from '../../reference/mutants.ts'
import { together } from '../../reference/variant.ts'

/** By the name of the file: the mutants that are together in one server, and how it is run. */
const runs: Readonly<Record<string, readonly [Condition, ...string[]]>> = {
  reference: ['full'],
  'contract-fault': ['oneKey', 'list-limit-101-taken'],
  'naive-server': [
    'oneKey',
    'created-200',
    'types-not-validated',
    'error-status-missing',
    'headers-missing-on-401-and-404',
  ],
}

/** A passed check is of interest at the reference alone. */
const lineOf = ({ id, outcome, because, detail, expected, actual }: CheckResult): string => {
  const why = because ? ` (${because})` : ''
  if (outcome === 'pass') return `pass ${id}`
  return `${outcome}${why} ${id}: ${expected === undefined ? detail : `${expected}; got ${actual}`}`
}

test.for(Object.entries(runs))('%s', async ([name, [condition, ...ids]]) => {
  const faults = ids.flatMap((id) => mutants.find((mutant) => mutant.id === id) ?? [])
  expect(faults).toHaveLength(ids.length)
  const run = await runAt(together(...faults), condition, 7)
  const shown = run.checks.filter(({ outcome }) => name === 'reference' || outcome !== 'pass')
  const text = `${run.verdict}\n\n${shown.map(lineOf).join('\n')}\n`
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'runs', `${name}.txt`))
})

// Three whole runs as text: what a refactoring must not change. The net shows all other changes. At
// the reference a run covers most ordered pairs of kinds of request, and sends valid rows again.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendsRequests } from '../../engine/check/declare.ts'
import type { CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { pairs } from '../../model/pairs.ts'
import { type Condition, runAt } from '../../proof/conditions.ts'
import { mutants } from '../../reference/mutants.ts'
import { together } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'

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

interface Sent {
  readonly check: string
  readonly checks?: readonly string[]
}

const packed = catalogue.filter((check) => sendsRequests(check) && check.pack)

const expectWhole = ({ pairs: covered = {} }: RunFile, sent: readonly Sent[]) => {
  const count = Object.values(covered).reduce((sum, [own]) => sum + own, 0)
  const wanted = pairs.filter(({ leftOut }) => !leftOut).length
  expect(count / wanted).toBeGreaterThan(0.9)
  const late = sent.filter(({ check }) => /^quota-\w+-after-removal$/.test(check))
  const again = new Set(late.flatMap(({ checks = [] }) => checks))
  expect(packed.map(({ id }) => id).filter((id) => !again.has(id))).toEqual([])
}

test.for(Object.entries(runs))('%s', { timeout: 300_000 }, async ([name, [condition, ...ids]]) => {
  const faults = ids.flatMap((id) => mutants.find((mutant) => mutant.id === id) ?? [])
  expect(faults).toHaveLength(ids.length)
  const sent: Sent[] = []
  const onExchange = (line: string) => sent.push(JSON.parse(line))
  const run = await runAt(together(...faults), condition, 7, { onExchange })
  if (name === 'reference') expectWhole(run, sent)
  const shown = run.checks.filter(({ outcome }) => name === 'reference' || outcome !== 'pass')
  const text = `${run.verdict}\n\n${shown.map(lineOf).join('\n')}\n`
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'runs', `${name}.txt`))
})

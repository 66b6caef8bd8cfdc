// The command that runs a check again: of each kind of run, quoted for a shell, without a key.

import { describe, expect, test } from 'vitest'
import {
  type CheckResult,
  type Finding,
  isDomainsRun,
  type RunFile,
} from '../engine/check/run-file.ts'
import { text } from '../history/text.ts'
import type { Kind } from '../history/wrong.ts'
import { failing as found, sample } from '../tests/print.ts'
import { beforePasting, reproduceCheck, reproduceRun } from './reproduce.ts'

const failing: CheckResult = { ...found, durationMs: 1 }

const heldBy = (name: string, ...words: string[][]): RunFile => ({
  ...sample,
  command: { name, arguments: words },
})

const causedBy = (check: string): CheckResult => ({
  ...failing,
  evidence: failing.evidence.map((each) => ({ ...each, check })),
})

const url = ['http://127.0.0.1:8080/v1']
const key = ['--key', 'free=$FREE_KEY']

test('a check runs alone, with its seed and the flags of its run', () => {
  const flags = [url, key, ['--clock', 'http://127.0.0.1:1/clock'], ['--allow', 'write,ban']]
  const run = heldBy('check', ...flags, ['--only', 'auth'], ['--skip', 'list*'])
  expect(reproduceCheck(run, failing)).toBe(
    "petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' " +
      '--clock http://127.0.0.1:1/clock --allow write,ban --only auth-key-changed-401 --seed 7',
  )
  expect(reproduceRun(run)).toContain("--only auth --skip 'list*' --seed 7")
})

test('a clause is judged again in the whole run', () => {
  const { durationMs: _, ...clause } = failing
  const run = heldBy('check', url, ['--only', 'auth'], ['--skip', 'x'])
  expect(reproduceCheck(run, clause)).toBe(
    'petvet check http://127.0.0.1:8080/v1 --only auth --skip x --seed 7',
  )
})

describe('a finding after what may have caused it', () => {
  const finding = {
    ...{ operations: ['GET /pets'], conditions: [], aspect: 'count', kind: 'too many' as Kind },
    ...{
      status: 200,
      expected: text('1 pet'),
      actual: text('2 pets'),
      times: 1,
      judged: 1,
      exchanges: [9],
    },
  } satisfies Finding
  const late: CheckResult = {
    ...failing,
    id: 'list-limit-most',
    findings: [{ ...finding, dependsOnHistory: true }],
  }
  const run = (...others: CheckResult[]): RunFile => ({
    ...heldBy('check', url),
    checks: [late, ...others],
  })
  test('is looked for in the whole run', () => {
    expect(reproduceCheck(run({ ...late, id: 'list-limit-most' }), late)).toBe(
      'petvet check http://127.0.0.1:8080/v1 --seed 7',
    )
  })

  test('is looked for alone where another check found the same before', () => {
    const other = { ...failing, id: 'walk-valid-served', findings: [finding] }
    expect(reproduceCheck(run(other), late)).toContain(' --only list-limit-most ')
    const unlike = { ...other, findings: [{ ...finding, kind: 'too few' as const }] }
    expect(reproduceCheck(run(unlike), late)).not.toContain('--only')
  })
})

test('one response of another check is judged by both, two are not', () => {
  const run = heldBy('check', url)
  const [one] = failing.evidence
  const [other] = causedBy('list-valid-200').evidence
  const shared = { ...failing, evidence: other ? [other] : [] }
  expect(reproduceCheck(run, shared)).toContain(' --only auth-key-changed-401 ')
  const two = { ...shared, evidence: one ? [...shared.evidence, one] : [] }
  expect(reproduceCheck(run, two)).not.toContain('--only')
})

test('the smoke call is selected alone', () => {
  const smoke = { ...found, id: 'smoke-list-200', requirement: 'list.success' } as const
  expect(reproduceCheck(heldBy('check', url), smoke)).toContain('--only smoke-list-200 ')
})

describe('of a load', () => {
  const figures = { says: 'So it is.', connections: 2, columns: {} }
  const load = ['burst', 'edge'].map((id) => ({ id, ...figures }))
  const words = [url, ['--scenario', '*'], ['--connections', '5'], ['--no-mock']]
  const run = { ...heldBy('load', ...words), load }

  test.for([
    ['a verdict', { ...failing, id: 'load-burst-not-more' }],
    ['a threshold', { ...failing, id: 'load-threshold-burst-p99' }],
    ['a clause', { ...causedBy('burst'), id: 'answer-no-5xx' }],
  ] as const)('%s is selected by its scenario', ([, check]) => {
    expect(reproduceCheck(run, check)).toBe(
      'petvet load http://127.0.0.1:8080/v1 --connections 5 --no-mock --scenario burst --seed 7',
    )
  })

  test('a check of no scenario repeats the whole load', () => {
    expect(reproduceCheck(run, { ...failing, id: 'other' })).toContain("--scenario '*' ")
  })
})

test('a check of domains repeats the whole command, without a seed', () => {
  const run = heldBy('domains watch', ['--domains', "it's.yaml"])
  expect(reproduceCheck(run, failing)).toBe("petvet domains watch --domains 'it'\\''s.yaml'")
  expect(reproduceRun(run)).toBe(reproduceCheck(run, failing))
  expect([isDomainsRun(run), isDomainsRun(sample), beforePasting(run)]).toEqual([true, false, ''])
})

test.for([
  ['variables', [url, key, ['--key', 'pro=$PRO_KEY']], ''],
  [
    'a text',
    [url, ['--key', 'pro=$PETVET_KEY']],
    "Before you paste a line: `export PETVET_KEY='your key of the plan pro'`",
  ],
  [
    'a variable and a text',
    [url, key, ['--key', 'free=$PETVET_KEY_FREE_2']],
    "Before you paste a line: `export PETVET_KEY_FREE_2='your key of the plan free'`",
  ],
  ['none, as the built-in reference does', [], ''],
] as const)('variables to set are named for keys given by %s', ([, words, expected]) => {
  const run = heldBy('check', ...words.map((each) => [...each]))
  expect(beforePasting({ ...run, checks: [] })).toBe(expected)
})

test('the variables of the requests which are shown are named', () => {
  const run = heldBy('check', ['--config', 'petvet.config.yaml'])
  const sentWith = (...keys: (readonly [label: string, variable: string])[]): RunFile => ({
    ...run,
    checks: keys.map(([label, variable]) => ({
      ...failing,
      evidence: failing.evidence.map((each) => ({ ...each, key: label, curl: `"$${variable}"` })),
    })),
  })
  expect(beforePasting(sentWith(['pro-1', 'PRO_KEY']))).toBe('')
  expect(beforePasting(sentWith(['free-1', 'PETVET_KEY'], ['pro-1', 'PETVET_KEY_PRO_1']))).toBe(
    "Before you paste a line: `export PETVET_KEY='your key of the plan free'` and " +
      "`export PETVET_KEY_PRO_1='your key of the plan pro'`",
  )
})

test('a run that moved the clock past the removal date cannot be repeated at once', () => {
  const run = heldBy('check', url, key)
  const removed: CheckResult = {
    ...failing,
    outcome: 'pass',
    requirement: 'get.removed',
    requests: 1,
  }
  const moved = { ...run, target: { ...run.target, clock: true }, checks: [removed] }
  expect(beforePasting(moved)).toMatch(
    /^Before you repeat the run: restart the server, as its clock/,
  )
})

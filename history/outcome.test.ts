// The order of outcomes, and the verdict of a run.
import { expect, test } from 'vitest'
import type { CheckResult } from '../engine/check/run-file.ts'
import { countDecided, decideVerdict, rollUp } from '../engine/check/verdict.ts'
import { type Because, type Outcome, worst } from './outcome.ts'

const result = (
  outcome: Outcome,
  because: Because | null = null,
  requirement: CheckResult['requirement'] = 'auth.bearer',
  level: CheckResult['level'] = 'must',
): CheckResult => ({
  id: `${requirement}-${outcome}`,
  requirement,
  level,
  outcome,
  because,
  detail: '',
  requests: 0,
  evidence: [],
})

test('a requirement takes the worst of its checks', () => {
  expect(worst(['pass', 'untested', 'observed'])).toBe('untested')
  expect(worst(['warn', 'error', 'fail'])).toBe('error')
  expect(worst([])).toBe('pass')
})

test.each([
  [[result('fail'), result('error')], true, false, 'not-conformant'],
  [[result('pass'), result('error')], false, false, 'error'],
  [[result('pass')], true, false, 'error'],
  [[result('pass'), result('untested', 'blocked', 'auth.first')], false, false, 'undecided'],
  [[result('pass'), result('untested', 'budget', 'auth.first')], false, false, 'undecided'],
  [[result('pass'), result('untested', 'permission', 'auth.first')], false, false, 'conformant'],
  [[result('pass'), result('untested', 'permission', 'auth.first')], false, true, 'undecided'],
  [[result('pass', null, 'error.internals', 'should')], false, false, 'undecided'],
  [[result('pass'), result('warn', null, 'error.internals', 'should')], false, false, 'conformant'],
  [[], false, false, 'undecided'],
] as const)('%# the verdict follows the order of the rulings', (checks, gone, strict, verdict) => {
  expect(decideVerdict(checks, gone, strict)).toBe(verdict)
})

test.each([
  [['pass', 'inapplicable'], 'pass'],
  [['inapplicable', 'untested', 'pass'], 'untested'],
  [['inapplicable', 'fail'], 'fail'],
  [['inapplicable', 'observed'], 'observed'],
  [['inapplicable', 'inapplicable'], 'inapplicable'],
] as const)('%j of the checks of a requirement make it %s', (outcomes, outcome) => {
  expect(rollUp(outcomes.map((each) => result(each)))[0]?.outcome).toBe(outcome)
})

test('inapplicable requirements are not counted among those to test', () => {
  const rolled = rollUp([
    result('pass'),
    result('untested', 'key', 'auth.first'),
    result('inapplicable', null, 'service.tag'),
  ])
  expect(countDecided(rolled).must).toEqual([1, 2])
})

test('the verdict is undecided if no selected check was tested', () => {
  const checks = [result('pass'), result('untested', 'permission', 'auth.first')]
  const selecting = (at: number) => new Set([checks[at]?.id ?? ''])
  expect(decideVerdict(checks, false, false, selecting(0))).toBe('conformant')
  expect(decideVerdict(checks, false, false, selecting(1))).toBe('undecided')
})

// The command that holds a check again: of each kind of run, quoted for a shell, without a key.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../suites/kit/run-file.ts'
import { againOf, isOfDomains, tellVariables, wholeAgain } from './again.ts'
import { readRun } from './read-run.ts'

const sample = readRun(join(import.meta.dirname, 'samples'))
const [failing] = sample.checks.filter(({ outcome }) => outcome === 'fail') as [CheckResult]

const heldBy = (command: string, ...words: string[][]): RunFile => ({
  ...sample,
  again: { command, words },
})

const causedBy = (check: string): CheckResult => ({
  ...failing,
  evidence: failing.evidence.map((each) => ({ ...each, check })),
})

const url = ['http://127.0.0.1:8080/v1']
const key = ['--key', 'free=$FREE_KEY']

test('a check is asked alone, with its seed and the flags of its run', () => {
  const flags = [url, key, ['--clock', 'http://127.0.0.1:1/clock'], ['--allow', 'write,ban']]
  const run = heldBy('check', ...flags, ['--only', 'auth'], ['--skip', 'list*'])
  expect(againOf(run, failing)).toBe(
    "petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' " +
      '--clock http://127.0.0.1:1/clock --allow write,ban --only auth-key-changed-401 --seed 7',
  )
  expect(wholeAgain(run)).toContain("--only auth --skip 'list*' --seed 7")
})

test('an invariant is asked with the check that caused what it judged', () => {
  const again = (check: string) => againOf(heldBy('check', url), causedBy(check))
  expect(again('list-success-200')).toContain(
    '--only auth-key-changed-401 --only list-success-200 ',
  )
  // Neither its own requests nor those of no check that there is.
  for (const check of [failing.id, 'smoke-list-200', 'control-list-200']) {
    expect(again(check).match(/--only/g)).toHaveLength(1)
  }
})

test('an invariant is asked with all that draw its breach, or in the whole run', () => {
  const [first, second] = sample.checks.filter(({ id }) => id !== failing.id)
  const drawnBy = (...provokers: string[]) =>
    againOf(heldBy('check', url, ['--skip', 'x']), { ...causedBy('other'), provokers })
  const ids = [first, second].map((check) => check?.id ?? '')
  expect(drawnBy('smoke-list-200', ...ids)).toContain(
    `--only ${failing.id} --only ${ids[0]} --only ${ids[1]} --seed 7`,
  )
  expect(drawnBy('smoke-list-200').match(/--only/g)).toHaveLength(1)
  expect(drawnBy()).toBe('petvet check http://127.0.0.1:8080/v1 --skip x --seed 7')
})

test('the smoke call, which no command can name, is asked by its sentence', () => {
  const smoke = { ...failing, id: 'smoke-list-200', requirement: 'list.success' } as const
  expect(againOf(heldBy('check', url), smoke)).toContain('--only list.success ')
})

describe('of a load', () => {
  const figures = { says: 'So it is.', connections: 2, columns: {} }
  const load = ['burst', 'edge'].map((id) => ({ id, ...figures }))
  const words = [url, ['--scenario', '*'], ['--connections', '5'], ['--no-mock']]
  const run = { ...heldBy('load', ...words), load }

  test.for([
    ['a verdict', { ...failing, id: 'load-burst-not-more' }],
    ['a threshold', { ...failing, id: 'load-threshold-burst-p99' }],
    ['an invariant', { ...causedBy('burst'), id: 'answer-no-5xx' }],
  ] as const)('%s is asked by its scenario', ([, check]) => {
    expect(againOf(run, check)).toBe(
      'petvet load http://127.0.0.1:8080/v1 --connections 5 --no-mock --scenario burst --seed 7',
    )
  })

  test('what is of no scenario is asked as it was', () => {
    expect(againOf(run, { ...failing, id: 'other' })).toContain("--scenario '*' ")
  })
})

test('domains are looked at by the same command, and have no seed', () => {
  const run = heldBy('domains watch', ['--domains', "it's.yaml"])
  expect(againOf(run, failing)).toBe("petvet domains watch --domains 'it'\\''s.yaml'")
  expect(wholeAgain(run)).toBe(againOf(run, failing))
  expect([isOfDomains(run), isOfDomains(sample), tellVariables(run)]).toEqual([true, false, ''])
})

test('a run that does not tell how it was held is asked by its target', () => {
  const { again: _, load: __, ...run } = sample
  expect(againOf(run, failing)).toBe(
    "petvet check http://127.0.0.1:8080/v1 --key 'free=$PETVET_KEY' " +
      '--only auth-key-changed-401 --seed 7',
  )
})

test.for([
  ['a variable', [url, key], 'To paste a request: `export PETVET_KEY="$FREE_KEY"`'],
  [
    'a text',
    [url, ['--key', 'pro=$PETVET_KEY']],
    'To paste these lines, export `PETVET_KEY` (a pro key)',
  ],
  [
    'a variable and a text',
    [url, key, ['--key', 'free=$PETVET_KEY_FREE_2']],
    'To paste a request: `export PETVET_KEY="$FREE_KEY"`; ' +
      'To paste these lines, export `PETVET_KEY_FREE_2` (a free key)',
  ],
  [
    'a configuration',
    [['--config', 'petvet.config.yaml']],
    'To paste these lines, export `PETVET_KEY` (a free key)',
  ],
  ['none, as the built-in reference does', [], ''],
] as const)('what has to be set is told of keys given by %s', ([, words, told]) => {
  expect(tellVariables(heldBy('check', ...words.map((each) => [...each])))).toBe(told)
})

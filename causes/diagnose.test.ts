// Causes: the fewest known faults that explain what failed, and never a forced match.
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { withCauses } from './diagnose.ts'
import type { Dictionary, Entry } from './dictionary.ts'

const signature = (checks: Record<string, string>) =>
  new Map(Object.entries(checks).map(([id, words]) => [id, words.split(' ')]))

const entry = (mutant: string, full: Record<string, string>, own: Partial<Entry> = {}): Entry => ({
  mutants: [mutant],
  faults: [`Fault of ${mutant}.`],
  requirement: 'list.success',
  caughtBy: Object.keys(full)[0] ?? '',
  full: signature(full),
  plain: signature({}),
  ...own,
})

const known: Dictionary = [
  entry('no-key', {
    'auth-list': 'status-200',
    'auth-get': 'status-200',
    'every-401': 'status-200',
  }),
  entry('no-key-list', { 'auth-list': 'status-200', 'every-401': 'status-200' }),
  entry('limit-ignored', { 'list-limit': 'pets status-200', 'list-default': 'pets status-200' }),
  entry('limit-one-more', { 'list-limit': 'pets status-200' }),
  entry('no-reset', { 'header-reset': 'missing' }),
  entry('late-reset', { 'header-reset': 'past' }),
  entry('no-challenge', { challenge: 'missing' }),
]

let seq = 0

const result = (id: string, outcome: CheckResult['outcome'], own: Partial<CheckResult> = {}) => ({
  id,
  requirement: 'list.success' as const,
  level: 'must' as const,
  outcome,
  because: null,
  detail: '',
  actual: '',
  requests: 1,
  evidence: [],
  ...own,
})

const failed = (id: string, actual: string, own: Partial<CheckResult> = {}): CheckResult =>
  result(id, 'fail', { actual, ...own })

const all = ['auth-list', 'auth-get', 'every-401', 'list-limit', 'list-default', 'header-reset']

/** The other checks pass, so a predicted failure that did not come contradicts. */
const run = (...bad: readonly CheckResult[]): CheckResult[] => {
  const ids = new Set(bad.map(({ id }) => id))
  const passed = [...all, 'challenge', 'more-1', 'more-2', 'more-3', 'more-4', 'more-5', 'more-6']
  return [...bad, ...passed.filter((id) => !ids.has(id)).map((id) => result(id, 'pass'))]
}

const diagnose = (checks: readonly CheckResult[], clock: boolean, entries: Dictionary) =>
  withCauses({ checks, target: { clock } } as RunFile, entries).causes ?? []

const causes = (...bad: readonly CheckResult[]) => diagnose(run(...bad), true, known)

const at = (status: number, check?: string): Partial<CheckResult> => {
  seq += 1
  const request = { method: 'GET', url: '/pets', headers: [], body: null }
  const response = { status, headers: [], body: '' }
  return { evidence: [{ seq, request, response, curl: '', ...(check && { check }) }] }
}

describe('a cause', () => {
  test('is the fault whose failures are these, and no smaller or larger one', () => {
    const [cause, ...more] = causes(
      failed('auth-list', '', at(200)),
      failed('every-401', '', at(200)),
    )
    expect(cause).toMatchObject({ mutant: 'no-key-list', confidence: 'high', show: 'auth-list' })
    expect(more).toEqual([])
  })

  test('is distinguished by the evidence from one with the same failures', () => {
    expect(causes(failed('header-reset', 'missing'))[0]).toMatchObject({ mutant: 'no-reset' })
    expect(causes(failed('header-reset', 'past'))[0]).toMatchObject({ mutant: 'late-reset' })
  })

  test('names the others that fit as well, and is unsure if their requirements differ', () => {
    const twoFitting = (requirement: Entry['requirement']) =>
      diagnose(run(failed('b', 'x')), true, [
        entry('one', { b: 'x' }),
        entry('two', { b: 'x' }, { requirement }),
      ])[0]
    const tied = { mutant: 'one', orElse: ['two'] }
    const [shared, apart] = [twoFitting('list.success'), twoFitting('get.success')]
    expect([shared, apart]).toMatchObject([
      { ...tied, confidence: 'medium' },
      {
        ...tied,
        confidence: 'low',
        fault: 'One of these faults: "Fault of one.", "Fault of two."',
      },
    ])
    expect(shared?.fault).toMatch(/^One of these faults, against "/)
  })

  test('is not contradicted by what was not tested', () => {
    const untested = result('auth-get', 'untested', { because: 'budget' })
    const [cause] = causes(
      failed('auth-list', '', at(200)),
      failed('every-401', '', at(200)),
      untested,
    )
    expect(cause?.mutant).toMatch(/^no-key/)
  })

  test('includes failures that share its evidence', () => {
    const [cause, ...more] = causes(
      failed('list-limit', 'pets', at(200)),
      failed('unknown-invariant', 'anything', at(200, 'list-limit')),
    )
    expect(cause?.explains).toEqual(['list-limit', 'unknown-invariant'])
    expect(more).toEqual([])
  })
})

test('two faults are two causes', () => {
  const found = causes(
    failed('list-limit', 'pets', at(200)),
    failed('list-default', 'pets', at(200)),
    failed('header-reset', 'missing'),
  )
  expect(found.map(({ mutant }) => mutant).sort()).toEqual(['limit-ignored', 'no-reset'])
})

test('side effects that are all of another fault are a cause of their own', () => {
  const more = ['c', 'd', 'e'].map((name) => entry(name, { a1: 'y', b1: 'y', [name]: 'y' }))
  const entries = [entry('first', { a1: 'x', a2: 'x' }), entry('second', { b1: 'x' }), ...more]
  const seen = [failed('a1', 'x'), failed('a2', 'x'), failed('b1', 'x')]
  const found = diagnose(run(...seen), true, entries)
  expect(found.map(({ mutant }) => mutant)).toEqual(['first', 'second'])
  const other = diagnose(
    run(failed('a1', 'x'), failed('a2', 'x'), failed('b1', 'z')),
    true,
    entries,
  )
  expect(other.map(({ mutant, explains }) => [mutant, explains.length])).toEqual([['first', 3]])
})

test('unexplained failures are grouped by requirement, and named unexplained', () => {
  const other = { requirement: 'create.success' } as const
  const found = causes(
    failed('odd-1', 'x', other),
    failed('odd-2', 'y', other),
    failed('odd-3', 'z'),
  )
  expect(found.map(({ mutant, confidence }) => [mutant, confidence])).toEqual([
    [null, 'none'],
    [null, 'none'],
  ])
  expect(found.map(({ explains }) => explains.length).sort()).toEqual([1, 2])
})

test('warnings come after violated musts', () => {
  const found = causes(
    result('challenge', 'warn', { detail: 'x', requirement: 'auth.challenge' }),
    failed('odd', 'x'),
  )
  expect(found.map(({ show }) => show)).toEqual(['odd', 'challenge'])
})

test('a target at which almost everything fails gets one line', () => {
  const ids = [...all, ...all.map((id) => `${id}-too`)]
  const everything = ids.map((id) => failed(id, 'x'))
  expect(diagnose(everything, true, known)).toMatchObject([{ mutant: null, explains: ids }])
})

test('without failures there is no cause', () => {
  expect(causes()).toEqual([])
})

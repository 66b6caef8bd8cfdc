// Headlines: failures with one observation are one, and the most severe comes first.

import { describe, expect, test } from 'vitest'
import type { Cause, CheckResult, Finding, RunFile } from '../engine/check/run-file.ts'
import { describeDue, exactly } from '../history/statuses.ts'
import { text } from '../history/text.ts'
import { withCauses } from './diagnose.ts'

let seq = 0

const due = (status: number) => {
  const { statuses } = exactly(status)
  return { due: statuses, expected: text(describeDue({ statuses })) }
}

const finding = (own: Partial<Finding>): Finding => {
  seq += 1
  return {
    operations: ['GET /pets'],
    conditions: [],
    aspect: 'status',
    status: 400,
    ...due(200),
    actual: text('400'),
    times: 1,
    judged: 1,
    exchanges: [seq],
    ...own,
  }
}

const result = (id: string, own: Partial<CheckResult> = {}): CheckResult => ({
  id,
  requirement: 'list.success',
  level: 'must',
  outcome: 'pass',
  because: null,
  detail: '',
  requests: 1,
  evidence: [],
  ...own,
})

const failed = (id: string, ...findings: readonly Partial<Finding>[]): CheckResult => {
  const own = findings.map(finding)
  const request = { method: 'GET', url: '/pets', headers: [], body: null }
  const evidence = [{ seq, check: id, request, response: null, curl: '' }]
  return result(id, { outcome: 'fail', evidence, findings: own })
}

const accepted = (about: string, kind: string, words: string): Partial<Finding> => ({
  operations: ['POST /pets'],
  conditions: [{ about, kind, words }],
  status: 201,
  ...due(400),
})

const missing = (name: string, status: number, own: Partial<Finding> = {}): Partial<Finding> => ({
  ...{ aspect: 'header', name, kind: 'missing', status, expected: text(`the header ${name}`) },
  ...own,
})

const causesOf = (checks: readonly CheckResult[]): readonly Cause[] =>
  withCauses({ checks } as RunFile).causes ?? []

const observed = (...checks: readonly CheckResult[]): string[] =>
  causesOf(checks).map((cause) => cause.observed)

describe('failures are apart', () => {
  test.each<[string, Partial<Finding>, Partial<Finding>]>([
    ['with another status', { status: 400 }, { status: 500 }],
    ['with another header', missing('Allow', 405), missing('Date', 405)],
  ])('%s', (_name, one, other) => {
    expect(causesOf([failed('a', one), failed('b', other)])).toHaveLength(2)
  })

  test('nor a pet that is not as in its 201, where the 201 is what is wrong', () => {
    const cut = { aspect: 'member', name: 'name', kind: 'cut', creations: [71] } as const
    const echo = { aspect: 'member', name: 'name', kind: 'with text added' } as const
    const [cause, ...more] = causesOf([
      failed('read', { ...cut, exchanges: [80] }),
      failed('echo', { ...echo, operations: ['POST /pets'], status: 201, exchanges: [71] }),
    ])
    expect(cause?.explains).toEqual(['echo', 'read'])
    expect(more).toEqual([])
  })
})

test('a key that is refused is refused whatever is due', () => {
  const refused = (id: string, operation: string, own: number) =>
    failed(id, { operations: [operation], status: 401, ...due(own) })
  const checks = [refused('a', 'POST /pets', 400), refused('b', 'GET /pets', 200)]
  expect(causesOf(checks)[0]?.observed).toBe(
    'POST /pets and GET /pets with a valid key: 401 instead of 400 or 200',
  )
})

test('first what needs no key, then what breaks plain requests, then by responses', () => {
  const emoji = [{ about: 'name', kind: 'emoji', words: 'with an emoji in the name' }]
  const odd = { operations: ['POST /pets'], conditions: emoji, status: 500 }
  const checks = [
    { ...failed('should', { status: 502 }), outcome: 'warn' } as const,
    failed('odd', odd),
    failed('many', missing('Allow', 405, { times: 9 })),
    failed('broken', { status: 503 }),
    failed('open', accepted('key', 'none', 'without an Authorization header')),
  ]
  const order = ['open', 'broken', 'many', 'odd', 'should']
  expect(causesOf(checks).map(({ show }) => show)).toEqual(order)
  expect(causesOf([result('a')])).toEqual([])
})

test('what splits the count of a key explains what laws of one count find', () => {
  const law = (kind: NonNullable<Finding['kind']>, at: number): Partial<Finding> => ({
    ...{ aspect: 'behaviour', kind, keys: [], exchanges: [at] },
    ...{ expected: text('one count'), actual: text('several') },
  })
  const apart = failed('apart', law('counted apart', 1))
  const served = failed('served', law('too many served', 2))
  expect(observed(apart, served)).toEqual(['One key: several; expected one count'])
  expect(observed(failed('apart', law('moves back', 1)), served)).toHaveLength(2)
  const { kind: _, ...refused } = law('moves back', 3)
  const early = failed('early', { ...refused, aspect: 'status', status: 429 })
  expect(observed(apart, early)).toEqual(['One key: several; expected one count'])
})

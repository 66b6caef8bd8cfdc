// Headlines: failures with one observation are one, and the most severe comes first.

import { describe, expect, test } from 'vitest'
import type { Cause, CheckResult, Finding, RunFile } from '../engine/check/run-file.ts'
import { describeDue, exactly } from '../history/statuses.ts'
import { text } from '../history/text.ts'
import { noJson } from '../history/value-kinds.ts'
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

const rounded = (name: string, own: Partial<Finding> = {}): Partial<Finding> => ({
  ...{ aspect: 'member', name, kind: 'rounded to a double', status: 201 },
  ...{ expected: text(`${name} 9007199254740993`) },
  ...{ actual: text(`${name} 9007199254740992`), ...own },
})

const causesOf = (checks: readonly CheckResult[]): readonly Cause[] =>
  withCauses({ checks } as RunFile).causes ?? []

const observed = (...checks: readonly CheckResult[]): string[] =>
  causesOf(checks).map((cause) => cause.observed)

describe('what was observed', () => {
  test.each<[string, readonly CheckResult[], readonly string[]]>([
    [
      'a status, with the condition under which it came',
      [failed('a', { ...accepted('categoryId', 'type', 'with categoryId true') })],
      ['POST /pets with categoryId true: 201 instead of 400'],
    ],
    [
      'what the conditions have in common',
      [
        failed('a', accepted('categoryId', 'type', 'with categoryId true')),
        failed('b', accepted('name', 'type', 'with name 5')),
        failed('c', accepted('status', 'type', 'with status 0')),
        failed('d', accepted('status', 'no such value', 'with status ""')),
      ],
      ['POST /pets with categoryId true, name 5, status 0 or status "": ' + '201 instead of 400'],
    ],
    [
      'a header that several responses lack, with their share',
      ['Limit', 'Remaining', 'Reset'].map((name) =>
        failed(name, missing(`X-RateLimit-${name}`, 401, { times: 57, judged: 964 })),
      ),
      [
        '57 responses with 401 have no X-RateLimit-Limit, X-RateLimit-Remaining or ' +
          'X-RateLimit-Reset',
      ],
    ],
    [
      'one kind of value in two members',
      [failed('a', rounded('id')), failed('b', rounded('categoryId'))],
      [
        'GET /pets: id and categoryId are rounded to a double ' +
          '(id 9007199254740992; expected id 9007199254740993)',
      ],
    ],
    [
      'that all responses show it',
      [
        failed('a', {
          ...{ aspect: 'header', name: 'Content-Type', kind: text('text/plain') },
          ...{ status: 200, expected: text('Content-Type application/json'), times: 9, judged: 9 },
          brief: text(''),
        }),
      ],
      [
        'Content-Type is text/plain (on a 200; expected Content-Type ' +
          'application/json) (all 9 responses that were judged)',
      ],
    ],
  ])('%s', (_name, checks, sentences) => {
    expect(observed(...checks)).toEqual(sentences)
  })
})

const numbers = (from: number): number[] => Array.from({ length: 100 }, (_, at) => from + at)

const manyServed = (from: number): Partial<Finding> => ({
  ...{ aspect: 'behaviour', kind: 'too many served', status: 200 },
  ...{ times: 900, exchanges: numbers(from) },
})

const notFalling: Partial<Finding> = {
  ...{ aspect: 'header', name: 'X-RateLimit-Remaining', kind: 'does not fall', status: 200 },
  ...{ times: 700, exchanges: numbers(150) },
}

test('calls that are too many are those of a key, whatever was requested', () => {
  const calls = {
    keys: ['free-1'],
    actual: text('121 served within 5 s'),
    expected: text('at most 120 served'),
  }
  const check = failed('a', { ...manyServed(1), ...calls })
  expect(observed(check)).toEqual([
    'Key free-1: 121 served within 5 s; expected at most 120 served',
  ])
})

describe('one observation', () => {
  test.each<[string, readonly Partial<Finding>[]]>([
    [
      'that one response and several together show',
      [notFalling, { ...notFalling, aspect: 'behaviour' }],
    ],
    ['where only the first responses are listed', [manyServed(100), notFalling]],
    [
      'where a response is wrong alone and with others',
      [
        rounded('id', { exchanges: [71, 72] }),
        { aspect: 'behaviour', kind: 'unlike alone', exchanges: [72] },
      ],
    ],
    [
      'where one member is wrong in two ways',
      [
        { aspect: 'member', name: 'id', kind: 'as sent', exchanges: [71, 72] },
        { aspect: 'member', name: 'id', kind: 'repeated', exchanges: [72] },
      ],
    ],
  ])('%s', (_name, findings) => {
    expect(causesOf(findings.map((each, at) => failed(`check-${at}`, each)))).toHaveLength(1)
  })
})

describe('failures are apart', () => {
  test.each<[string, Partial<Finding>, Partial<Finding>]>([
    ['with another status', { status: 400 }, { status: 500 }],
    ['with another operation', {}, { operations: ['POST /pets'], ...due(201) }],
    ['with another header', missing('Allow', 405), missing('Date', 405)],
    ['where few of the listed responses are the same', manyServed(55), notFalling],
    ['with another kind of value', rounded('id'), rounded('id', { kind: 'cut to 32 bits' })],
    [
      'with another member',
      { aspect: 'body', name: 'id', kind: 'null' },
      { aspect: 'body', name: 'name', kind: 'null' },
    ],
  ])('%s', (_name, one, other) => {
    expect(causesOf([failed('a', one), failed('b', other)])).toHaveLength(2)
  })

  test('but not what is wrong with one response that has a wrong status', () => {
    const exchanges = [71]
    const [cause, ...more] = causesOf([
      {
        ...failed('shape', { aspect: 'body', kind: noJson, status: 422, exchanges }),
        evidence: [],
      },
      failed('status', { status: 422, ...due(400), exchanges }),
    ])
    expect(cause?.explains).toEqual(['status', 'shape'])
    expect(more).toEqual([])
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

  test('as is what is wrong with further responses', () => {
    const shape = { aspect: 'body', name: 'code', kind: 'missing', status: 422 } as const
    const checks = [
      failed('status', { status: 422, ...due(400), exchanges: [71] }),
      failed('shape', { ...shape, times: 2, exchanges: [71, 72] }),
    ]
    expect(causesOf(checks)).toHaveLength(2)
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

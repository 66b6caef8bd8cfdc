// Which checks run: globs over checks, requirements and suites.
import { expect, test } from 'vitest'
import type { AnyCheck } from '../engine/check/declare.ts'
import { check } from '../tests/plain-checks.ts'
import { select } from './run-settings.ts'

const needs = { stage: 'reads', keyed: 1, anonymous: 0 } as const
const done = () => Promise.resolve()
const all: AnyCheck[] = [
  check('list-success-200', 'list.success', needs, done),
  check('list-limit-most', 'list.limit.most', needs, done),
  check('auth-key-changed-401', 'auth.key-invalid', needs, done),
]

const ids = (only?: string[], skip?: string[]) => select(all, { only, skip }).map(({ id }) => id)

test.for([
  ['all', undefined, undefined, 3],
  ['a check', ['list-limit-most'], undefined, 1],
  ['a glob of checks', ['*-401'], undefined, 1],
  ['a requirement', ['list.limit.*'], undefined, 1],
  ['a suite', ['list'], undefined, 2],
  ['several', ['auth', 'list.success'], undefined, 2],
  ['several in one', ['auth,list.success'], undefined, 2],
  ['a glob with a comma in braces', ['{auth,list}-*'], undefined, 3],
  ['all but a suite', undefined, ['list'], 1],
  ['the smoke call, which runs anyway', ['smoke-list-200'], undefined, 0],
  ['it and another', ['smoke-*', 'list-limit-most'], undefined, 1],
  ['a suite but one', ['list'], ['list-limit-*'], 1],
] as const)('%s', ([, only, skip, count]) => {
  expect(ids(only && [...only], skip && [...skip])).toHaveLength(count)
})

test('a skipped check is not brought back as a set-up', () => {
  const making = check('create-some', 'create.success', { ...needs, stage: 'creations' }, done)
  const judging = { ...check('list-all', 'list.success', needs, done), sentBy: ['create-some'] }
  const both = [making, judging]
  const selected = (skip?: string[]) =>
    select(both, { only: ['list-all'], skip }).map(({ id }) => id)
  expect(selected()).toEqual(['create-some', 'list-all'])
  expect(selected(['create-some'])).toEqual(['list-all'])
})

test('a glob that matches nothing, or leaves nothing, is refused', () => {
  expect(() => ids(['list-limit-mst'])).toThrow('did you mean list-limit-most?')
  expect(() => ids(undefined, ['smoke-list-200'])).toThrow('can be left out')
  expect(() => ids(['list'], ['list'])).toThrow('leave nothing')
})

// The end of a run at its first failure: what is asked until then, and what ends nothing.
import { expect, test } from 'vitest'
import { check, invariant } from '../tests/plain-checks.ts'
import { detailOf, outcomeOf, sound, tellsApart, vetActs, wants200 } from '../tests/vet-acts.ts'
import { Violation } from './outcome.ts'
import { get } from './request.ts'
import { exitCodeOf } from './verdict.ts'

test('where the run is to end at its first failure, nothing is asked behind it', async () => {
  const asked = [wants200('first', '/pets/1'), wants200('second', '/pets?limit=1')]
  const { run, heard } = await vetActs(sound, asked, { bail: true })
  expect([outcomeOf(run, 'first'), outcomeOf(run, 'second')]).toEqual([
    'fail',
    'untested (interrupted)',
  ])
  expect(detailOf(run, 'second')).toContain('ended at the first failure, first (--bail)')
  expect(heard.some(({ path }) => path === '/v1/pets?limit=1')).toBe(false)
  expect([run.bailedAt, run.interrupted, exitCodeOf(run)]).toEqual(['first', false, 1])
})

test('a sentence about every answer that is broken ends it as well', async () => {
  const quiet = invariant(
    'quiet',
    'service.json',
    () => true,
    (exchange) => {
      if (exchange.asked.path === '/pets/7') throw new Violation('silence', 'a word', [exchange])
    },
  )
  const asked = [wants200('first', '/pets?limit=2'), tellsApart, quiet]
  const loud = check(
    'loud',
    'list.success',
    { stage: 'reads', keyed: 1, anonymous: 0 },
    async ({ call }) => {
      await call(get('/pets/7'))
    },
  )
  const { run } = await vetActs(sound, [...asked, loud, wants200('last', '/pets')], { bail: true })
  expect([run.bailedAt, outcomeOf(run, 'quiet'), outcomeOf(run, 'loud')]).toEqual([
    'quiet',
    'fail',
    'pass',
  ])
  expect(outcomeOf(run, 'last')).toBe('untested (interrupted)')
})

test('a failure that is known ends no run', async () => {
  const asked = [wants200('first', '/pets/1'), wants200('second', '/pets?limit=1')]
  const { run } = await vetActs(sound, asked, { bail: true, excused: new Set(['first']) })
  expect([outcomeOf(run, 'first'), outcomeOf(run, 'second')]).toEqual(['fail', 'pass'])
  expect(run.bailedAt).toBeUndefined()
})

// A 502 that does not come again is no breach; one that does, or that comes often, is.
import { expect, test } from 'vitest'
import { error, outcomeOf, sound, tellsApart, vetActs, wants200 } from '../../tests/vet-acts.ts'
import { bodies } from '../invariants/bodies.ts'

const paths = [2, 3, 4, 5].map((limit) => `/pets?limit=${limit}`)
const checks = paths.map((path, at) => wants200(`check-${at}`, path))
const fiveHundreds = bodies.filter(({ id }) => id === 'answer-no-5xx')
const page = { status: 502, headers: [['Content-Type', 'text/html']], body: '<h1>Bad' } as const

/** The first so many requests to each of these paths are failed. */
const failing = (wanted: readonly string[], times: number, answer = page) => {
  const met = new Map<string, number>()
  return vetActs(
    (heard) => {
      const before = met.get(heard.path) ?? 0
      met.set(heard.path, before + 1)
      const isMeant = wanted.some((path) => heard.path === `/v1${path}`)
      return isMeant && before < times ? answer : sound(heard)
    },
    [...checks, tellsApart, ...fiveHundreds],
    {},
  )
}

test('a gateway that fails for a moment is a note', async () => {
  const { run } = await failing(paths.slice(0, 2), 1)
  expect(run.verdict).toBe('conformant')
  expect(outcomeOf(run, 'answer-no-5xx')).toBe('pass')
  expect(run.notes.filter((text) => text.includes('got 502, and 200'))).toHaveLength(2)
})

test('a request that fails each time is a breach', async () => {
  const { run } = await failing(paths.slice(0, 1), 10)
  expect(outcomeOf(run, 'check-0')).toBe('fail')
  expect(outcomeOf(run, 'answer-no-5xx')).toBe('fail')
})

test('a target that fails now and then is a breach', async () => {
  const { run } = await failing(paths, 1)
  expect(['check-0', 'check-1', 'check-2'].map((id) => outcomeOf(run, id))).toEqual([
    'pass',
    'pass',
    'fail',
  ])
  expect(outcomeOf(run, 'answer-no-5xx')).toBe('fail')
})

test('a 500 is never the gateway', async () => {
  const { run, heard } = await failing(paths.slice(0, 1), 1, { ...page, ...error(500) } as never)
  expect(outcomeOf(run, 'check-0')).toBe('fail')
  expect(heard.filter(({ path }) => path.endsWith('limit=2'))).toHaveLength(1)
})

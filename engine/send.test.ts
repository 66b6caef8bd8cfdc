// A key that is invalid from some request on: one message, and no violation afterwards.
import { expect, test } from 'vitest'
import { check } from '../tests/plain-checks.ts'
import type { Act, ReceivedRequest } from '../tests/raw-server.ts'
import {
  detailOf,
  error,
  outcomeOf,
  probesSecondStatus,
  respondValidly,
  vetActs,
  wants200,
} from '../tests/vet-acts.ts'
import { twoFree } from '../tests/vet-reference.ts'
import { get, unauthorized } from './exchange.ts'
import { expectStatus } from './expect.ts'
import { exitCodeOf } from './verdict.ts'

const [one, two] = twoFree.map(({ key }) => key)

/** Valid until the check `early` is over. */
const expiring =
  (isInvalid: (heard: ReceivedRequest) => boolean) =>
  (heard: ReceivedRequest): Act =>
    isInvalid(heard) ? error(401) : respondValidly(heard)

const early = wants200('early', '/pets?limit=2', 'reads')
const late = wants200('late', '/pets?limit=3', 'reads')
const later = wants200('later', '/pets?limit=4', 'reads')
const unauthenticated = check(
  'unauthenticated',
  'list.unauthorized',
  { stage: 'removal', keyed: 0, anonymous: 1 },
  async ({ call }) => expectStatus(await call(unauthorized(get('/pets'))), 401),
)

const from = (path: string, isKey: (key: string | null) => boolean) => {
  let isOver = false
  return ({ path: asked, key }: ReceivedRequest): boolean => {
    isOver ||= asked.endsWith(path)
    return isOver && isKey(key)
  }
}

test('the key is tried once more, and the rest is untested', async () => {
  const act = expiring(from('limit=3', () => true))
  const { run, heard } = await vetActs(act, [
    early,
    probesSecondStatus,
    late,
    later,
    unauthenticated,
  ])
  expect(outcomeOf(run, 'early')).toBe('pass')
  expect(outcomeOf(run, 'late')).toBe('untested (blocked)')
  expect(outcomeOf(run, 'later')).toBe('untested (blocked)')
  expect(outcomeOf(run, 'unauthenticated')).toBe('pass')
  expect(detailOf(run, 'late')).toContain('free-1 worked before and gets 401 now')
  expect(run.notes.filter((text) => text.includes('revoked'))).toHaveLength(1)
  expect(heard.filter(({ path }) => path.endsWith('limit=4'))).toEqual([])
  expect(exitCodeOf(run)).toBe(4)
})

test('with a second key the run continues', async () => {
  const act = expiring(from('limit=3', (key) => key === one))
  const checks = [early, probesSecondStatus, late, later]
  const { run, heard } = await vetActs(act, checks, { keys: twoFree })
  expect(outcomeOf(run, 'later')).toBe('pass')
  expect(heard.at(-1)?.key).toBe(two)
})

test('a 401 to one request alone is a violation', async () => {
  const act = expiring(({ path }) => path.endsWith('limit=3'))
  const { run } = await vetActs(act, [early, probesSecondStatus, late, later])
  expect(outcomeOf(run, 'late')).toBe('fail')
  expect(outcomeOf(run, 'later')).toBe('pass')
})

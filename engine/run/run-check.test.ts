// One check against a target: missing prerequisites, who is at fault when no response comes, and a
// key that is invalid from some request on: one message, and no violation afterwards.
import { describe, expect, test } from 'vitest'
import { get, unauthorized } from '../../history/exchange.ts'
import { check, expectStatus, observe } from '../../tests/plain-checks.ts'
import { type Act, opened, type ReceivedRequest, serveActs } from '../../tests/raw-server.ts'
import {
  detailOf,
  error,
  json,
  outcomeOf,
  probesSecondStatus,
  respondValidly,
  vetActs,
  wants200,
} from '../../tests/vet-acts.ts'
import { endingsOf, twoFree } from '../../tests/vet-reference.ts'
import { decideExitCode } from '../check/verdict.ts'

const once = { stage: 'reads' } as const
const strange = '/v1/pets?limit=0'

/** Responds validly, except that the first responses on the strange path are these. */
const strangely = (...acts: Act[]) => {
  let met = 0
  return (heard: ReceivedRequest): Act => {
    if (heard.path !== strange) return respondValidly(heard)
    met += 1
    return acts[met - 1] ?? respondValidly(heard)
  }
}

const asksStrangely = wants200('strange', '/pets?limit=0')

describe('without a complete response, a control request is sent', () => {
  const lost = /connections are lost/
  const never =
    /a 4xx response or a list, as a control request got a response.*, also when sent alone/s

  test.for([
    [1, 'pass', /^A valid GET/],
    [2, 'untested (ambiguous)', lost],
    [4, 'untested (ambiguous)', lost],
    [5, 'fail', never],
  ] as const)('and a request that is dropped %i times is a %s', async ([drops, outcome, says]) => {
    const act = strangely(...Array<'drop'>(drops).fill('drop'))
    const { run } = await vetActs(act, [asksStrangely, probesSecondStatus])
    expect([outcomeOf(run, 'strange'), outcomeOf(run, 'apart')]).toEqual([outcome, 'pass'])
    expect(detailOf(run, 'strange')).toMatch(says)
  })

  test('and what is only observed is never a fail', async () => {
    const observation = observe('strange', 'list.limit.out-of-range', once, async ({ call }) => {
      await call(get('/pets?limit=0'))
      return 'a response'
    })
    const { run } = await vetActs(strangely('drop', 'drop'), [observation, probesSecondStatus])
    expect(run.observations).toEqual({ strange: 'no answer' })
    expect(run.verdict).toBe('conformant')
  })

  test('and where that is refused for its quota, nothing is decided', async () => {
    const act = (heard: ReceivedRequest): Act => {
      if (heard.path === strange) return 'drop'
      return heard.path === '/v1/pets?limit=1' ? error(429) : respondValidly(heard)
    }
    const { run } = await vetActs(act, [asksStrangely])
    expect(outcomeOf(run, 'strange')).toBe('untested (blocked)')
    expect(run.verdict).toBe('undecided')
  })

  test('and a target that has died ends the run', async () => {
    let isDead = false
    const act = (heard: ReceivedRequest): Act => {
      isDead ||= heard.path === strange
      return isDead ? 'drop' : respondValidly(heard)
    }
    const rest = wants200('rest', '/pets')
    const { run, heard } = await vetActs(act, [probesSecondStatus, asksStrangely, rest])
    expect(run.impossible).toContain('the target stopped answering at strange')
    const [lost] = run.checks.find(({ id }) => id === 'strange')?.evidence ?? []
    expect(lost?.curl).toContain(strange)
    expect([run.verdict, decideExitCode(run)]).toEqual(['error', 3])
    const left = { strange: 'untested blocked', rest: 'untested blocked' }
    expect(endingsOf(run)).toMatchObject({ apart: 'pass', ...left })
    expect(heard).toHaveLength(5)
  })

  test('and a target that is silent until the last request is spent ends it too', async () => {
    const act = (heard: ReceivedRequest): Act =>
      heard.path === '/v1/pets' ? respondValidly(heard) : 'drop'
    const limits = { pausesMs: [0, 0], maxRequests: 3 }
    const { run, heard } = await vetActs(act, [asksStrangely], limits)
    expect(heard).toHaveLength(3)
    expect(run.impossible).toContain('the target stopped answering at strange')
  })
})

test('only a Violation is a verdict: any other throw is an error of the run', async () => {
  const broken = check('broken', 'list.success', once, async ({ call }) => {
    await call(get('/pets'))
    throw new TypeError('of the check itself')
  })
  const { run } = await vetActs(respondValidly, [broken, probesSecondStatus])
  expect(endingsOf(run)).toMatchObject({ broken: 'error', apart: 'pass' })
  expect(detailOf(run, 'broken')).toContain('of the check itself')
  expect(decideExitCode(run)).toBe(3)
})

test('a check of a deprecated operation is untested if the clock is past its removal', async () => {
  const act = () => json(200, '{"now":"2030-12-05T00:00:00.000Z"}')
  const clockUrl = `${(await opened(serveActs(act))).origin}/clock`
  const fetching = check('fetching', 'list.success', { ...once, getPet: true }, async () => {})
  const { run } = await vetActs(respondValidly, [fetching, probesSecondStatus], { clockUrl })
  expect(outcomeOf(run, 'fetching')).toBe('untested (clock)')
  expect(detailOf(run, 'fetching')).toContain('restart the target')
})

const [one, two] = twoFree.map(({ key }) => key)

const early = wants200('early', '/pets?limit=2', 'reads')
const late = wants200('late', '/pets?limit=3', 'reads')
const later = wants200('later', '/pets?limit=4', 'reads')
const unauthenticated = check(
  'unauthenticated',
  'list.unauthorized',
  { stage: 'removal' },
  async ({ call }) => expectStatus(await call(unauthorized(get('/pets'))), 401),
)

/** A target at which some keys are invalid from the request of `late` on. */
const expiring = (isKey: (key: string | null) => boolean) => {
  let isOver = false
  return (heard: ReceivedRequest): Act => {
    isOver ||= heard.path.endsWith('limit=3')
    return isOver && isKey(heard.key) ? error(401) : respondValidly(heard)
  }
}

test('a key that expires is tried once more, and the rest is untested', async () => {
  const checks = [early, probesSecondStatus, late, later, unauthenticated]
  const { run, heard } = await vetActs(
    expiring(() => true),
    checks,
  )
  const blocked = { late: 'untested blocked', later: 'untested blocked' }
  expect(endingsOf(run)).toMatchObject({ early: 'pass', ...blocked, unauthenticated: 'pass' })
  expect(detailOf(run, 'late')).toContain('free-1 worked before and gets 401 now')
  expect(run.notes.filter((text) => text.includes('revoked'))).toHaveLength(1)
  expect(heard.filter(({ path }) => path.endsWith('limit=4'))).toEqual([])
  expect(decideExitCode(run)).toBe(4)
})

test('where a key expires the run continues with a second one', async () => {
  const act = expiring((key) => key === one)
  const checks = [early, probesSecondStatus, late, later]
  const { run, heard } = await vetActs(act, checks, { keys: twoFree })
  expect(outcomeOf(run, 'later')).toBe('pass')
  expect(heard.at(-1)?.key).toBe(two)
})

test('a 401 to one request alone is a violation', async () => {
  const act = (heard: ReceivedRequest): Act =>
    heard.path.endsWith('limit=3') ? error(401) : respondValidly(heard)
  const { run } = await vetActs(act, [early, probesSecondStatus, late, later])
  expect(endingsOf(run)).toMatchObject({ late: 'fail', later: 'pass' })
})

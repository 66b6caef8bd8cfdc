// One check against a target: missing prerequisites, who is at fault when no response comes, and a
// key that is invalid from some request on: one message, and no violation afterwards.
import { describe, expect, test } from 'vitest'
import { check, observe } from '../tests/plain-checks.ts'
import { type Act, opened, type ReceivedRequest, serveActs } from '../tests/raw-server.ts'
import {
  detailOf,
  error,
  json,
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

const once = { stage: 'reads', keyed: 1, anonymous: 0 } as const
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
  test('and a connection that drops once is no fail', async () => {
    const { run, heard } = await vetActs(strangely('drop'), [asksStrangely, probesSecondStatus])
    expect(outcomeOf(run, 'strange')).toBe('pass')
    expect(run.verdict).toBe('conformant')
    const paths = ['/v1/pets', '/v1/pets', '/v1/pets', strange, '/v1/pets?limit=1', strange]
    expect(heard.map(({ path }) => path)).toEqual(paths)
  })

  test('and one that drops on the same request each time is a fail', async () => {
    const { run } = await vetActs(strangely('drop', 'drop', 'drop', 'drop', 'drop'), [
      asksStrangely,
      probesSecondStatus,
    ])
    expect(outcomeOf(run, 'strange')).toBe('fail')
    expect(detailOf(run, 'strange')).toContain('a response within 5 s, as a control request got it')
    expect(detailOf(run, 'strange')).toContain('closed before the response was complete, 5 times')
    expect(outcomeOf(run, 'apart')).toBe('pass')
    expect(exitCodeOf(run)).toBe(1)
  })

  test.each([2, 3, 4])(
    'and one that drops %i times, and responds then, loses some',
    async (drops) => {
      const target = strangely(...Array<'drop'>(drops).fill('drop'))
      const { run } = await vetActs(target, [asksStrangely, probesSecondStatus])
      expect(outcomeOf(run, 'strange')).toBe('untested (ambiguous)')
      expect(detailOf(run, 'strange')).toContain('connections are lost')
    },
  )

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
    const { run, heard } = await vetActs(act, [
      probesSecondStatus,
      asksStrangely,
      wants200('rest', '/pets'),
    ])
    expect(run.impossible).toContain('the target stopped answering at strange')
    expect([run.verdict, exitCodeOf(run)]).toEqual(['error', 3])
    expect(outcomeOf(run, 'apart')).toBe('pass')
    expect(outcomeOf(run, 'strange')).toBe('untested (blocked)')
    expect(outcomeOf(run, 'rest')).toBe('untested (blocked)')
    expect(heard).toHaveLength(5)
  })
})

test.for([
  ['put once more', 1, 'pass'],
  ['not put a third time', 2, 'untested (blocked)'],
] as const)('a check that is refused for its quota is %s', async ([, refusals, outcome]) => {
  const refusing = strangely(...Array<Act>(refusals).fill(error(429)))
  const { run, heard } = await vetActs(refusing, [asksStrangely])
  expect(outcomeOf(run, 'strange')).toBe(outcome)
  expect(heard).toHaveLength(3)
})

test('only a Violation is a verdict: any other throw is an error of the run', async () => {
  const broken = check('broken', 'list.success', once, async ({ call }) => {
    await call(get('/pets'))
    throw new TypeError('of the check itself')
  })
  const { run } = await vetActs(respondValidly, [broken, probesSecondStatus])
  expect(outcomeOf(run, 'broken')).toBe('error')
  expect(detailOf(run, 'broken')).toContain('of the check itself')
  expect(outcomeOf(run, 'apart')).toBe('pass')
  expect(exitCodeOf(run)).toBe(3)
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

/** A target at which a key is invalid for some requests. */
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

test('a key that expires is tried once more, and the rest is untested', async () => {
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

test('where a key expires the run continues with a second one', async () => {
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

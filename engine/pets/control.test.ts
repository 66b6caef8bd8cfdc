// The requests that checks share: sent once, remembered, and repeated where a pet is too young.

import { describe, expect, test } from 'vitest'
import { type FakeAnswer, fakeExchange } from '../../tests/fake-exchange.ts'
import type { Pace } from '../client/target-clock.ts'
import { type ApiRequest, controlId, get, post } from '../exchange.ts'
import { violate } from '../expect.ts'
import { Untested } from '../outcome.ts'
import { createControls, createSettled } from './control.ts'
import { createKnownPets } from './known-pets.ts'

const pet = '{"id":9007199254740993,"name":"x","categoryId":1}'
const sound: Record<string, FakeAnswer> = {
  'GET /pets': { status: 200, body: `[${pet}]` },
  'POST /pets': { status: 201, body: pet },
  'GET /pets/9007199254740993': { status: 200, body: pet },
}

const nameOf = ({ method, path }: ApiRequest) => `${method} ${path}`

/** @param answers other than sound ones; a function throws what a call would */
const controlsOver = (
  answers: Record<string, FakeAnswer | ((asked: number) => FakeAnswer)>,
  { allow = ['write'], trace = [] }: Partial<Parameters<typeof createControls>[0]> = {},
) => {
  const { knownPets, learn } = createKnownPets()
  const asked: string[] = []
  const call = async (request: ApiRequest) => {
    const name = nameOf(request)
    asked.push(name)
    const answer = answers[name] ?? sound[name] ?? { status: 404, body: '{}' }
    const given = typeof answer === 'function' ? answer(asked.length) : answer
    const exchange = fakeExchange(request, given)
    learn(exchange)
    return exchange
  }
  const newPet = () => ({ name: 'x', categoryId: 1n })
  return { asked, control: createControls({ call, newPet, knownPets, allow, trace }) }
}

const operations = ['list', 'create', 'get'] as const

describe('a control', () => {
  test.for(operations)('of %s is asked once and then remembered', async (operation) => {
    const { asked, control } = controlsOver({})
    const [first, second] = await Promise.all([control(operation), control(operation)])
    const sent = asked.length
    expect(second).toBe(first)
    expect(await control(operation)).toBe(first)
    expect(asked).toHaveLength(sent)
  })

  test('of a fetch asks for an animal that was met', async () => {
    const { asked, control } = controlsOver({})
    await control('get')
    expect(asked).toEqual(['GET /pets', 'GET /pets/9007199254740993'])
  })

  test('of a fetch makes one where the list is empty', async () => {
    const { asked, control } = controlsOver({ 'GET /pets': { status: 200, body: '[]' } })
    await control('get')
    expect(asked).toEqual(['GET /pets', 'POST /pets', 'GET /pets/9007199254740993'])
  })

  test.for([
    ['list', 'GET /pets', { status: 200, body: '{}' }],
    ['list', 'GET /pets', { status: 404, body: '[]' }],
    ['list', 'GET /pets', { status: 500, body: '' }],
    ['create', 'POST /pets', { status: 200, body: pet }],
    ['create', 'POST /pets', { status: 201, body: '{"id":"1"}' }],
    ['create', 'POST /pets', { status: 400, body: '{}' }],
    ['get', 'GET /pets/9007199254740993', { status: 404, body: '{}' }],
    ['get', 'GET /pets', { status: 500, body: '' }],
  ] as const)(
    'of %s is blocked, for good, where %s answers %j',
    async ([operation, name, answer]) => {
      const { asked, control } = controlsOver({ [name]: answer })
      const blocked = { because: 'blocked', message: expect.stringContaining('setup request') }
      await expect(control(operation)).rejects.toMatchObject(blocked)
      const sent = asked.length
      await expect(control(operation)).rejects.toMatchObject({ evidence: [expect.anything()] })
      expect(asked).toHaveLength(sent)
    },
  )

  test('of a list is the one that the smoke call got, where it got one', async () => {
    const first = fakeExchange('/pets', { status: 200, body: '[]' })
    const { asked, control } = controlsOver({}, { trace: [first] })
    expect(await control('list')).toBe(first)
    expect(asked).toEqual([])
  })

  test('of a fetch is the one that was recorded before the run was resumed', async () => {
    const fetched = fakeExchange('/pets/7', { status: 200, body: '{"id":7}' })
    const recorded = { ...fetched, check: controlId }
    const { asked, control } = controlsOver({}, { trace: [recorded] })
    expect(await control('get')).toBe(recorded)
    expect(asked).toEqual([])
  })

  test('of a creation needs the permission to write', async () => {
    const { asked, control } = controlsOver({}, { allow: [] })
    await expect(control('create')).rejects.toMatchObject({ because: 'permission' })
    expect(asked).toEqual([])
  })

  test.for(operations)('of %s that a 429 kept from an answer is asked again', async (operation) => {
    const { control } = controlsOver({
      ...Object.fromEntries(
        Object.entries(sound).map(([name, answer]) => [
          name,
          (asked: number) => {
            if (asked === 1) throw new Untested('blocked', 'key free-1 was answered 429')
            return answer
          },
        ]),
      ),
    })
    await expect(control(operation)).rejects.toThrow('429')
    expect((await control(operation)).response.status).toBeLessThan(300)
  })
})

const nowMs = 50_000

/** A pace that only writes down how long it is told to sleep. */
const createTestPace = (): Pace & { readonly sleeps: number[] } => {
  const sleeps: number[] = []
  const sleep = (ms: number) => {
    sleeps.push(Math.round(ms))
    return Promise.resolve()
  }
  return {
    sleeps,
    now: () => nowMs,
    pass: sleep,
    sleep,
    instant: false,
    moved: () => {},
    movedMs: () => 0,
  }
}

/** A knownPets whose newest animal was created so long ago; null: it has none. */
const herdOf = (ageMs: number | null) => {
  const { knownPets, learn } = createKnownPets()
  const answer = { status: 201, body: '{"id":1}' }
  const creation = fakeExchange(post('/pets', '{"name":"x","categoryId":1}'), answer)
  if (ageMs !== null) learn({ ...creation, receivedMs: nowMs - ageMs })
  return knownPets
}

const shortfall = () => violate('2 animals', '1')

/** Judges with these endings, one after another. */
const judged = async (ageMs: number | null, ...endings: (() => unknown)[]) => {
  const pace = createTestPace()
  let asked = 0
  const judge = async () => {
    asked += 1
    return endings[asked - 1]?.() ?? 'whole'
  }
  const found = await createSettled(herdOf(ageMs), pace)(judge).catch((error) => String(error))
  return { found, asked, sleeps: pace.sleeps }
}

describe('a judgement', () => {
  test('that finds nothing wrong is not repeated', async () => {
    expect(await judged(100)).toEqual({ found: 'whole', asked: 1, sleeps: [] })
  })

  test('that finds a shortfall within the second is, once the second is over', async () => {
    expect(await judged(300, shortfall)).toEqual({ found: 'whole', asked: 2, sleeps: [700] })
  })

  test('that finds it again stands', async () => {
    const { found, asked } = await judged(300, shortfall, shortfall, shortfall)
    expect(found).toContain('expected 2 animals')
    expect(asked).toBe(2)
  })

  test.for([[1_000], [60_000], [null]])('stands at once at the age of %s ms', async ([ageMs]) => {
    const { found, asked, sleeps } = await judged(ageMs ?? null, shortfall)
    expect(found).toContain('expected 2 animals')
    expect([asked, sleeps]).toEqual([1, []])
  })

  test.for([
    [4_900, 2],
    [3_000, 1],
  ])('over a list that was asked for %i ms before is asked %i times', async ([agoMs, times]) => {
    const sent = fakeExchange(get('/pets'), { status: 200, body: '[]' })
    const list = { ...sent, sentMs: nowMs - (agoMs ?? 0) }
    const { asked } = await judged(5_000, () => violate('2 animals', '1', list))
    expect(asked).toBe(times)
  })

  test('that was blocked is none, and is not repeated', async () => {
    const { found, asked } = await judged(100, () => {
      throw new Untested('blocked', 'by a 429')
    })
    expect(found).toContain('by a 429')
    expect(asked).toBe(1)
  })
})

// The requests that checks share: sent once, remembered, and repeated where a pet is too young.

import { describe, expect, test } from 'vitest'
import { type AnsweredExchange, type ApiRequest, controlId, get } from '../../history/exchange.ts'
import { PetIndex } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import { type FakeAnswer, fakeExchange, fakeTrace } from '../../tests/fakes/fake-exchange.ts'
import type { Permission } from './context.ts'
import { createControls, refusedBefore } from './control-request.ts'

const pet = '{"id":9007199254740993,"name":"x","categoryId":1}'
const valid: Record<string, FakeAnswer> = {
  'GET /pets': { status: 200, body: `[${pet}]` },
  'POST /pets': { status: 201, body: pet },
  'GET /pets/9007199254740993': { status: 200, body: pet },
}

const nameOf = ({ method, path }: ApiRequest) => `${method} ${path}`

/** @param responses in place of the valid ones; a function may throw as a call would */
const controlsOver = (
  responses: Record<string, FakeAnswer | ((sent: number) => FakeAnswer)>,
  { allow = ['write'], trace = [] }: { allow?: Permission[]; trace?: AnsweredExchange[] } = {},
) => {
  const knownPets = new PetIndex()
  const sentPaths: string[] = []
  const call = async (request: ApiRequest) => {
    const name = nameOf(request)
    sentPaths.push(name)
    const response = responses[name] ?? valid[name] ?? { status: 404, body: '{}' }
    const given = typeof response === 'function' ? response(sentPaths.length) : response
    const exchange = fakeExchange(request, given)
    knownPets.learn(exchange)
    return exchange
  }
  const newPet = (members = {}) => ({ name: 'x', categoryId: 1n, ...members })
  const demanded: object[] = []
  const demand = (members: object) => demanded.push(members)
  const parts = { call, newPet, knownPets, allow, history: fakeTrace(...trace), demand }
  return { sentPaths, demanded, control: createControls(parts) }
}

describe('a control', () => {
  test.for([
    ['requests a pet that is known', {}, []],
    [
      'creates one if the list is empty',
      { 'GET /pets': { status: 200, body: '[]' } },
      ['POST /pets'],
    ],
  ] as const)('of a fetch %s', async ([, responses, between]) => {
    const { sentPaths, control } = controlsOver(responses)
    await control('get')
    expect(sentPaths).toEqual(['GET /pets', ...between, 'GET /pets/9007199254740993'])
  })

  test.for([
    ['list', 'GET /pets', { status: 200, body: '{}' }],
    ['create', 'POST /pets', { status: 200, body: '{}' }],
    ['get', 'GET /pets/9007199254740993', { status: 404, body: '{}' }],
  ] as const)(
    'of %s is blocked, for good, where %s returns %j',
    async ([operation, name, response]) => {
      const { sentPaths, control } = controlsOver({ [name]: response })
      const blocked = { because: 'blocked', message: expect.stringContaining('setup request') }
      await expect(control(operation)).rejects.toMatchObject(blocked)
      const sent = sentPaths.length
      await expect(control(operation)).rejects.toMatchObject({ evidence: [expect.anything()] })
      expect(sentPaths).toHaveLength(sent)
    },
  )

  test('of a creation is repeated with a status, where none without one is accepted', async () => {
    const refusal: FakeAnswer = { status: 400, body: '{}' }
    const { control, demanded } = controlsOver({
      'POST /pets': (sent) => (sent === 1 ? refusal : { status: 201, body: pet }),
    })
    expect((await control('create')).apiRequest.body).toContain('"status":"available"')
    expect(demanded).toEqual([{ status: 'available' }])
  })

  test('of a creation succeeds where its id is in a list alone', async () => {
    const list = { 'GET /pets?status=available&limit=100': { status: 200, body: `[${pet}]` } }
    const response = { status: 201, body: '' }
    const { sentPaths, control } = controlsOver({ ...list, 'POST /pets': response })
    expect(await control('create')).toMatchObject({ response: { status: 201 } })
    expect(sentPaths).toHaveLength(2)
  })

  test('of a fetch is the one that was recorded before the run was resumed', async () => {
    const fetched = fakeExchange('/pets/7', { status: 200, body: '{"id":7}' })
    const recorded = { ...fetched, check: controlId }
    const { sentPaths, control } = controlsOver({}, { trace: [recorded] })
    expect(await control('get')).toBe(recorded)
    expect(sentPaths).toEqual([])
  })

  test('of a creation needs the permission to write', async () => {
    const { sentPaths, control } = controlsOver({}, { allow: [] })
    await expect(control('create')).rejects.toMatchObject({ because: 'permission' })
    expect(sentPaths).toEqual([])
  })

  test.for(['list', 'create', 'get'] as const)(
    'of %s that was refused with 429 is sent again',
    async (operation) => {
      const refusedFirst = (response: FakeAnswer) => (sent: number) => {
        if (sent === 1) throw new Untested('blocked', 'key free-1 was answered 429')
        return response
      }
      const all = Object.entries(valid).map(([name, each]) => [name, refusedFirst(each)] as const)
      const { control } = controlsOver(Object.fromEntries(all))
      await expect(control(operation)).rejects.toThrow('429')
      expect((await control(operation)).response.status).toBeLessThan(300)
    },
  )
})

test('what was refused before is not sent again, but for a pet that is known by now', () => {
  const gone = fakeExchange(get('/pets/7'), { status: 404, body: '{}' })
  const listed = fakeExchange(get('/pets?limit=0'), { status: 400, body: '{}' })
  const history = fakeTrace(gone, listed)
  expect(refusedBefore(history, get('/pets/7'))).toBe(gone)
  expect(refusedBefore(history, { ...get('/pets/7'), insists: true })).toBeUndefined()
  expect(refusedBefore(history, get('/pets/8'))).toBeUndefined()
  expect(refusedBefore(history, get('/pets?limit=0'))).toBeUndefined()
  const knownPets = new PetIndex()
  knownPets.learn(fakeExchange('/pets', { status: 200, body: '[{"id":7}]' }))
  expect(refusedBefore({ ...history, knownPets }, get('/pets/7'))).toBeUndefined()
})

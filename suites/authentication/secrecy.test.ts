// A key in a response is found wherever it was sent, and an existing pet is not revealed.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/check/context.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  unauthorized,
} from '../../engine/check/exchange.ts'
import { fakeExchange, invariantNamed, judged } from '../../tests/fake-exchange.ts'
import { secrecy } from './secrecy.ts'

const key = 'a-long-key-01234'

const refused = (apiRequest: ApiRequest, message: string) =>
  fakeExchange(apiRequest, {
    status: 401,
    body: JSON.stringify({ code: 'unauthorized', message, status: 401 }),
    key: null,
  })

const bare = unauthorized(get('/pets'))
const silent = invariantNamed(secrecy, 'auth-401-repeats-no-key')

test.for([
  ['as bearer token', unauthorized(get('/pets'), `Bearer ${key}`)],
  ['under another scheme', unauthorized(get('/pets'), 'Bearer other', `Basic ${key}`)],
  ['in a header', { ...bare, headers: [['X-API-Key', key]] }],
  ['in a cookie', { ...bare, headers: [['Cookie', `a=1; token=${key}`]] }],
  ['in the query', { ...bare, path: `/pets?limit=1&api_key=${key}` }],
] as const)('a sent key is found in a response %s', ([, apiRequest]) => {
  expect(judged(silent, refused(apiRequest, `The key ${key} is wrong.`))).toContain(
    'without the key',
  )
  expect(judged(silent, refused(apiRequest, 'Bearer api_key access_token limit'))).toBe('holds')
})

test.for([
  ['a cookie of another name', { ...bare, headers: [['Cookie', 'admin=1; authenticated=true']] }],
  ['a key that is a common word', unauthorized(get('/pets'), 'Bearer authenticated')],
] as const)('a message with the words of %s repeats no key', ([, apiRequest]) => {
  expect(judged(silent, refused(apiRequest, 'Not authenticated'))).toBe('holds')
})

/** Runs the comparison of an existing pet with an unknown one, with messages of the target. */
const compare = async (
  messageTo: (apiRequest: ApiRequest, call: number) => string,
  id = 42n,
  known: readonly bigint[] = [],
) => {
  const check = secrecy.find((each) => each.id === 'auth-existing-or-unknown-same-401')
  if (check?.kind !== 'check') throw new Error('there is no such check')
  const paths: string[] = []
  const seen = new Map(known.map((each) => [each, {}]))
  const context: Partial<Context> = {
    once: (_name, make) => make(),
    together: (requests) => Promise.all(requests.map((each) => context.call?.(each) as never)),
    control: async () => fakeExchange(`/pets/${id}`, { status: 200, body: `{"id":${id}}` }),
    knownPets: { seen } as Partial<Context['knownPets']> as Context['knownPets'],
    call: async (apiRequest): Promise<AnsweredExchange> => {
      paths.push(apiRequest.path)
      return refused(apiRequest, messageTo(apiRequest, paths.length))
    },
  }
  await check.run(context as Context)
  return BigInt(paths[1]?.slice('/pets/'.length) ?? 0)
}

test.for([1n, 9n, 42n, 9007199254740993n, 9223372036854775807n, -5n, -9223372036854775808n])(
  'an unknown id next to %d has as many digits, and is an int64',
  async (id) => {
    const unknown = await compare(({ path }) => `No key for ${path}.`, id, [9n, 90n])
    expect(`${unknown}`).toHaveLength(`${id}`.length)
    expect([id, 9n, 90n]).not.toContain(unknown)
    expect(BigInt.asIntN(64, unknown)).toBe(unknown)
  },
)

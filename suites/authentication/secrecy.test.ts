// Discretion: a key in an answer is found wherever it was sent, and probes are of one length.
import { describe, expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { Untested, Violation } from '../../engine/outcome.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { get, unauthorized } from '../../engine/request.ts'
import { fakeExchange, invariantNamed, judged } from '../../tests/fake-exchange.ts'
import { secrecy } from './secrecy.ts'
import { unknownIdLike } from './unknown-id.ts'

const key = 'a-long-key-0123'

const refused = (asked: ApiRequest, message: string) =>
  fakeExchange(asked, {
    status: 401,
    body: JSON.stringify({ code: 'unauthorized', message, status: 401 }),
    key: null,
  })

const bare = unauthorized(get('/pets'))
const silent = invariantNamed(secrecy, 'auth-401-repeats-no-key')

describe('a key is found again that was sent', () => {
  test.for([
    ['as bearer token', unauthorized(get('/pets'), `Bearer ${key}`)],
    ['under another scheme', unauthorized(get('/pets'), 'Bearer other', `Basic ${key}`)],
    ['in a header', { ...bare, headers: [['X-API-Key', key]] }],
    ['in a cookie', { ...bare, headers: [['Cookie', `a=1; token=${key}`]] }],
    ['in the query', { ...bare, path: `/pets?limit=1&api_key=${key}` }],
  ] as const)('%s', ([, asked]) => {
    expect(judged(silent, refused(asked, `The key ${key} is wrong.`))).toContain('without the key')
    expect(judged(silent, refused(asked, 'Bearer api_key access_token limit'))).toBe('holds')
  })
})

test.for([1n, 9n, 42n, 9007199254740993n, 9223372036854775807n, -5n, -9223372036854775808n])(
  'an unknown id beside %d has as many characters, and is an int64',
  (id) => {
    const unknown = unknownIdLike(id, (other) => other === 9n || other === 90n)
    expect(`${unknown}`).toHaveLength(`${id}`.length)
    expect(unknown).not.toBe(id)
    expect(unknown).not.toBe(9n)
    expect(BigInt.asIntN(64, unknown)).toBe(unknown)
  },
)

describe('an animal that exists', () => {
  const compare = async (answerTo: (id: string, call: number) => string) => {
    const question = secrecy.find(({ id }) => id === 'auth-existing-or-unknown-same-401')
    if (question?.kind !== 'check') throw new Error('there is no such check')
    let calls = 0
    const context: Partial<Context> = {
      once: (_name, make) => make(),
      together: (requests) => Promise.all(requests.map((each) => context.call?.(each) as never)),
      control: async () => fakeExchange('/pets/42', { status: 200, body: '{"id":42}' }),
      herd: { seen: new Map() } as Partial<Context['herd']> as Context['herd'],
      call: async (asked): Promise<Answered> => {
        calls += 1
        return refused(asked, answerTo(asked.path.slice('/pets/'.length), calls))
      },
    }
    await question.run(context as Context)
    return calls
  }

  test('is answered as one that does not, and then two requests tell', async () => {
    expect(await compare((id) => `No key for /pets/${id}.`)).toBe(2)
  })

  test('is given away by another message', async () => {
    const telling = compare((id) => (id === '42' ? 'Not yours.' : 'No such animal.'))
    await expect(telling).rejects.toThrow(Violation)
  })

  test('is not, by messages that differ each time', async () => {
    await expect(compare((_, call) => `Request ${call} has no key.`)).rejects.toThrow(Untested)
  })
})

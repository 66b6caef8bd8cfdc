// An exchange that was recorded is restored as it was: nothing of it differs to what judges it.
import { describe, expect, test } from 'vitest'
import { type FakeAnswer, fakeExchange } from '../../tests/fake-exchange.ts'
import { curlOf } from '../curl.ts'
import type { Exchange } from '../exchange.ts'
import { lineOf } from '../record.ts'
import { createRedactor, forgeWith } from '../redact.ts'
import { type ApiRequest, get, json, post, unauthorized } from '../request.ts'
import { restoredExchange } from './recorded-exchange.ts'

const key = 's3cret/key+1'
const keys = [
  { plan: 'free', key, quota: { perMinute: 60, perDay: 1_000 }, label: 'free-1' },
] as const
const further = [['X-Team', 'pets']] as const
const identity = ['Accept-Encoding', 'identity'] as const

const redactorOf = () => {
  const redactor = createRedactor()
  redactor.hideKey(key)
  return redactor
}

/** As it is sent: with its credentials and the headers that each request has. */
const sent = (
  asked: ApiRequest,
  answer: Partial<FakeAnswer>,
  differing: Partial<Exchange> = {},
) => {
  const isKeyed = asked.authorization === 'valid'
  const values = isKeyed ? [`Bearer ${key}`] : (asked.authorization ?? [])
  const own = values.map((value) => ['Authorization', value] as const)
  const exchange = fakeExchange(asked, {
    ...{ status: 200, body: '[]', key: isKeyed ? 'free-1' : null },
    ...answer,
  })
  const headers = [...own, ...further, ...asked.headers, identity]
  const path = asked.from === 'base' ? `/v1${asked.path}` : asked.path
  const url = `http://127.0.0.1:8080${path}`
  return { ...exchange, request: { ...exchange.request, url, headers }, ...differing }
}

const restored = (exchange: Exchange, recorder = redactorOf(), redactor = redactorOf()) =>
  restoredExchange(JSON.parse(lineOf(exchange, recorder)), {
    baseUrl: new URL('http://127.0.0.1:8080/v1'),
    keys,
    furtherHeaders: ['X-Team'],
    redactor,
  })

describe('restored as it was', () => {
  test.for<[string, Exchange]>([
    ['a list', sent(get('/pets?limit=1'), {})],
    ['a creation', sent(post('/pets', '{"name":"x"}'), { status: 201, body: '{"id":7}' })],
    ['a key in a response', sent(get('/pets'), { body: `["${key}"]`, headers: { Echo: key } })],
    ['no key', sent(unauthorized(get('/pets/1')), { status: 401 })],
    ['a key where none belongs', sent(unauthorized(get('/pets'), `Token ${key}`), { status: 401 })],
    ['another root', sent({ ...get('/elsewhere'), from: 'origin' }, { status: 404 })],
    ['bytes', sent(get('/pets'), { body: Uint8Array.of(0x5b, 0xff, 0x5d) })],
    ['moved clocks', sent(get('/pets'), {}, { movedMs: 60_000, meanwhileMs: 1_000 })],
    ['no response', sent(get('/pets'), {}, { response: null, noAnswer: 'timeout' })],
  ])('%s', ([, exchange]) => {
    const { asked, response, ...others } = restored(exchange)
    const { asked: wasAsked, response: was, ...othersWere } = exchange
    expect(others).toEqual(othersWere)
    expect(asked).toEqual(wasAsked)
    expect(response && { ...response, bytes: Buffer.from(response.bytes) }).toEqual(
      was && { ...was, bytes: Buffer.from(was.bytes) },
    )
  })
})

test('what was made of a key is told as the command that makes it', () => {
  const recorder = redactorOf()
  const made = forgeWith(recorder, key)({ of: (text) => text.slice(1), shell: `\${PETVET_KEY#?}` })
  const asked = unauthorized(get('/pets'), `Bearer ${made}`)
  const redactor = redactorOf()
  const { request } = restored(sent(asked, { status: 401 }), recorder, redactor)
  expect(curlOf(request, redactor, [])).toContain(`'"Bearer \${PETVET_KEY#?}"`)
})

test('a header of a check stays one', () => {
  const asked = { ...post('/pets', '{}'), headers: [json, ['X-Pet', '1'] as const] }
  expect(restored(sent(asked, {})).asked.headers).toEqual(asked.headers)
})

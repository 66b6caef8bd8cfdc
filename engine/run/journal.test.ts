// A journal and its exchanges: what a kill can leave is read, and what it cannot is refused.

import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  type Exchange,
  get,
  json,
  post,
  unauthorized,
} from '../../history/exchange.ts'
import { type FakeAnswer, fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import type { CheckResult } from '../check/run-file.ts'
import { writeCurl } from '../http/curl.ts'
import { type PastExchange, printLine, restoredExchange } from '../http/recorder.ts'
import { forgeWith, Redactor } from '../http/redact.ts'
import { DamagedJournal, type Entry, type Head, type Past, readPast } from './journal.ts'
import { workedMs } from './resume.ts'

const at = '2026-11-20T12:00:00.000Z'
const head = { kind: 'head', startedAt: at, checks: ['a', 'b'] } as unknown as Head
const sending = (seq: number, check = 'a'): Entry => ({
  kind: 'sending',
  seq,
  check,
  key: 'free-1',
})
const result = (id: string, outcome = 'pass'): Entry => ({
  ...{ kind: 'result', at, result: { id, outcome } as unknown as CheckResult },
})
const resumed: Entry = { kind: 'resumed', at, interruptedAt: at, lost: 1 }

const first: readonly Entry[] = [head, sending(1), sending(2), result('a'), sending(3, 'b')]
const second: readonly Entry[] = [resumed, sending(4), sending(5, 'b')]

const exchange = (seq: number): PastExchange => {
  const check = [3, 5].includes(seq) ? 'b' : 'a'
  return { seq, at, check, key: 'free-1', ms: 1, sentMs: seq } as PastExchange
}

const read = (entries: readonly Entry[], seqs: readonly number[]) =>
  readPast(entries, seqs.map(exchange))

describe('what a kill can leave', () => {
  test.for<[string, readonly Entry[], readonly number[], readonly number[]]>([
    ['all that was answered', first, [2, 1, 3], []],
    ['a response that was not recorded any more', first, [2, 1], [3]],
    ['the same, and the run was resumed', [...first, ...second], [2, 1, 4], [3, 5]],
    ['requests that were in flight', first.slice(0, 3), [], [1, 2]],
    ['a request that a fault of our own left open', [...first, result('b', 'error')], [2, 1], [3]],
    ['nothing but a head', [head], [], []],
  ])('%s', ([, entries, seqs, lost]) => {
    const past = read(entries, seqs)
    expect(past?.exchanges.map(({ seq }) => seq)).toEqual(seqs)
    expect(past?.lost.map(({ seq }) => seq)).toEqual(lost)
  })

  test('nothing at all', () => {
    expect(read([], [])).toBeNull()
  })
})

test.for<[string, readonly Entry[], readonly number[], string]>([
  ['an exchange twice', first, [2, 2, 1, 3], 'exchange 2 is not in it, or more than once'],
  ['an exchange of no request', first, [2, 1, 3, 7], 'exchange 7 is not in it'],
  ['an exchange of another run', [head, sending(1, 'b')], [1], 'exchange 1 is not in it'],
  ['no head', first.slice(1), [2, 1, 3], 'it does not begin with its head'],
])('what none can %s', ([, entries, seqs, message]) => {
  expect(() => read(entries, seqs)).toThrow(DamagedJournal)
  expect(() => read(entries, seqs)).toThrow(message)
})

test('the time between an interruption and its resumption is not that of the run', () => {
  const [interruptedAt, resumedAt, later] = ['12:00:10', '13:00:00', '13:00:05'].map(
    (time) => `2026-11-20T${time}.000Z`,
  ) as [string, string, string]
  const again: Entry = { kind: 'resumed', at: resumedAt, interruptedAt, lost: 0 }
  const past = readPast(
    [head, sending(1), again, sending(2)],
    [exchange(1), { ...exchange(2), at: later }],
  ) as Past
  expect(past.interruptions).toEqual([{ interruptedAt, resumedAt, lost: 0 }])
  expect([past.endedMs, workedMs(past)]).toEqual([Date.parse(later) + 1, 15_001])
})

test('results that say nothing of the target are not kept, and the check runs again', () => {
  const budget = { outcome: 'untested', because: 'budget' }
  const left = { kind: 'result', at, result: { id: 'b', ...budget } } as unknown as Entry
  const past = read([head, result('a'), left], [])
  expect(past?.results.map(({ id }) => id)).toEqual(['a'])
})

const key = 's3cret/key+1'
const keys = [
  {
    ...{ plan: 'free', key, quota: { perMinute: 60, perDay: 1_000 }, label: 'free-1' },
    variable: 'PETVET_KEY',
  },
] as const
const further = [['X-Team', 'pets']] as const
const identity = ['Accept-Encoding', 'identity'] as const

const redactorOf = () => {
  const redactor = new Redactor()
  redactor.hideKey(key)
  return redactor
}

/** As it is sent: with its credentials and the headers that each request has. */
const sent = (
  apiRequest: ApiRequest,
  response: Partial<FakeAnswer>,
  differing: Partial<Exchange> = {},
) => {
  const isKeyed = apiRequest.authorization === 'valid'
  const values = isKeyed ? [`Bearer ${key}`] : (apiRequest.authorization ?? [])
  const own = values.map((value) => ['Authorization', value] as const)
  const exchange = fakeExchange(apiRequest, {
    ...{ status: 200, body: '[]', key: isKeyed ? 'free-1' : null },
    ...response,
  })
  const headers = [...own, ...further, ...apiRequest.headers, identity]
  const path = apiRequest.from === 'base' ? `/v1${apiRequest.path}` : apiRequest.path
  const url = `http://127.0.0.1:8080${path}`
  return { ...exchange, request: { ...exchange.request, url, headers }, ...differing }
}

const restored = (exchange: Exchange, recorder = redactorOf(), redactor = redactorOf()) =>
  restoredExchange(JSON.parse(printLine(exchange, recorder)), {
    baseUrl: new URL('http://127.0.0.1:8080/v1'),
    keys,
    furtherHeaders: ['X-Team'],
    redactor,
    startMs: 0,
  })

/** With the variable in place of the key. */
const withVariable = (request: ApiRequest) =>
  JSON.parse(JSON.stringify(request).replaceAll(key, '$PETVET_KEY'))

test.for<[string, Exchange]>([
  ['a list', sent(get('/pets?limit=1'), {})],
  ['a creation', sent(post('/pets', '{"name":"x"}'), { status: 201, body: '{"id":7}' })],
  ['a key in a response', sent(get('/pets'), { body: `["${key}"]`, headers: { Echo: key } })],
  ['no key', sent(unauthorized(get('/pets/1')), { status: 401 })],
  ['a key where none belongs', sent(unauthorized(get('/pets'), `Token ${key}`), { status: 401 })],
  ['another root', sent({ ...get('/elsewhere'), from: 'origin' }, { status: 404 })],
  ['bytes', sent(get('/pets'), { body: Uint8Array.of(0x5b, 0xff, 0x5d) })],
  ['moved clocks', sent(get('/pets'), {}, { movedMs: 60_000, meanwhileMs: 1_000 })],
  ['no response', sent(get('/pets'), {}, { response: null, noResponse: 'timeout' })],
])('restored as it was, but for the key, %s', ([, exchange]) => {
  const again = restored(exchange)
  expect(printLine(again, redactorOf())).toBe(printLine(exchange, redactorOf()))
  expect(withVariable(again.apiRequest)).toEqual(withVariable(exchange.apiRequest))
  expect(again.quota).toEqual(exchange.quota)
})

test('a text derived from a key is recorded as the command that makes it', () => {
  const recorder = redactorOf()
  const made = forgeWith(recorder, key)({ of: (text) => text.slice(1), shell: `\${PETVET_KEY#?}` })
  const apiRequest = unauthorized(get('/pets'), `Bearer ${made}`)
  const redactor = redactorOf()
  const { request } = restored(sent(apiRequest, { status: 401 }), recorder, redactor)
  expect(writeCurl(request, redactor, [])).toContain(`'"Bearer \${PETVET_KEY#?}"`)
})

test('a header of a check stays one', () => {
  const apiRequest = { ...post('/pets', '{}'), headers: [json, ['X-Pet', '1'] as const] }
  expect(restored(sent(apiRequest, {})).apiRequest.headers).toEqual(apiRequest.headers)
})

// Records have numbers and bodies verbatim, and no key in any spelling.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AnsweredExchange, get, post } from '../../history/exchange.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { createEvidence, printLine } from './recorder.ts'
import { Redactor } from './redact.ts'

const key = 's3cret/key+1'
const redactor = new Redactor()
redactor.hideKey(key)
const evidenceOf = createEvidence(redactor, ['--insecure'])

const sentWith = (
  authorization: string,
  differing: Partial<AnsweredExchange['request']>,
): AnsweredExchange => {
  const exchange = fakeExchange(get('/pets'), { status: 200, body: '[]' })
  const headers = [['Authorization', authorization]] as const
  return { ...exchange, request: { ...exchange.request, headers, ...differing } }
}

const answered = (body: string | Uint8Array) => fakeExchange('/pets', { status: 200, body })

describe('a line', () => {
  test('describes an exchange and hides its key', () => {
    const url = `http://127.0.0.1/v1/pets?api_key=${encodeURIComponent(key)}`
    const exchange = sentWith(`Bearer ${key}`, { url, body: `{"name":"${key}"}` })
    const line = JSON.parse(printLine({ ...exchange, sentMs: 1, receivedMs: 2.23456 }, redactor))
    expect(line).toMatchObject({ seq: 1, check: 'fake', key: 'free-1', ms: 1.235 })
    expect(line.request).toMatchObject({
      url: 'http://127.0.0.1/v1/pets?api_key=$PETVET_KEY',
      headers: [['Authorization', 'Bearer $PETVET_KEY']],
      body: '{"name":"$PETVET_KEY"}',
    })
    expect(line.response).toMatchObject({ status: 200, body: '[]' })
    expect(line.response).not.toHaveProperty('bodyBase64')
  })

  test('hides a key in the name of a header, also in lower case', () => {
    const own = new Redactor()
    own.hideKey('Hunt-Key-7f3a9c51')
    own.hideKey('Date')
    const headers = { 'X-Seen-Hunt-Key-7f3a9c51': '1', 'x-hunt-key-7f3a9c51': 'hunt-KEY-7f3a9c51' }
    const exchange = fakeExchange('/pets', { status: 200, body: '[]', headers })
    const recorded = JSON.parse(printLine(exchange, own)).response.headers
    expect(recorded).toContainEqual(['X-Seen-$PETVET_KEY', '1'])
    expect(recorded).toContainEqual(['x-$PETVET_KEY', '$PETVET_KEY'])
    expect(recorded).toContainEqual(['X-RateLimit-Limit', '60'])
  })
})

test('evidence reads each key from a variable of its own', () => {
  const keys = [
    [key, 'STAGING_KEY'],
    ['another-key-of-a-run', 'PETVET_KEY_PRO_1'],
  ] as const
  const own = new Redactor()
  for (const [text, variable] of keys) own.hideKey(text, `$${variable}`)
  const named = createEvidence(own, [])
  for (const [text, variable] of keys) {
    const { request, curl } = named(sentWith(`Bearer ${text}`, {}))
    expect(request.headers[0]?.[1]).toBe(`Bearer $${variable}`)
    expect(curl).toContain(` -H 'Authorization: Bearer '"$${variable}"`)
  }
})

test('a body keeps an int64 digit for digit, and every blank', () => {
  const text = '[ {"id": 9007199254740993, "categoryId":-9223372036854775808, "x": 1.0e2} ]'
  expect(JSON.parse(printLine(answered(text), redactor)).response.body).toBe(text)
  const sent = sentWith('Bearer x', { method: 'POST', body: text })
  expect(evidenceOf(sent).request.body).toBe(text)
  expect(evidenceOf(sent).curl).toContain(text)
  expect(evidenceOf(sent).curl).toMatch(/^curl .*--globoff --insecure -X POST/)
})

describe('a long body', () => {
  const most = 8 * 1024

  test('is whole in its line, and its beginning is evidence', () => {
    const text = 'é'.repeat(20_000)
    expect(JSON.parse(printLine(answered(text), redactor)).response.body).toBe(text)
    const { response } = evidenceOf(answered(text))
    // What a key might begin at its end is left out.
    expect(response?.body).toMatch(/^é{3500,4000}$/)
    expect(response?.bodyBytes).toBe(40_000)
    expect(evidenceOf(answered('é'.repeat(most / 2))).response).not.toHaveProperty('bodyBytes')
  })

  test('shows no part of a key that spans the cut', () => {
    const text = `${'x'.repeat(most - 5)}${key}${'x'.repeat(most)}`
    expect(evidenceOf(answered(text)).response?.body).toMatch(/^x{7000,8000}$/)
  })

  test.each([0, 4, 11, 12])('that ended %i letters into a key shows none of them', (letters) => {
    const filling = 'x'.repeat(2_000)
    for (const start of ['', '\u00ff']) {
      const whole = answered(Buffer.from(`${start}${filling}${key.slice(0, letters)}`, 'latin1'))
      const cut = { ...whole, response: { ...whole.response, cut: true } }
      const { body, bodyBase64 } = JSON.parse(printLine(cut, redactor)).response
      expect(body).toContain('x'.repeat(1_500))
      expect(body).not.toContain(key.slice(0, Math.max(1, letters)))
      expect(bodyBase64).toBeUndefined()
    }
  })
})

test('no key shows, wherever in an exchange it is', () => {
  const keys = fc.string({ minLength: 6, maxLength: 30, unit: 'grapheme-ascii' })
  const around = fc.string({ maxLength: 12 })
  const places = fc.tuple(keys, around, around, fc.boolean())
  fc.assert(
    fc.property(places, ([secret, before, after, isBroken]) => {
      const own = new Redactor()
      own.hideKey(secret)
      const text = `${before}${secret}${after}`
      const bytes = Buffer.concat([Buffer.of(...(isBroken ? [0xff] : [])), Buffer.from(text)])
      const headers = { 'X-Text': text }
      const exchange = fakeExchange(post('/pets', text), { status: 400, body: bytes, headers })
      const written = JSON.parse(printLine(exchange, own))
      const shown = [
        ...[written.response.body, written.request.body, ...written.response.headers.flat()],
        Buffer.from(written.response.bodyBase64 ?? '', 'base64').toString('latin1'),
      ]
      expect(shown.filter((each) => each.includes(secret))).toEqual([])
    }),
    { seed: 1, numRuns: 300 },
  )
})

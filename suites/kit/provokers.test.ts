// Which checks draw a breach again: those whose own answers show it, and rest on no others.
import { describe, expect, test } from 'vitest'
import { fakeExchange, fakeTrace } from '../../tests/fake-exchange.ts'
import { check, type Invariant, invariant, type Needs } from './check.ts'
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'
import { violate } from './expect.ts'
import { provokedBy } from './provokers.ts'
import { smokeId } from './smoke.ts'

const asking = (id: string, needs: Partial<Needs>) =>
  check(id, 'list.success', { stage: 'reads', keyed: 1, anonymous: 0, ...needs }, async () => {})

const questions = [
  asking('reads', {}),
  asking('makes', { stage: 'creations' }),
  asking('judges-crowd', { made: 'crowd' }),
  asking('spends', { stage: 'limits', holds: 'burst' }),
  asking('looks-on', { stage: 'limits' }),
]

const long = JSON.stringify(Array(30).fill({ id: 1, name: 'broken' }))

/** Broken by an answer that says so. */
const plain: Invariant = invariant(
  'plain',
  'service.json',
  () => true,
  (exchange) => {
    if (exchange.request.url.includes('broken')) violate('another', 'it', exchange)
    if (new TextDecoder().decode(exchange.response.bytes).includes('broken')) {
      violate('another', 'it', exchange)
    }
  },
)

/** Broken where two answers that follow each other say the same. */
const repeated: Invariant = invariant(
  'repeated',
  'service.json',
  () => true,
  (exchange, { exchanges }) => {
    const before = exchanges.find(({ seq }) => seq === exchange.seq - 1)
    if (before && statusOf(before) === statusOf(exchange)) {
      violate('another', 'it', before, exchange)
    }
  },
)

const sent = (check: string, path: string, answer: { status: number; body?: string }): Answered => {
  const asked = answer.status === 201 ? { method: 'POST' } : {}
  const made = fakeExchange(path, { body: '[]', ...answer })
  return { ...made, check, asked: { ...made.asked, ...asked } }
}

const drawnBy = (question: Invariant, ...exchanges: Answered[]) => {
  const numbered = exchanges.map((each, at) => ({ ...each, seq: at + 1 }))
  return provokedBy(question, questions, fakeTrace(...numbered))?.checks
}

const refused = (check: string, path: string) => sent(check, path, { status: 404 })
const listed = (check: string) => sent(check, '/pets', { status: 200, body: '["broken"]' })

describe('what draws a breach again', () => {
  test('is asked before a control, which no command can ask', () => {
    expect(drawnBy(plain, refused('control', '/broken'), refused('reads', '/broken'))).toEqual([
      'reads',
    ])
    expect(drawnBy(plain, refused('control', '/broken'))).toBeUndefined()
  })

  test('is what shows no stored animal rather than what lists them', () => {
    const first = [listed('reads'), listed(smokeId)]
    expect(drawnBy(plain, ...first)).toEqual(['reads'])
    expect(drawnBy(plain, ...first, refused('looks-on', '/broken'))).toEqual(['reads'])
    expect(drawnBy(plain, ...first, refused('makes', '/broken'))).toEqual(['makes'])
  })

  test('made its animals itself, or has many of them made where many are listed', () => {
    const own = sent('makes', '/pets', { status: 201, body: '{}' })
    const all = [listed('reads'), own, listed('makes'), listed('judges-crowd')]
    expect(drawnBy(plain, ...all)).toEqual(['makes'])
    const many = (check: string) => sent(check, '/pets', { status: 200, body: long })
    const crowded = [many('reads'), own, many('makes'), many('judges-crowd')]
    expect(drawnBy(plain, ...crowded)).toEqual(['judges-crowd'])
  })

  test('draws it mostly: once in many answers alike it came of what others did', () => {
    const sound = sent('reads', '/pets?limit=1', { status: 200 })
    const once = { ...sound, response: listed('reads').response }
    expect(drawnBy(plain, once, sound)).toEqual(['reads'])
    expect(drawnBy(plain, sound, sound, once)).toBeUndefined()
  })

  test('is a burst where a call is refused, and no check that had its calls refused', () => {
    const over = (check: string) => sent(check, '/broken', { status: 429 })
    expect(drawnBy(plain, over('reads'), over('looks-on'))).toBeUndefined()
    expect(drawnBy(plain, over('reads'), over('spends'))).toEqual(['spends'])
  })

  test('are several, where it takes the answers to several', () => {
    const [a, b] = [refused('reads', '/a'), refused('makes', '/a')]
    expect(drawnBy(repeated, a, b)).toEqual(['reads', 'makes'])
  })

  test('is a burst, where the sentence is about a count over time', () => {
    const overTime = { ...repeated, ofCount: 'over time' } as const
    const twice = (check: string) => [refused(check, '/a'), refused(check, '/a')]
    expect(drawnBy(overTime, ...twice('reads'))).toBeUndefined()
    expect(drawnBy(overTime, ...twice('reads'), ...twice('spends'))).toEqual(['spends'])
  })

  test('is found by all answers alike, where one answer tells a count', () => {
    const once = { ...plain, ofCount: 'told once' } as const
    const all = [refused('reads', '/broken'), refused('reads', '/a'), refused('reads', '/b')]
    expect(drawnBy(plain, ...all)).toEqual(['reads'])
    expect(drawnBy(once, ...all)).toBeUndefined()
  })
})

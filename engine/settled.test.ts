// A shortfall while an animal is young is asked about again, after its second and not before.
import { describe, expect, test } from 'vitest'
import { fakeExchange } from '../tests/fake-exchange.ts'
import type { Pace } from './client/target-clock.ts'
import { violate } from './expect.ts'
import { createHerd } from './herd.ts'
import { Untested } from './outcome.ts'
import { get, post } from './request.ts'
import { createSettled } from './settled.ts'

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

/** A herd whose newest animal was created so long ago; null: it has none. */
const herdOf = (ageMs: number | null) => {
  const { herd, learn } = createHerd()
  const answer = { status: 201, body: '{"id":1}' }
  const creation = fakeExchange(post('/pets', '{"name":"x","categoryId":1}'), answer)
  if (ageMs !== null) learn({ ...creation, receivedMs: nowMs - ageMs })
  return herd
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

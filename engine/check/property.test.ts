// A property: its values follow from the seed, and a failing one costs no more than declared.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { explained } from '../../tests/plain-checks.ts'
import type { Context } from './context.ts'
import { type Exchange, post } from './exchange.ts'
import { violate } from './expect.ts'
import { Untested } from './outcome.ts'
import { property } from './property.ts'

const needs = { stage: 'reads', keyed: 20, anonymous: 0, runs: 20, shrinks: 30 } as const
const numbers = fc.integer({ min: 0, max: 1_000_000 })

/** Sends values in order; `judge` throws for those that violate the claim. */
const generate = async (
  seed: number,
  judge: (value: number, before: number) => void,
  more = {},
) => {
  const values: number[] = []
  const made = property({
    ...{ id: 'made-up', requirement: 'list.success', ...explained, arbitrary: numbers },
    needs: { ...needs, ...more },
    run: async (_, value) => {
      values.push(value)
      judge(value, values.length - 1)
    },
  })
  const ended = await made.run({ seed } as Context).then(
    () => 'pass',
    (error: Error) => error,
  )
  return { values, ended }
}

const alwaysHolds = () => {}
const small = (value: number) => {
  if (value > 1_000) violate('at most 1000', String(value))
}

describe('a property', () => {
  test('sends the same values for the same seed, and others for another', async () => {
    const [first, again, other] = [
      await generate(1, alwaysHolds),
      await generate(1, alwaysHolds),
      await generate(2, alwaysHolds),
    ]
    expect(first.ended).toBe('pass')
    expect(first.values).toHaveLength(20)
    expect(again.values).toEqual(first.values)
    expect(other.values).not.toEqual(first.values)
  })

  test('sends its examples first', async () => {
    const { values } = await generate(1, alwaysHolds, { examples: [100, 101] })
    expect(values.slice(0, 2)).toEqual([100, 101])
    expect(values).toHaveLength(20)
  })

  test('reports the minimal failing input, within its budget', async () => {
    const { values, ended } = await generate(1, small)
    expect(values.length).toBeLessThanOrEqual(50)
    const [, smallest = ''] = /minimal failing input: (\d+)/.exec(String(ended)) ?? []
    expect(Number(smallest)).toBeGreaterThan(1_000)
    expect(Number(smallest)).toBe(Math.min(...values.filter((value) => value > 1_000)))
    expect(ended).toMatchObject({ name: 'Violation', actual: expect.stringContaining(smallest) })
  })

  test('reports a value of several parts as it was sent, or as JSON', async () => {
    const parts = fc.record({ tail: fc.constant('Rex'), category: fc.constant(1n) })
    const endWith = (...evidence: Exchange[]) =>
      property({
        ...{ id: 'made-up', requirement: 'list.success', needs, ...explained, arbitrary: parts },
        run: async () => violate('a pet', 'none', ...evidence),
      })
        .run({ seed: 1 } as Context)
        .catch(String)
    const sent = '{"name":"petvet-1-Rex","categoryId":1}'
    const response = { status: 200, body: '' }
    const exchanges = [fakeExchange(post('/pets', sent), response), fakeExchange('/pets', response)]
    expect(await endWith()).toContain('(minimal failing input: {"tail":"Rex","category":1})')
    expect(await endWith(...exchanges)).toContain(`(minimal failing input: ${sent})`)
  })

  test('is not broken by a smaller value that is blocked', async () => {
    let isBroken = false
    const { ended } = await generate(1, (value) => {
      if (isBroken) throw new Untested('blocked', 'by a 429')
      isBroken = value > 1_000
      small(value)
    })
    expect(ended).toMatchObject({ name: 'Violation' })
  })

  test('that is blocked before any violation is untested, and sends no more', async () => {
    const { values, ended } = await generate(1, (_, before) => {
      if (before >= 3) throw new Untested('budget', 'spent')
    })
    expect(ended).toMatchObject({ name: 'Untested', because: 'budget' })
    expect(values).toHaveLength(4)
  })
})

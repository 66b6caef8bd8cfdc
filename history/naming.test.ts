// What marks a run: names, its category, and the seed of each check.

import { describe, expect, test } from 'vitest'
import { isInt64 } from './json.ts'
import { Categories, deriveSeed, Names } from './naming.ts'

describe('a category', () => {
  test('of its own is an int64 beyond 2^53, another one for another run', () => {
    const runIds = ['00000000', '00000001', '0000000a', 'ffffffff', '12345678', '']
    const own = runIds.map((runId) => new Categories([], runId).any)
    expect(own.every(isInt64)).toBe(true)
    expect(own.every((category) => category > 2n ** 53n)).toBe(true)
    expect(new Set(own).size).toBe(runIds.length)
    expect(new Categories([], '00000000').any).toBe(own[0])
  })

  test('is missing once unknown ones are refused and none is configured', () => {
    const categories = new Categories([], '00000000')
    categories.decide(false, [])
    expect(() => categories.any).toThrow('name one (--category)')
    categories.decide(false, [123456n])
    expect(categories).toMatchObject({ any: 123456n, known: [123456n] })
  })
})

test('is known from seed and id alone', () => {
  expect(deriveSeed(0, 'a')).toBe(deriveSeed(0, 'a'))
  // Fixed values: a report of an earlier version must stay reproducible by its seed.
  expect([
    deriveSeed(7, 'list-default-20'),
    deriveSeed(7, ''),
    deriveSeed(-1, 'é'),
  ]).toMatchInlineSnapshot(`
    [
      -229261361,
      -2128831038,
      2069837846,
    ]
  `)
})

test('names are counted as they are sent, within others too', () => {
  const names = new Names('00c0ffee')
  const [first, second] = [names.fresh(), names.fresh()]
  const escaped = first.replace('p', '\\u0070')
  for (const name of [first, `${first} with a tail`, escaped, 'Rex']) {
    names.countSent(`{"name":"${name}"}`)
  }
  names.countSent(null)
  expect(names.timesSent(`${first} listed`)).toBe(3)
  for (const other of [second, 'Rex', undefined]) expect(names.timesSent(other)).toBe(Infinity)
})

// The validators take what the interface allows, to the last digit, and name what it does not.
import { describe, expect, test } from 'vitest'
import { checkPet, compileSchema } from './schemas.ts'

const pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }

describe('a pet', () => {
  test('with the smallest and the largest id is valid', () => {
    const widest = { ...pet, id: -(2n ** 63n), categoryId: 2n ** 63n - 1n }
    expect(checkPet(widest)).toBeUndefined()
  })

  test.for([
    [{ ...pet, id: 2n ** 63n }, '/id is 9223372036854775808, not an int64'],
    [{ ...pet, id: 1.5 }, '/id is 1.5, not an int64'],
    [{ ...pet, id: 1 }, '/id is 1, not an int64'],
    [{ ...pet, status: 'Sold' }, '/status is "Sold", not one of "available", "pending", "sold"'],
  ] as const)('%o is not: %s', ([value, message]) => {
    expect(checkPet(value)?.says).toBe(message)
  })
})

test('a long text is cut in the message', () => {
  const message = checkPet({ ...pet, id: 'x'.repeat(10_000) })?.says
  expect(message).toBe(`/id is "${'x'.repeat(60)}...", not an int64`)
})

describe('a schema of our own', () => {
  const check = compileSchema({
    type: 'object',
    additionalProperties: false,
    properties: {
      port: { type: 'integer', maximum: 65_535 },
      key: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    },
  })

  test.for([
    [{ port: 80, key: 'a' }, undefined],
    [{ port: 80.5 }, '/port must be an integer, is 80.5'],
    [{ port: 70_000 }, '/port must be <= 65535, is 70000'],
    [{ part: 80 }, 'the value must not have part'],
    [{ key: null }, '/key must be a string, is null, or /key must be an integer, is null'],
  ] as const)('%o: %s', ([value, message]) => {
    expect(check(value)).toBe(message)
  })

  test('is compiled on first use, and strictly', () => {
    const misspelt = compileSchema({ type: 'object', propertys: {} })
    expect(() => misspelt({})).toThrow('unknown keyword: "propertys"')
  })
})

// Of what a request may be too large, or its name too short, and by which sizes.
import { expect, test } from 'vitest'
import { get, unauthorized } from '../history/exchange.ts'
import { edgesIn, nameOfSize, partOfSize, sizeIn, sizesOf, wordsOfSize } from './sizes.ts'

test('a field is sized by its one line, and a key where it alone is sent', () => {
  const agent = ['User-Agent', 'xxxx'] as const
  const request = { ...get('/pets'), headers: [agent] }
  expect(sizesOf(request).at(-1)).toBe('field User-Agent')
  expect(partOfSize('field User-Agent')).toBe('user-agent')
  expect(sizeIn('field User-Agent', request)).toBe(4n)
  expect(sizeIn('field User-Agent', { ...request, headers: [agent, agent] })).toBe(0n)
  expect(sizeIn('key', unauthorized(request, 'Bearer abc'))).toBe(3n)
  expect(sizeIn('key', unauthorized(request, 'Bearer abc', 'Bearer d'))).toBe(0n)
  expect(sizeIn('key', request)).toBe(0n)
})

test('a name is shorter the larger its size is', () => {
  expect(nameOfSize('short', 99n, 'petvet-1')).toBe('pe')
  expect(wordsOfSize('short', 98n)).toBe('with a name of fewer than 3 characters')
  expect(wordsOfSize('field X-Trace', 8n)).toBe('with an X-Trace of more than 8 characters')
})

test('between sizes that are far apart the usual bounds are tried', () => {
  expect(edgesIn('body', 3n, 6n)).toEqual([3n, 4n, 5n])
  const far = edgesIn('body', 60n, 300_016n)
  expect(far.length).toBeLessThan(64)
  expect(far).toEqual(expect.arrayContaining([1_000n, 16_383n, 16_384n, 100_000n]))
})

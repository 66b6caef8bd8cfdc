// Of what a request may be too large, or its name too short, and by which sizes.
import { expect, test } from 'vitest'
import { get, post, unauthorized } from '../../history/exchange.ts'
import { petIn } from '../sent-pet.ts'
import { edgesIn, measureNamed, measuresOf } from './measures.ts'

test('a field is sized by its one line, and a key where it alone is sent', () => {
  const agent = ['User-Agent', 'xxxx'] as const
  const request = { ...get('/pets'), headers: [agent] }
  const [ofAgent, ofKey] = [measuresOf(request).at(-1), measureNamed('key')]
  expect(ofAgent).toMatchObject({ of: 'field User-Agent', part: 'user-agent' })
  expect(ofAgent?.sizeIn(request)).toBe(4n)
  expect(ofAgent?.sizeIn({ ...request, headers: [agent, agent] })).toBe(0n)
  expect(ofKey.sizeIn(unauthorized(request, 'Bearer abc'))).toBe(3n)
  expect(ofKey.sizeIn(unauthorized(request, 'Bearer abc', 'Bearer d'))).toBe(0n)
  expect(ofKey.sizeIn(request)).toBe(0n)
})

test('a name is shorter the larger its size is', () => {
  const short = measureNamed('short')
  const creation = post('/pets', '{"name":"Rex","categoryId":1}')
  const resized = short.resize(creation, 99n, () => ({ name: 'petvet-1' }), 99n)
  expect(petIn(resized)?.name).toBe('pe')
  expect(short.words(98n)).toBe('with a name of fewer than 3 characters')
  const trace = { ...creation, headers: [['X-Trace', '1'] as const] }
  expect(measuresOf(trace).at(-1)?.words(8n)).toBe('with an X-Trace of more than 8 characters')
})

test('between sizes that are far apart the usual bounds are tried', () => {
  expect(edgesIn(measureNamed('body'), 3n, 6n)).toEqual([3n, 4n, 5n])
  const far = edgesIn(measureNamed('body'), 60n, 300_016n)
  expect(far.length).toBeLessThan(64)
  expect(far).toEqual(expect.arrayContaining([1_000n, 16_383n, 16_384n, 100_000n]))
})

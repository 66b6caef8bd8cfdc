// Which of several requests of a check it was that failed.
import { expect, test } from 'vitest'
import { Violation } from '../engine/outcome.ts'
import { naming } from './sampled.ts'

test('a breach says which it was, any other fault stays as it is', () => {
  const breach = () => {
    throw new Violation('a 4xx answer', '500', [])
  }
  const bug = () => {
    throw new TypeError('ours')
  }
  expect(() => naming('a UUID', breach)).toThrow('actual: 500 to a UUID')
  expect(() => naming('a UUID', bug)).toThrow(TypeError)
})

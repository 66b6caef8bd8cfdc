// A check that sends several requests names the one that failed.
import { expect, test } from 'vitest'
import { Violation } from '../engine/outcome.ts'
import { naming } from './requests.ts'

test('a violation names it, any other error is rethrown', () => {
  const violation = () => {
    throw new Violation('a 4xx response', '500', [])
  }
  const bug = () => {
    throw new TypeError('ours')
  }
  expect(() => naming('a UUID', violation)).toThrow('actual: 500 for a UUID')
  expect(() => naming('a UUID', bug)).toThrow(TypeError)
})

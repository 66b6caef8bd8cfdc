// Nothing can compare a text, or take it apart: a line that does so is an error of the compiler.
import { expect, test } from 'vitest'
import { type Text, text } from './text.ts'

const due: Text = text('status 400')

/** The compiler reports a line here that is no error. */
const compare = () => [
  // @ts-expect-error it is compared with a string
  due === 'status 400',
  // @ts-expect-error it is searched
  due.includes('400'),
  // @ts-expect-error its beginning is compared
  due.startsWith('status'),
  // @ts-expect-error it is matched
  /^status/.test(due),
  // @ts-expect-error it is taken apart
  due.split(' '),
  // @ts-expect-error it is looked up
  ['status 400'].includes(due),
  // @ts-expect-error it is a key
  { 'status 400': true }[due],
]

test('a text is printed as it was written, also within another one', () => {
  expect(JSON.stringify({ due })).toBe('{"due":"status 400"}')
  expect(compare).toBeTypeOf('function')
  expect(`${text(`expected ${due}`)}`).toBe('expected status 400')
})

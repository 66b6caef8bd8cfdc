// A description from its address: judged where it can be read, and untested where it cannot.
import { expect, test } from 'vitest'
import { Untested, Violation } from '../../history/outcome.ts'
import { opened, serveActs } from '../../tests/raw-server.ts'
import { testOptions } from '../../tests/vet-reference.ts'
import { readDescription } from './published-description.ts'

/** What becomes of a description that is served so. */
const fetched = async (body: string | Uint8Array, status = 200): Promise<unknown> => {
  const server = await opened(serveActs(() => ({ status, body })))
  const descriptionUrl = `${server.origin}/openapi.yaml`
  return readDescription(testOptions(`${server.origin}/v1`, { descriptionUrl })).catch(
    (error) => error,
  )
}

const mib = 1024 * 1024

test.for([
  ['as YAML', 'openapi: 3.1.0\nid: 9007199254740993', { openapi: '3.1.0', id: 9007199254740993n }],
  ['as JSON', '\n{"a": {"b": [true, "x"]}}', { a: { b: [true, 'x'] } }],
  ['as YAML with braces', '{a: {b: [true, x]}}', { a: { b: [true, 'x'] } }],
  ['behind a byte order mark', '\uFEFF{"a": true}', { a: true }],
] as const)('it is read %s', async ([, body, value]) => {
  expect(await fetched(body)).toEqual(value)
})

test.for([
  ['is too long, though it begins well', `a: 1\n${'# b\n'.repeat(mib / 4)}`, 200, /1 MiB/],
  ['is nested too deeply', '['.repeat(mib / 2), 200, /nested too deeply/],
  ['is JSON nested too deeply', '{"a":'.repeat(mib / 8), 200, /nested too deeply/],
  ['is not served', 'a: 1', 404, /404/],
] as const)('it is untested if it %s', async ([, body, status, message]) => {
  const error = await fetched(body, status)
  expect(error).toBeInstanceOf(Untested)
  expect(error).toMatchObject({ because: 'blocked', message: expect.stringMatching(message) })
})

test.for(['a: [1', '"', '{"a": 1', 'a: *nobody'])('%j is no document', async (body) => {
  const error = await fetched(body)
  expect(error).toBeInstanceOf(Violation)
  expect(error).toMatchObject({ actual: expect.stringMatching(/^what is neither/) })
})

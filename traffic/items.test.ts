// Items of files are found however they are cut into chunks, and a cut file says where.
import { expect, test } from 'vitest'
import { Items } from './items.ts'

const entries = [{ request: '}"{[\\' }, { request: ['é', { log: [{}] }] }, { request: 1 }]
const har = JSON.stringify({
  log: { version: '1.2', pages: [{ id: 'entries' }], creator: { name: 'log' }, entries },
})
const lines = entries.map((one) => JSON.stringify(one)).join('\n')

const read = (bytes: Buffer, size: number) => {
  const found: unknown[] = []
  const items = new Items()
  for (let at = 0; at < bytes.length && items.broken === undefined; at += size) {
    found.push(...items.push(bytes.subarray(at, at + size)))
  }
  items.end()
  return { found, broken: items.broken }
}

test.for([1, 2, 3, 7, 1_000])('entries and lines are read in chunks of %i bytes', (size) => {
  for (const text of [har, lines]) {
    expect(read(Buffer.from(text), size)).toEqual({ found: entries, broken: undefined })
  }
})

test('what is before the place where a file is cut is read', () => {
  const bytes = Buffer.from(har)
  const cutAt = bytes.indexOf('{"request":1')
  expect(read(bytes.subarray(0, cutAt), 10)).toEqual({
    found: entries.slice(0, 2),
    broken: `at byte ${cutAt}, its end`,
  })
  expect(read(Buffer.from('{"a":1}}'), 10).broken).toBe('at byte 7')
  expect(read(Buffer.from('{"a":1}\n{"b":}'), 10)).toEqual({
    found: [{ a: 1 }],
    broken: 'in item 2, which is no JSON',
  })
})

test('an item that is too long is left out, and those after it are read', () => {
  const long = JSON.stringify({ long: 'x'.repeat(33 * 1024 * 1024) })
  const { found } = read(Buffer.from(`${long}\n{"a":1}`), 1024 * 1024)
  expect(found).toEqual([null, { a: 1 }])
})

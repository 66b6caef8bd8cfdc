// Exchanges are read one by one, whatever the file holds, and a long run stays out of memory.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../tests/e2e/petvet.ts'
import { exchangesIn } from './read-run.ts'

const line = (seq: number, body: string): string =>
  JSON.stringify({
    seq,
    at: '2026-11-20T12:00:00.000Z',
    check: 'list-success-200',
    key: null,
    request: { method: 'GET', url: 'http://127.0.0.1/v1/pets', headers: [], body: null },
    response: { status: 200, headers: [], body },
    ms: 1,
  })

const fileOf = (text: string): string =>
  join(folderWith({ 'exchanges.ndjson': text }), 'exchanges.ndjson')

const numbersIn = (file: string): number[] => [...exchangesIn(file)()].map(({ seq }) => seq)

test('no file, no exchanges', () => {
  expect(numbersIn('/nowhere/exchanges.ndjson')).toEqual([])
})

test('each reading begins anew, and letters of several bytes may lie across chunks', () => {
  const body = '🐈'.repeat(100_000)
  const read = exchangesIn(fileOf(`${line(1, body)}\n${line(2, `a${body}`)}\n`))
  expect([...read()].map(({ response }) => response?.body)).toEqual([body, `a${body}`])
  expect([...read()]).toHaveLength(2)
})

test('a line that is no exchange is skipped', () => {
  const odd = ['', '{}', 'null', '[1]', '{"seq":9', line(3, 'x').replace('"ms":1', '"ms":"1"')]
  expect(numbersIn(fileOf([line(1, 'x'), ...odd, line(2, 'y'), '{"seq":5'].join('\n')))).toEqual([
    1, 2,
  ])
})

test('a line longer than any exchange is skipped, and those around it are read', () => {
  const file = fileOf(`${line(1, 'x')}\n`)
  appendFileSync(file, `${line(2, 'x'.repeat(17 * 1024 * 1024))}\n${line(3, 'y')}\n`)
  expect(numbersIn(file)).toEqual([1, 3])
})

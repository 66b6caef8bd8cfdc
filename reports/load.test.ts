// The table of a load in a terminal: as wide as it, without columns that say nothing.
import { expect, test } from 'vitest'
import { fakeLoad, noCounts } from '../tests/fake-load.ts'
import { loadTable } from './load.ts'

const { target } = fakeLoad.columns

const tableAt = (columns: number | null): string[] => {
  if (!target) throw new Error('no target')
  const few = { ...target, sent: 20, neverSent: 0, counts: { ...noCounts, served: 20 } }
  const latency = few.latency && { ...few.latency, count: 20 }
  const load = [{ ...fakeLoad, columns: { target: { ...few, latency } } }]
  const lines = loadTable(load, [], columns)
  return lines.slice(lines.findIndex((line) => line.startsWith('scenario')))
}

test('a terminal of 80 columns gets no column without a number', () => {
  const [head = '', row = ''] = tableAt(80)
  expect(head).toMatch(/^scenario +at +sent +served +per second +p50 ms +max ms$/)
  expect(row).toMatch(/^steady-minute +target +20 +20 +1 +4\.80 +80\.3$/)
})

test.each([null, 120])('a log and a wide terminal get all: %s', (columns) => {
  expect(tableAt(columns)[0]).toContain('refused  banned  other  lost  unsent  per second')
})

// The figures of a load in a terminal: a line per figure of the target, then one per baseline.
import { expect, test } from 'vitest'
import { fakeLoad } from '../tests/fake-load.ts'
import { loadLines } from './load-lines.ts'

test('the target has a line per figure, and a baseline one line', () => {
  const lines = loadLines({ load: [fakeLoad], checks: [] }, null)
  expect(lines[0]).toBe('steady-minute')
  expect(lines.join('\n')).toMatch(/^ {2}requests \.+: 1415 {2}47\.2\/s {2}4 more never sent$/m)
  expect(lines.join('\n')).toMatch(/^ {2}prism \.+: 1415 sent: .+; p50 .+, p99 .+, max .+$/m)
  const narrow = loadLines({ load: [fakeLoad], checks: [] }, 60)
  expect(narrow.length).toBeGreaterThan(lines.length)
})

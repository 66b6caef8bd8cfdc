// The words for a run that came to no verdict of its own.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tellColumn } from './beside.ts'
import { nothingKnown } from './known.ts'
import { readRun } from './read-run.ts'
import { terminal } from './terminal.ts'
import { verdictLine } from './verdict-line.ts'

const run = readRun(join(import.meta.dirname, 'samples'))

test.for([
  ['petvet: interrupted, so far conformant', { verdict: 'conformant', interrupted: true }],
  ['petvet: 1 check ended in an error', { verdict: 'error', impossible: null }],
  ['petvet: could not run, no answer', { verdict: 'error', impossible: 'no answer' }],
] as const)('%s', ([words, change]) => {
  expect(verdictLine({ ...run, requirements: [], ...change }, nothingKnown)).toContain(`${words} (`)
})

test('a run that could not be held tells its one reason, not all that is left', () => {
  const told = terminal(
    { ...run, verdict: 'error', impossible: 'no answer' },
    {
      paint: (_style, text) => text,
      verbose: false,
      known: nothingKnown,
      knownOf: {},
      columns: null,
      folder: null,
    },
  )
  expect(told).toContain('could not run, no answer')
  expect(told).not.toContain('Untested')
})

test('a column that was interrupted has no news', () => {
  const told = tellColumn('prism', { ...run, interrupted: true }, undefined)
  expect(told).toEqual(['Beside it, the Prism mock: interrupted'])
})

// What a target sent is no command to the runner of a job, in whatever form a run is printed.
import { expect, test } from 'vitest'
import { compareMarkdown, compareRuns, compareText } from '../reports/comparison.ts'
import { formats, printRun } from '../reports/formats.ts'
import { nothingKnown } from '../reports/known-failures.ts'
import { hostileRun } from './browser/hostile-run.ts'
import { asText as inText, wholeSample as sample } from './print.ts'

const run = hostileRun(sample)
const asText = (columns: number | null, verbose: boolean) =>
  inText(run, { verbose, columns, folder: 'petvet-runs/one' })
const compared = compareRuns(sample, run)

const texts: readonly (readonly [string, () => string])[] = [
  ['the terminal', () => asText(80, false)],
  ['the log of a job', () => asText(null, true)],
  ['the run file', () => printRun(run)],
  ['a comparison as text', () => compareText(compared)],
  ['a comparison as Markdown', () => compareMarkdown(compared)],
  ...Object.entries(formats).map(([name, { write }]) => {
    const whole = () => [write({ run, known: nothingKnown })].flat(1)
    const print = () => whole().flatMap((text) => (typeof text === 'string' ? text : [...text]))
    return [name, () => print().join('')] as const
  }),
]

test.for(texts)('%s holds no command that is obeyed anywhere in a line', ([, print]) => {
  const text = print()
  expect(text.length).toBeGreaterThan(50)
  expect(text.match(/.{0,60}##\w*\[.{0,20}/)?.[0]).toBeUndefined()
})

test('no line of the log of a job begins with a command', () => {
  for (const columns of [null, 80]) expect(asText(columns, true)).not.toMatch(/^\s*::/m)
})

test('annotations hold no command of a target', () => {
  const text = formats.github?.write({ run, known: nothingKnown })
  expect(text).not.toMatch(/^\s*::(?!error|warning|notice)/m)
})

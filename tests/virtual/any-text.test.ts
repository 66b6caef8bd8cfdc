// Whatever text and numbers a target sends, each check has a result, and all that is written of the
// run is valid Unicode, also where a text is cut, or where JSON names half a surrogate pair.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runVirtually } from '../../proof/virtual-run.ts'
import { everyResponse } from '../../reference/wrappers/middleware.ts'
import { compareMarkdown, compareRuns } from '../../reports/comparison.ts'
import { formats, printRun } from '../../reports/formats.ts'
import { catalogue } from '../../suites/index.ts'
import { asText, sample, write } from '../print.ts'
import { isProof } from '../sample.ts'
import { keyOf, outcomesOf } from '../vet-reference.ts'
import { lateByChance, openVirtually } from './vet.ts'

const keys = [keyOf('free', 'one')]
const surroundings = { ...lateByChance, allow: ['write'] } as const

const units = ['🐈', '\ud83d', '\udc08', 'é', '"', '\\', '\u2028', '##[a']

const anyText = fc.record({
  offset: fc.nat({ max: 5 }),
  unit: fc.constantFrom(...units),
  // Longer than what a report shows, a message quotes or a run keeps of a text.
  times: fc.constantFrom(1, 60, 300, 2_000, 8 * 1024, 16 * 1024),
  end: fc.constantFrom(...units),
})

const digits = '9'.repeat(350)
const anyNumber = fc.constantFrom(
  ...['1e400', '-1e400', '1e500', '-1e500', '1e-400', digits, `-${digits}`, `0.${digits}`],
  ...['-0', '1.0', '9223372036854775807.5', '1.7976931348623159e308', '1e308'],
)

/** Changes a valid body, by turns in another way. */
const spoilt = (text: string, number: string) => {
  const json = JSON.stringify(text)
  const changes: readonly ((body: string) => string)[] = [
    (body) => body,
    (body) => body.replace(/"categoryId":-?\d+/g, `"categoryId":${number}`),
    (body) => body.replace(/"(id|status)":-?\d+/g, `"$1":${number}`),
    (body) => body.replace(/"(?:name|message|code)":"(?:[^"\\]|\\.)*"/g, () => `${json}:${json}`),
    (body) => body.replace(/"(name|status)":"(?:[^"\\]|\\.)*"/g, (_, name) => `"${name}":${json}`),
    () => text,
    () => json,
    () => number,
  ]
  let turn = 0
  return everyResponse((response) => {
    const change = changes[turn % changes.length]
    turn += 1
    return { ...response, body: change?.(response.body) ?? '' }
  })
}

const expectUnicode = (text: string) => expect(text.isWellFormed()).toBe(true)

const expectUnicodeJson = (json: string) => {
  expectUnicode(json)
  JSON.parse(json, (member, value) => {
    expectUnicode(member)
    if (typeof value === 'string') expectUnicode(value)
    return value
  })
}

test('all writers write valid Unicode, and no check breaks down', { timeout: 300_000 }, () =>
  fc.assert(
    fc.asyncProperty(anyText, anyNumber, async ({ offset, unit, times, end }, number) => {
      const text = `${'x'.repeat(offset)}${unit.repeat(times)}${end}`
      const world = openVirtually(spoilt(text, number), keys, surroundings)
      const lines: string[] = []
      const keep = (line: string) => lines.push(line)
      const run = await runVirtually(world, catalogue, { exchange: keep, journal: keep })
      expect(outcomesOf(run, 'error')).toEqual([])
      expect(outcomesOf(run, 'fail').length).toBeGreaterThan(0)
      for (const json of [...lines, printRun(run)]) expectUnicodeJson(json)
      for (const name of Object.keys(formats)) expectUnicode(write(name, run))
      expectUnicode(compareMarkdown(compareRuns(sample, run)))
      for (const verbose of [true, false]) expectUnicode(asText(run, { verbose, columns: 80 }))
    }),
    { seed: 12, numRuns: isProof ? 10 : 2 },
  ),
)

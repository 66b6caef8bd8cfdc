// What is known after a round that did not ask again what had failed, or was left off.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emptyKnown } from '../../reports/known.ts'
import sample from '../../reports/samples/run.json' with { type: 'json' }
import type { Outcome } from '../../suites/kit/outcome.ts'
import type { CheckResult, RunFile } from '../../suites/kit/run-file.ts'
import { holdRounds } from './loop.ts'
import type { RunRound } from './round.ts'
import { openRoundFolders } from './round-folders.ts'
import { createStanding } from './standing.ts'
import { createWishes } from './wishes.ts'

const whole = sample as unknown as RunFile
const excusesNone = { excused: new Set<string>(), stale: [] } as unknown as Parameters<
  ReturnType<typeof createStanding>['take']
>[1]

const result = (id: string, outcome: Outcome, more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ id, requirement: 'list.success', level: 'must', outcome, because: null, detail: 'why' },
  ...{ requests: 1, evidence: [], ...more },
})

const runOf = (...checks: CheckResult[]): RunFile => ({
  ...whole,
  ...{ checks, requirements: [], observations: {}, impossible: null, interrupted: false },
})

/** A round in which a sentence about every answer is broken, and then another one. */
const after = (
  provokers: readonly string[],
  scope: 'failed' | 'failed first',
  ...second: CheckResult[]
) => {
  const standing = createStanding()
  const broken = result('every', 'fail', { provokers })
  standing.take(runOf(broken, result('drew', 'pass')), excusesNone, 'failed first')
  const first = [...standing.toAskFirst()]
  const turn = standing.take(runOf(result('every', 'pass'), ...second), excusesNone, scope)
  return { first, turn, failing: standing.failing() }
}

test('what drew a breach is asked again, and where it passes the sentence does', () => {
  const { first, turn, failing } = after(['drew'], 'failed', result('drew', 'pass'))
  expect([first, turn?.nowPasses, failing]).toEqual([['every', 'drew'], ['every'], []])
})

test.for([
  ['was not asked', ['drew'], 'failed first', [], 'drew, which drew it, was not asked'],
  ['was not decided', ['drew'], 'failed', [result('drew', 'untested')], 'ended untested: why'],
  ['is a whole run', [], 'failed', [], 'only all checks together draw it'],
] as const)(
  'a sentence does not pass where what drew the breach %s',
  ([, provokers, scope, second, why]) => {
    const { turn, failing } = after(provokers, scope, ...second)
    expect(turn?.nowPasses).toEqual([])
    expect(turn?.undecided).toEqual([['every', expect.stringContaining(why)]])
    expect(failing).toEqual(['every'])
  },
)

test('what all checks together drew passes in a whole round', () => {
  const { turn, failing } = after([], 'failed first')
  expect([turn?.nowPasses, failing]).toEqual([['every'], []])
})

test('after a round that was left off it is not known what fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const said: string[] = []
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const wishes = createWishes()
  let isFirst = true
  const runRound: RunRound = async ({ signal }, heard) => {
    heard({ kind: 'check', id: 'stood-here', done: 0, all: 2 })
    if (!isFirst) return runOf(result('every', 'pass'))
    isFirst = false
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    heard({ kind: 'check', id: 'passed-by', done: 1, all: 2 })
    return { ...runOf(result('every', 'untested')), interrupted: true }
  }
  const ended = holdRounds({
    settings: {
      ...{ strict: false, known: emptyKnown, updates: null, folder, formats: [] },
      ...{ verbose: false, quiet: false, json: false },
    },
    ...{ folders: openRoundFolders(folder), wishes, runRound, betweenTriesMs: 0, hint: 'hint' },
    ...{ isAway: () => false, signal: new AbortController().signal },
    say: (line) => said.push(line),
  })
  const press = async (scope: 'failed' | 'all') => {
    said.length = 0
    wishes.put({ kind: 'round', scope, why: 'key' })
    await vi.waitFor(() => expect(said.at(-1)).toBe('hint'))
  }
  wishes.put({ kind: 'round', scope: 'failed first', why: 'first' })
  await new Promise(setImmediate)
  await press('failed')
  expect(said).toEqual([
    expect.stringContaining('round 1 was left off at stood-here: '),
    'round 1 was left off, so what fails is not known yet; Enter: again',
    'hint',
  ])
  await press('all')
  await press('failed')
  expect(said).toEqual(['nothing fails', 'hint'])
  wishes.put({ kind: 'quit' })
  await ended
})

// The rounds of a watch: what begins one, what it asks, what is told, and what is kept.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emptyKnown } from '../../reports/known.ts'
import sample from '../../reports/samples/run.json' with { type: 'json' }
import type { Outcome } from '../../suites/kit/outcome.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import { holdRounds, type Watch } from './loop.ts'
import type { RoundTask, RunRound } from './round.ts'
import { openRoundFolders, roundsKept } from './round-folders.ts'
import { createWishes } from './wishes.ts'

const { load: _load, columns: _columns, ...whole } = sample as unknown as RunFile
const [evidence] = whole.checks.flatMap((check) => check.evidence)

const runOf = (outcomes: Readonly<Record<string, Outcome>>, more: Partial<RunFile>): RunFile => ({
  ...whole,
  ...{ verdict: 'conformant', interrupted: false, impossible: null, observations: {}, notes: [] },
  requirements: [],
  checks: Object.entries(outcomes).map(([id, outcome]) => ({
    ...{ id, requirement: 'list.success' as const, level: 'must' as const, outcome, because: null },
    ...{ detail: 'why', requests: 1, durationMs: 1 },
    ...{ evidence: outcome === 'fail' && evidence ? [evidence] : [] },
  })),
  ...more,
})

const held = (runRound: RunRound, more: Partial<Watch> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const said: string[] = []
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  const wishes = createWishes()
  const ended = holdRounds({
    settings: {
      ...{ strict: false, known: emptyKnown, updates: null, folder, formats: [] },
      ...{ verbose: false, quiet: false, json: false },
    },
    ...{ folders: openRoundFolders(folder), wishes, runRound, betweenTriesMs: 0, hint: 'hint' },
    ...{ isAway: () => false, signal: new AbortController().signal },
    say: (line) => said.push(line),
    ...more,
  })
  return { folder, said, printed, wishes, ended }
}

const round = { kind: 'round', scope: 'failed first', why: 'Enter' } as const
const tick = () => new Promise(setImmediate)

/** Answers these runs, one for each round; and then asks for an end. */
const scripted = (runs: readonly RunFile[]) => {
  const tasks: RoundTask[] = []
  const runRound: RunRound = (task) => {
    tasks.push(task)
    return Promise.resolve(runs[tasks.length - 1] ?? runOf({}, {}))
  }
  return { tasks, runRound }
}

test('what failed goes first, and what became of it is told', async () => {
  const { tasks, runRound } = scripted([
    runOf({ one: 'fail', two: 'pass', three: 'fail' }, { verdict: 'not-conformant' }),
    runOf({ one: 'pass', two: 'fail', three: 'fail' }, { verdict: 'not-conformant' }),
    runOf({ one: 'pass', two: 'pass', three: 'pass' }, {}),
  ])
  const { wishes, ended, printed, said, folder } = held(runRound)
  for (let at = 0; at < 3; at += 1) {
    wishes.put(round)
    await vi.waitFor(() => expect(said.at(-1)).toBe('hint'))
    said.push('')
  }
  wishes.put({ kind: 'quit' })
  expect(await ended).toBe(0)
  expect(tasks.map(({ first }) => [...first].filter((id) => id !== evidence?.check))).toEqual([
    [],
    ['one', 'three'],
    ['two', 'three'],
  ])
  expect(printed.join('')).toContain(
    'Since round 1, 2 checks changed:\n' +
      '  now passes    one\n  still fails   three\n  newly fails   two\n',
  )
  expect(printed.join('')).toContain('  now passes    two\n  now passes    three\n')
  expect(readdirSync(folder).toSorted()).toEqual(['1', '2', '3'])
})

test('a failure of a round that asked no more stands until it is asked again', async () => {
  const { tasks, runRound } = scripted([
    runOf({ one: 'fail', two: 'fail' }, { verdict: 'not-conformant' }),
    runOf({ one: 'pass', two: 'untested' }, {}),
    runOf({ two: 'fail' }, { verdict: 'not-conformant' }),
  ])
  const { wishes, ended, said, printed } = held(runRound)
  for (const scope of ['failed first', 'failed', 'failed'] as const) {
    wishes.put({ ...round, scope })
    await vi.waitFor(() => expect(said.at(-1)).toBe('hint'))
    said.push('')
  }
  wishes.put({ kind: 'quit' })
  expect(await ended).toBe(1)
  expect(printed.join('')).toContain('  now passes    one\n  not decided   two: why\n')
  expect(tasks.at(-1)?.first).toContain('two')
  expect(tasks.at(-1)?.first).not.toContain('one')
})

test('where nothing fails there is nothing to ask alone', async () => {
  const { tasks, runRound } = scripted([runOf({ one: 'pass' }, {})])
  const { wishes, ended, said } = held(runRound)
  wishes.put(round)
  await vi.waitFor(() => expect(said).toContain('hint'))
  wishes.put({ ...round, scope: 'failed' })
  await vi.waitFor(() => expect(said).toContain('nothing fails'))
  wishes.put({ kind: 'quit' })
  expect([await ended, tasks.length]).toEqual([0, 1])
})

/** A round that goes on until it is cut. */
const lasting: RunRound = ({ signal }, heard) => {
  heard({ kind: 'check', id: 'slow', done: 0, all: 1 })
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(runOf({}, { interrupted: true })))
  })
}

test.for([
  ['that the server is gone', { kind: 'away' }],
  ['for another round', round],
] as const)('a wish %s leaves the round off, and tells where', async ([, wish]) => {
  const { wishes, said, ended } = held(lasting)
  wishes.put(round)
  await tick()
  wishes.put(wish)
  await vi.waitFor(() => expect(said.join()).toContain('round 1 was left off at slow'))
  wishes.put({ kind: 'quit' })
  await ended
})

test('to quit in the middle of a round ends it with its report', async () => {
  const { wishes, ended, printed } = held(lasting)
  wishes.put(round)
  await tick()
  wishes.put({ kind: 'quit' })
  expect(await ended).toBe(130)
  expect(printed.join('')).toContain('petvet: interrupted')
})

test('a server that listens and does not answer yet is asked a few times more', async () => {
  const mute = runOf({}, { impossible: 'no answer', requests: 1, verdict: 'error' })
  const { tasks, runRound } = scripted([mute, mute, runOf({ one: 'pass' }, {})])
  const { wishes, ended, folder, said } = held(runRound)
  wishes.put(round)
  await vi.waitFor(() => expect(said).toContain('hint'))
  wishes.put({ kind: 'quit' })
  expect([await ended, tasks.length]).toEqual([0, 3])
  expect(readdirSync(folder)).toEqual(['1'])
})

test('and no more than a few times', async () => {
  const mute = runOf({}, { impossible: 'no answer', requests: 1, verdict: 'error' })
  const { tasks, runRound } = scripted(Array(20).fill(mute))
  const { wishes, ended, said } = held(runRound)
  wishes.put(round)
  await vi.waitFor(() => expect(said).toContain('hint'))
  wishes.put({ kind: 'quit' })
  expect([await ended, tasks.length]).toEqual([3, 6])
})

test('many rounds keep the last folders, and no run', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const made: WeakRef<RunFile>[] = []
  const runRound: RunRound = () => {
    const run = runOf({ one: 'fail' }, { notes: ['x'.repeat(1_000)] })
    made.push(new WeakRef(run))
    return Promise.resolve(run)
  }
  const { wishes, ended, folder, said } = held(runRound)
  const rounds = roundsKept + 5
  for (let at = 0; at < rounds; at += 1) {
    wishes.put(round)
    await vi.waitFor(() => expect(said.at(-1)).toBe('hint'))
    said.push('')
  }
  await tick()
  collect()
  expect(made).toHaveLength(rounds)
  expect(made.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(3)
  expect(readdirSync(folder)).toHaveLength(roundsKept)
  expect(existsSync(join(folder, String(rounds)))).toBe(true)
  wishes.put({ kind: 'quit' })
  await ended
})

test('after a round that was left off it is not known what fails', async () => {
  let isFirst = true
  const runRound: RunRound = async ({ signal }, heard) => {
    heard({ kind: 'check', id: 'stood-here', done: 0, all: 2 })
    if (!isFirst) return runOf({ every: 'pass' }, {})
    isFirst = false
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    heard({ kind: 'check', id: 'passed-by', done: 1, all: 2 })
    return runOf({ every: 'untested' }, { interrupted: true })
  }
  const { wishes, ended, said } = held(runRound)
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

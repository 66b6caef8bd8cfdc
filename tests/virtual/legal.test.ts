// In virtual time: no legal design draws a fail, a warning or an error, whatever surrounds it.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { catalogue } from '../../suites/index.ts'
import { textOf } from '../layout/sources.ts'
import { sample } from '../sample.ts'
import { limitChecks, outcomesOf } from '../vet-reference.ts'
import { type Act, someTraffic, trafficOf } from './traffic.ts'
import { vetVirtually, type World, worldAlone, worldWithAnother } from './vet.ts'

/** `npm run prove` takes thousands; the seed of a sample is printed when it fails. */
const numRuns = Number(process.env.PETVET_RUNS ?? 5)
/** A world in which all checks run costs more than one of mere traffic. */
const dearer = 5
/** Three seconds for each run, many times what it takes. */
const timeoutMs = 20_000 + numRuns * 3_000
const seed = Number(process.env.PETVET_SEED ?? 20_261_120)

/** What a run finds wrong; a ban that states no wait breaks a should, which has a check. */
const wrongIn = (run: RunFile, { design }: World): string[] =>
  outcomesOf(run, 'fail', 'warn', 'error').filter(
    (line) => !(design.ban?.statesNoWait && line.startsWith('warn ban-retry-after:')),
  )

const clauses = catalogue.filter(({ kind }) => kind === 'clause')

/** Whose calls of ten at a time left as many twice, after which the run was refused. */
const crowded: World = {
  design: {
    ...{ meter: 'window-on-the-clock', speaksOf: 'tightest', countsUnsound: false, ban: null },
    ...{ reset: 'up', retryAfter: 'seconds', spareMs: 0 },
  },
  ...{ plan: 'free', latency: { minMs: 30, maxMs: 30, seed: 0 }, skewMs: 0, hasClock: true },
  startMs: Date.UTC(2026, 10, 20, 23, 55),
  foreign: { pauseMs: 20, even: false, crowd: 10, obeys: false, seed: 0 },
}

test('a crowd of another client that leaves the same number twice is a doubt', async () => {
  const acts = [1, 5].map((times): Act => ({ kind: 'flood', times }))
  const { run } = await vetVirtually(crowded, [...trafficOf(acts), ...clauses])
  expect(outcomesOf(run, 'untested').join()).toContain('limit-not-early')
  expect(wrongIn(run, crowded)).toEqual([])
})

/** Which is banned for a second as 401, again and again. */
const banned: World = {
  ...crowded,
  design: {
    ...{ ...crowded.design, meter: 'bucket-in-tenths' },
    ban: { afterRefusals: 2, lastsMs: 1_000, status: 401, statesNoWait: false },
  },
  ...{ plan: 'enterprise', latency: { minMs: 30, maxMs: 60, seed: 855_566_683 } },
  startMs: Date.UTC(2026, 10, 20),
  foreign: { pauseMs: 20, even: true, crowd: 2, obeys: false, seed: 0 },
}

const early = (times: number): Act => ({ kind: 'early', times })
const flood = (times: number): Act => ({ kind: 'flood', times })
const lists = (kind: 'calls' | 'together', count: number): Act => ({
  ...{ kind, of: Array.from({ length: count }, () => 'list') },
})

test.each([
  [
    'bans fall on the same request in turn',
    3,
    [early(1), lists('together', 5), flood(5), early(1), flood(1)],
  ],
  [
    'of calls in flight the first one was answered last',
    4,
    [
      ...([early(9), lists('together', 4), flood(5), { kind: 'pass', ms: 264 }] as const),
      ...[lists('calls', 7), early(1), flood(1)],
    ],
  ],
] as const)('with another client that is banned again and again %s', async (_, seed, acts) => {
  const latency = { minMs: 30, maxMs: 60, seed: 855_566_680 + seed }
  const { run } = await vetVirtually({ ...banned, latency }, [...trafficOf(acts), ...clauses])
  expect(wrongIn(run, banned)).toEqual([])
})

const anyWorld = test.for([
  ['with a target of its own', worldAlone],
  ['with another client', worldWithAnother],
] as const)

anyWorld(
  'over any traffic the clauses find nothing wrong %s',
  { timeout: timeoutMs },
  async ([, worlds]) => {
    const holds = fc.asyncProperty(worlds, someTraffic, async (world, acts) => {
      const { run } = await vetVirtually(world, [...trafficOf(acts), ...clauses])
      expect(run.impossible).toBeNull()
      expect(wrongIn(run, world)).toEqual([])
    })
    await fc.assert(holds, { numRuns, seed })
  },
)

/** Each drew a false alarm once. */
const onceAlarmed: World[] = JSON.parse(textOf('tests/virtual/once-alarmed.json'))

test.each(
  sample(onceAlarmed, 5).map((world) => [`${world.design.meter}, ${world.plan}`, world] as const),
)('with another client nothing is wrong with %s', async (_, world) => {
  const { run } = await vetVirtually(world, limitChecks)
  expect(wrongIn(run, world)).toEqual([])
})

anyWorld(
  'the checks about limits find nothing wrong %s',
  { timeout: timeoutMs },
  async ([, worlds]) => {
    const holds = fc.asyncProperty(worlds, async (world) => {
      const { run } = await vetVirtually(world, limitChecks)
      expect(run.impossible).toBeNull()
      expect(wrongIn(run, world)).toEqual([])
    })
    await fc.assert(holds, { numRuns: Math.ceil(numRuns / dearer), seed })
  },
)

anyWorld(
  'without a clock all checks find nothing wrong %s',
  { timeout: timeoutMs },
  async ([, worlds]) => {
    const holds = fc.asyncProperty(worlds, async (world) => {
      const { run } = await vetVirtually({ ...world, hasClock: false }, catalogue)
      expect(wrongIn(run, world)).toEqual([])
    })
    await fc.assert(holds, { numRuns: Math.ceil(numRuns / dearer), seed })
  },
)

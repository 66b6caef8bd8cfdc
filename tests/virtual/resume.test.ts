// A run that is killed and resumed in virtual time: after seconds or hours its verdict is the same,
// and no key is called before the time that its last refusal stated.

import { expect, test } from 'vitest'
import { runSuites } from '../../engine/run.ts'
import type { RunFile } from '../../engine/run-file.ts'
import type { RunSink } from '../../engine/run-options.ts'
import { interruptAt, nothingKept, pastOf } from '../interrupted-run.ts'
import { testOptions } from '../vet-reference.ts'
import { chances } from './chance.ts'
import { impatient } from './impatient.ts'
import { limitChecks } from './limit-checks.ts'
import { legalVariant } from './target.ts'
import { banned, keysOf, overheard, type Passed, vetVirtually, type World } from './vet.ts'
import { createTarget, createTime, createVirtualWires } from './virtual.ts'
import { plainWorlds } from './worlds.ts'

const runs = Number(process.env.PETVET_RUNS ?? 50)
const rounds = Math.ceil(runs / 200)
const worlds = plainWorlds.slice(0, Math.ceil(runs / 50))

const awayMs = [0, 20_000, 90_000, 5 * 3_600_000]

const failures = ({ checks }: RunFile) =>
  checks.filter(({ outcome }) => ['fail', 'error'].includes(outcome)).map(({ id }) => id)

/** @param stops how many lines of the journal each killed attempt leaves */
const vetInterrupted = async (
  world: World,
  stops: readonly number[],
  pauses: readonly number[],
) => {
  const { latency, skewMs, hasClock, startMs, design, plan } = world
  const time = createTime()
  const keys = keysOf(plan)
  const issued = keys.map((each) => ({ plan: each.plan, key: each.key, ...each.quota }))
  const target = createTarget(legalVariant(design), issued, startMs, time)
  const passed: Passed[] = []
  const chance = chances(latency.seed)
  const latencyMs = () => latency.minMs + chance() * (latency.maxMs - latency.minMs)
  const open = () => {
    const wires = createVirtualWires(target, time, { latencyMs, skewMs, hasClock })
    return overheard({ ...wires, wallMs: () => startMs + skewMs + time.now() }, passed)
  }
  const clockUrl = hasClock ? 'http://127.0.0.1/clock' : null
  const options = testOptions('http://127.0.0.1/v1', { keys, clockUrl })
  const kept = nothingKept()
  for (const [place, stop] of stops.entries()) {
    const past = place === 0 ? {} : { past: pastOf(kept) }
    const isTheEnd = (_line: string, journal: readonly string[]) => journal.length >= stop
    await interruptAt(limitChecks, { ...options, ...past }, kept, isTheEnd, open())
    await time.sleep(pauses[place] ?? 0)
  }
  const sink: RunSink = { exchange: () => {}, event: () => {} }
  const run = await runSuites(limitChecks, { ...options, past: pastOf(kept) }, sink, open())
  time.stop()
  return { run, passed }
}

/** What may have spent a real day: a request in flight at a kill, or another client. */
const isOfRealDay = (id: string): boolean => id.startsWith('day-')

/** The outcomes of checks, without those that a kill may leave inconclusive. */
const testedIn = (run: RunFile, hasClock: boolean) =>
  run.checks
    .filter(({ id, outcome }) => outcome === 'pass' && (hasClock || !isOfRealDay(id)))
    .map(({ id }) => id)

test.for(
  worlds.flatMap(([name, world], place) =>
    [true, false].map((hasClock) => [name, { ...world, hasClock }, place] as const),
  ),
)('%s', { timeout: 120_000 }, async ([, world, place]) => {
  const whole = await vetVirtually(world, limitChecks)
  const chance = chances(place + 1)
  for (let round = 0; round < rounds; round += 1) {
    const first = 2 + Math.floor(chance() * 600)
    const stops = [first, first + 5 + Math.floor(chance() * 200)]
    const pauses = stops.map(() => awayMs[Math.floor(chance() * awayMs.length)] ?? 0)
    const { run, passed } = await vetInterrupted(world, stops, pauses)
    const tested = new Set(testedIn(run, world.hasClock))
    expect({
      stops,
      pauses,
      impossible: run.impossible,
      verdict: run.verdict,
      failures: failures(run),
      early: impatient(passed, banned),
      untested: testedIn(whole.run, world.hasClock).filter((id) => !tested.has(id)),
    }).toEqual({
      stops,
      pauses,
      impossible: null,
      verdict: whole.run.verdict,
      failures: failures(whole.run),
      early: [],
      untested: [],
    })
  }
})

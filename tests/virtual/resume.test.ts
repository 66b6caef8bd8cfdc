// A run that is killed and resumed in virtual time: after seconds or hours its verdict is the same,
// and no key is called before the time that its last refusal stated.

import { expect, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { runSuites } from '../../engine/run/run.ts'
import { chances } from '../../proof/virtual.ts'
import { countedAs } from '../../reference/wrappers/rate-limiting.ts'
import { interruptAt, named, nothingKept, pastOf } from '../interrupted-run.ts'
import { keyOf, limitChecks, silent } from '../vet-reference.ts'
import { legalVariant } from './designs.ts'
import { impatient } from './not-permitted.ts'
import {
  banned,
  keysOf,
  openVirtually,
  plainWorlds,
  vetVirtually,
  type World,
  withoutClock,
} from './vet.ts'

const runs = Number(process.env.PETVET_RUNS ?? 50)
const rounds = Math.ceil(runs / 200)
const worlds = plainWorlds.slice(0, Math.ceil(runs / 50))

const awayMs = [0, 20_000, 90_000, 5 * 3_600_000]

const failures = ({ checks }: RunFile) =>
  checks.filter(({ outcome }) => ['fail', 'error'].includes(outcome)).map(({ id }) => id)

/** The times of all attempts are those of one clock, which agrees with the one on the wall. */
const isAdrift = (line: string): boolean => {
  const { sentMs, at } = JSON.parse(line)
  return Math.abs(sentMs - Date.parse(at)) > 1_000
}

/** @param stops how many lines of the journal each killed attempt leaves */
const vetInterrupted = async (
  world: World,
  stops: readonly number[],
  pauses: readonly number[],
) => {
  const { design, plan } = world
  const opened = openVirtually(legalVariant(design), keysOf(plan), world)
  const { time, passed, wires, options } = opened
  const kept = nothingKept()
  for (const [place, stop] of stops.entries()) {
    const past = place === 0 ? {} : { past: pastOf(kept) }
    const isTheEnd = (_line: string, journal: readonly string[]) => journal.length >= stop
    await interruptAt(limitChecks, { ...options, ...past }, kept, isTheEnd, wires())
    await time.sleep(pauses[place] ?? 0)
  }
  const run = await runSuites(limitChecks, { ...options, past: pastOf(kept) }, silent, wires())
  time.stop()
  return { run, passed, adrift: kept.exchanges.filter(isAdrift) }
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
    const { run, passed, adrift } = await vetInterrupted(world, stops, pauses)
    const tested = new Set(testedIn(run, world.hasClock))
    const left = testedIn(whole.run, world.hasClock).filter((id) => !tested.has(id))
    const early = impatient(passed, banned)
    const found = [run.impossible, run.verdict, failures(run), early, left, adrift]
    const expected = [null, whole.run.verdict, failures(whole.run), [], [], []]
    expect(found, `killed at ${stops}, away for ${pauses}`).toEqual(expected)
  }
})

test('a target that counts anew meanwhile, as after a restart, fails nothing', async () => {
  let restarts = 0
  const variant = countedAs(({ key }) => `${key} ${restarts}`)
  const opened = openVirtually(variant, [keyOf('free', 'one')], withoutClock)
  const kept = nothingKept()
  const rows = named('create-', 'list-', 'remaining-', 'limit-', 'calls-')
  const isSpent = (_line: string, journal: readonly string[]) =>
    journal.filter((each) => each.includes('"key":"free-1"')).length >= 40
  await interruptAt(rows, opened.options, kept, isSpent, opened.wires())
  await opened.time.sleep(1_000)
  restarts = 1
  const options = { ...opened.options, past: pastOf(kept) }
  const run = await runSuites(rows, options, silent, opened.wires())
  opened.time.stop()
  // Where a count of its own for a kind of calls explains it too, the run may go on.
  expect(failures(run)).toEqual([])
  const impossible = 'the target counts anew, as after a restart: begin a new run'
  expect([null, impossible]).toContain(run.impossible)
})

// A run that is interrupted and resumed in virtual time: its verdict is that of a whole run,
// nothing that has a result is sent again, no key is called too early, and the clock of the target
// never goes back before the removal. A target that was restarted, or is away, is no fault.
import { expect, test, vi } from 'vitest'
import type { AnyCheck } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { Wires } from '../../engine/http/target-clock.ts'
import type { RunOptions } from '../../engine/run/run-options.ts'
import { memoized, type NoAnswer } from '../../history/exchange.ts'
import { chances } from '../../proof/virtual.ts'
import { legalRemovals } from '../../reference/legal/limiters.ts'
import { mutants } from '../../reference/mutants.ts'
import { memoryStore, type Store } from '../../reference/store.ts'
import { together, type Variant } from '../../reference/variant.ts'
import { countedAs } from '../../reference/wrappers/rate-limiting.ts'
import { catalogue } from '../../suites/index.ts'
import {
  doneIn,
  expectOnce,
  interruptAfter,
  interruptAt,
  type Kept,
  named,
  nothingKept,
  resumeToEnd,
} from '../interrupted-run.ts'
import { isProof, sample } from '../sample.ts'
import { endingsOf, idsOf, keyOf, limitChecks, twoFree } from '../vet-reference.ts'
import { legalVariant } from './designs.ts'
import { impatient } from './not-permitted.ts'
import {
  banned,
  keysOf,
  openVirtually,
  plainWorlds,
  type Surrounding,
  vetVirtually,
  withoutClock,
} from './vet.ts'

vi.setConfig({ testTimeout: 120_000 })

const keys = [...twoFree, keyOf('pro', 'three')]
const withClock = { ...withoutClock, hasClock: true, allow: ['write'] } as const
const removalMs = Date.parse('2030-12-06')

/** A target that can be restarted: without its counts, its pets, and the moves of its clock. */
const openTarget = (given: Partial<Surrounding> = {}, variant: Variant = {}) => {
  let store = memoryStore()
  let starts = 0
  const current: Store = {
    add: (pet) => store.add(pet),
    get: (id) => store.get(id),
    list: (...query) => store.list(...query),
  }
  const counted = countedAs(({ key }) => `${key} ${starts}`)
  const own = together({ parts: () => ({ store: current }) }, counted, variant)
  const world = openVirtually(own, keys, { ...withClock, ...given })
  const { target, time } = world
  const restart = (keepsPets = false) => {
    starts += 1
    if (keepsPets) return
    store = memoryStore()
    target.move(withClock.startMs + time.now() - target.now())
  }
  return { ...world, restart }
}

const noResponseFrom =
  ({ time }: ReturnType<typeof openTarget>, noResponse: NoAnswer): Wires['client']['send'] =>
  async (request) => {
    request.leaving?.()
    return { response: null, noResponse, sentMs: time.now(), receivedMs: time.now() }
  }

/** Resumes a run to its end, and expects that nothing is sent twice. */
const resumed = async (
  { wires }: ReturnType<typeof openTarget>,
  checks: readonly AnyCheck[],
  options: RunOptions,
  kept: Kept,
): Promise<RunFile> => {
  const [done, sent] = [doneIn(kept.journal), kept.exchanges.length]
  const run = await resumeToEnd(checks, options, kept, wires())
  const senders = kept.exchanges.slice(sent).map((line) => JSON.parse(line).check)
  expect(senders.filter((check) => done.has(check))).toEqual([])
  expectOnce(run, kept)
  return run
}

const failures = (run: RunFile) => idsOf(run, 'fail', 'error')
/** A run that nothing interrupts. */
const whole = memoized((checks: readonly AnyCheck[]): Promise<RunFile> => {
  const target = openTarget()
  return interruptAt(checks, target.options, nothingKept(), () => false, target.wires())
})

const runs = Number(process.env.PETVET_RUNS ?? 50)
const worlds = plainWorlds.slice(0, Math.ceil(runs / 50))
const awayMs = [0, 20_000, 90_000, 5 * 3_600_000]

/** The times of all attempts are those of one clock, which agrees with the one on the wall. */
const isAdrift = (line: string): boolean => {
  const { sentMs, at } = JSON.parse(line)
  return Math.abs(sentMs - Date.parse(at)) > 1_000
}

/** A request in flight at a kill leaves open how much of a day was spent. */
const testedIn = (run: RunFile, hasClock: boolean): readonly string[] =>
  idsOf(run, 'pass').filter((id) => hasClock || !id.startsWith('day-'))

test.for(
  worlds.flatMap(([name, world], place) =>
    [true, false].map((hasClock) => [name, { ...world, hasClock }, place] as const),
  ),
)('%s, killed twice', async ([, world, place]) => {
  const { run: undisturbed } = await vetVirtually(world, limitChecks)
  const chance = chances(place + 1)
  for (let round = 0; round < Math.ceil(runs / 200); round += 1) {
    const first = 2 + Math.floor(chance() * 600)
    const stops = [first, first + 5 + Math.floor(chance() * 200)]
    const pauses = stops.map(() => awayMs[Math.floor(chance() * awayMs.length)] ?? 0)
    const opened = openVirtually(legalVariant(world.design), keysOf(world.plan), world)
    const kept = nothingKept()
    for (const [at, stop] of stops.entries()) {
      await interruptAfter(limitChecks, opened.options, kept, stop, opened.wires())
      await opened.time.sleep(pauses[at] ?? 0)
    }
    const run = await resumeToEnd(limitChecks, opened.options, kept, opened.wires())
    opened.time.stop()
    const tested = new Set(testedIn(run, world.hasClock))
    const left = testedIn(undisturbed, world.hasClock).filter((id) => !tested.has(id))
    const found = [run.impossible, run.verdict, failures(run), left]
    const expected = [null, undisturbed.verdict, failures(undisturbed), []]
    expect(found, `killed at ${stops}, away for ${pauses}`).toEqual(expected)
    expect(impatient(opened.passed, banned)).toEqual([])
    expect(kept.exchanges.filter(isAdrift)).toEqual([])
  }
})

const few = named('create-', 'list-status')
const rows = named('create-', 'list-', 'get-', 'pet-', 'remaining-', 'limit-', 'calls-')

test.for([
  ['without its pets', false, /^the target was restarted and has lost/],
  ['with its pets', true, /^the target counts anew, as after a restart: begin a new run$|^null$/],
] as const)('a target that was restarted meanwhile, %s, fails nothing', async (given) => {
  const [, keepsPets, impossible] = given
  const target = openTarget({ hasClock: false })
  const kept = nothingKept()
  await interruptAfter(catalogue, target.options, kept, 400, target.wires())
  await target.time.sleep(1_000)
  target.restart(keepsPets)
  const run = await resumeToEnd(rows, target.options, kept, target.wires())
  // Where a count of its own for a kind of calls explains it too, the run may go on.
  expect([failures(run), String(run.impossible)]).toEqual([[], expect.stringMatching(impossible)])
})

test.for([
  [60, false],
  [150, true],
  [300, true],
] as const)(
  'a target that is restarted during a run, after %i responses, clock %s, fails nothing',
  async ([responses, hasClock]) => {
    const target = openTarget({ hasClock })
    let left = responses
    const wires = target.wires()
    const send: Wires['client']['send'] = async (request) => {
      left -= 1
      if (left !== 0) return wires.client.send(request)
      target.restart()
      return noResponseFrom(target, 'reset')(request)
    }
    const dying = { ...wires, client: { ...wires.client, send } }
    const run = await interruptAt(rows, target.options, nothingKept(), () => false, dying)
    expect([run.verdict, idsOf(run, 'fail')]).toEqual(['error', []])
    expect(run.impossible).toMatch(
      /^the (?:target was restarted and has lost|test clock .* went back)/,
    )
  },
)

test('a run whose target is not up yet can be resumed later', async () => {
  const target = openTarget()
  const kept = nothingKept()
  await interruptAfter(few, target.options, kept, 70, target.wires())
  const nobody = target.wires()
  const client = { ...nobody.client, send: noResponseFrom(target, 'refused') }
  const away = await resumeToEnd(few, target.options, kept, { ...nobody, client })
  expect(away.impossible).toContain('gave no answer')
  const run = await resumed(target, few, target.options, kept)
  expect([run.verdict, run.interruptions?.length]).toEqual(['conformant', 2])
})

test.for([
  ['one', 'petvet-test-key-two', null, 'conformant'],
  ['all', 'petvet-test-key', expect.stringContaining('all keys were'), 'error'],
] as const)('of the keys %s are withdrawn meanwhile', async ([, begin, impossible, verdict]) => {
  let isMeanwhile = false
  const withdrawing: Variant = {
    handle: (honest) => (request) => {
      const given = request.header('authorization') ?? ''
      if (!isMeanwhile || !given.startsWith(`Bearer ${begin}`)) return honest(request)
      const header = (name: string) =>
        name === 'authorization' ? 'Bearer x' : request.header(name)
      return honest({ ...request, header })
    },
  }
  const target = openTarget({ hasClock: false }, withdrawing)
  const kept = nothingKept()
  await interruptAfter(few, target.options, kept, 40, target.wires())
  isMeanwhile = true
  const run = await resumeToEnd(few, target.options, kept, target.wires())
  expect([run.impossible, run.verdict, failures(run)]).toEqual([impossible, verdict, []])
})

test('recorded responses are judged, even if the run is interrupted again at once', async () => {
  const asText = mutants.find(({ id }) => id === 'answer-list-as-text')
  const target = openTarget({}, asText)
  const kept = nothingKept()
  const checks = named('list-', 'get-', 'body-')
  await interruptAfter(checks, target.options, kept, 100, target.wires())
  const isResumed = (line: string) => JSON.parse(line).kind === 'resumed'
  const run = await interruptAt(checks, target.options, kept, isResumed, target.wires())
  expect(idsOf(run, 'fail')).toContain('body-media-type-json')
  expect(run.impossible).toBeNull()
})

const dated = named('create-name', 'get-', 'pet-stays-', 'list-after', 'version-')

test('a spent budget may be raised; until then the clock stays before the removal', async () => {
  const undisturbed = await whole(dated)
  expect(undisturbed.verdict).toBe('conformant')
  const hazards = undisturbed.checks.filter(({ id }) => id === 'create-name-lone-surrogate')
  // Without those, which come after all that moves the clock.
  const all = undisturbed.requests - hazards.reduce((sum, { requests }) => sum + requests, 0)
  // In the midst of the work, and with fewer and fewer of the five that need the clock moved.
  const evening = '2030-12-04T22'
  const ends = [evening, evening, '2030-12-05', '2030-12-07']
  const late = ends.map((before, at) => [all - 5 + at, before] as const)
  for (const [maxRequests, before] of [[20, evening] as const, ...sample(late, 2)]) {
    const target = openTarget()
    const options = { ...target.options, maxRequests }
    const kept = nothingKept()
    const first = await interruptAfter(dated, options, kept, 100_000, target.wires())
    const left = first.checks.filter(({ because }) => because === 'budget')
    expect([first.verdict, left.length > 0]).toEqual(['undecided', true])
    if (maxRequests === 20) {
      const same = await resumed(target, dated, options, kept)
      const again = same.checks.filter(({ because }) => because === 'budget')
      expect([same.impossible, same.requests, again.length > 0]).toEqual([null, 20, true])
    }
    const now = new Date(target.target.now()).toISOString()
    expect([maxRequests, now < before]).toEqual([maxRequests, true])
    const run = endingsOf(await resumed(target, dated, target.options, kept))
    expect([maxRequests, run]).toEqual([maxRequests, endingsOf(undisturbed)])
  }
})

test.for([
  [410, {}],
  [404, legalRemovals.find(({ id }) => id === 'removed-404')],
] as const)(
  'where another run has moved the clock past the removal, %i fails nothing',
  async ([, variant]) => {
    const target = openTarget({}, variant)
    const kept = nothingKept()
    await interruptAfter(dated, target.options, kept, 60, target.wires())
    target.target.move(removalMs + 1_000 - target.target.now())
    const more = kept.journal.length + 15
    const second = await interruptAfter(dated, target.options, kept, more, target.wires())
    expect(second.impossible).toBeNull()
    const run = await resumed(target, dated, target.options, kept)
    expect([run.verdict, run.impossible]).toEqual(['conformant', null])
    const { 'get-fragile-200': own, 'list-after-removal-200': list } = endingsOf(run)
    expect([own, list]).toEqual(['untested clock', 'pass'])
  },
)

test('a run that has moved the clock past the removal itself is resumed after it', async () => {
  const undisturbed = await whole(dated)
  const target = openTarget()
  const kept = nothingKept()
  const isGone = (line: string) => line.includes('"check":"get-after-removal-gone"')
  await interruptAt(dated, target.options, kept, isGone, target.wires())
  expect(target.target.now()).toBeGreaterThan(removalMs)
  const run = await resumed(target, dated, target.options, kept)
  expect(endingsOf(run)).toEqual(endingsOf(undisturbed))
})

const moments = [...Array(isProof ? 25 : 1).keys()]

test.for(moments)('killed at moment %i, a run ends as one that was not', async (at) => {
  const target = openTarget()
  const kept = nothingKept()
  await interruptAfter(catalogue, target.options, kept, 40 + at * 61, target.wires())
  const run = await resumed(target, catalogue, target.options, kept)
  expect(endingsOf(run)).toEqual(endingsOf(await whole(catalogue)))
})

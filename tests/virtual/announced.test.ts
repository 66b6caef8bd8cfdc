// In virtual time: a run with one Free key and no clock takes as long as it announces, with what
// faults add, and says so where it takes longer.
import { beforeAll, expect, test } from 'vitest'
import { addedByFaults } from '../../engine/run/time-left.ts'
import { measureRun, oneFreeKey, timeRoom } from '../../proof/measure-run.ts'
import { openVirtually, runVirtually } from '../../proof/virtual-run.ts'
import { mutants } from '../../reference/mutants.ts'
import { together, type Variant } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { setsOf, shuffledMutants } from '../several-faults.ts'

const options = { ...oneFreeKey, allow: ['write', 'exhaust', 'ban', 'expose'] } as const

/** Their windows last longer than a minute, or end when a key has next to nothing left. */
const slow: ReadonlySet<string> = new Set([
  ...['bucket-refills-too-slowly', 'calls-counted-three-times', 'creations-counted-twice'],
  ...['refused-by-chance', 'remaining-shows-used', 'window-never-ends'],
  ...['window-never-ends-once-spent', 'window-of-three-minutes'],
])

let forecast: Awaited<ReturnType<typeof measureRun>>
let maxMs: number
beforeAll(async () => {
  forecast = await measureRun(catalogue, options)
  const { reducedMs, againMs } = addedByFaults(forecast, catalogue, options)
  maxMs = timeRoom[1] * forecast.lengthMs + reducedMs + againMs
})

/** How long a run takes there. */
const lengthAt = async (variant: Variant) => {
  const { keys, allow } = options
  const world = openVirtually(variant, keys, { allow, forecast, hasClock: false })
  await runVirtually(world, catalogue)
  return world.time.now()
}

const plain = mutants.filter(
  ({ id, description, basePath, categories }) =>
    !slow.has(id) && (description ?? basePath ?? categories) === undefined,
)

test.each(sample(plain, 96).map((mutant) => [mutant.id, mutant] as const))(
  'a run at %s',
  async (_id, mutant) => {
    expect(await lengthAt(mutant)).toBeLessThanOrEqual(maxMs)
  },
)

const tens = setsOf(
  shuffledMutants(7).filter(({ id }) => !slow.has(id)),
  10,
)

test.each(sample(tens, 20).map((set) => [set.map(({ id }) => id).join(), set] as const))(
  'a run at ten faults: %s',
  async (_ids, set) => {
    expect(await lengthAt(together(...set))).toBeLessThanOrEqual(1.5 * maxMs)
  },
)

test('a run at the reference takes what it announces', async () => {
  const [least, most] = timeRoom.map((each) => each * forecast.lengthMs)
  const lengthMs = await lengthAt({})
  expect(lengthMs).toBeGreaterThanOrEqual(least ?? 0)
  expect(lengthMs).toBeLessThanOrEqual(most ?? 0)
})

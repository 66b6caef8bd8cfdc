// In virtual time: calls of a legal run are taken out of its history, as if other clients had made
// them. With `shared: true` no law of the limiter is violated, however many they are.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Violation } from '../../history/outcome.ts'
import { type LawId, laws } from '../../model/limiter/laws.ts'
import { chances } from '../../proof/virtual.ts'
import { catalogue } from '../../suites/index.ts'
import { foundBy } from '../limiter-calls.ts'
import { check } from '../plain-checks.ts'
import { isProof, sample } from '../sample.ts'
import { plainWorlds, vetVirtually, type World, worldAlone } from './vet.ts'

const numRuns = Math.ceil(Number(process.env.PETVET_RUNS ?? 2) / 5)
const seed = Number(process.env.PETVET_SEED ?? 20_261_127)

/** What a whole run has sent and received. */
const historyOf = async (world: World): Promise<History> => {
  let history: History | undefined
  const keep = check('kept', 'list.success', { stage: 'rest' }, async (context) => {
    history = { ...context.history, exchanges: [...context.history.exchanges] }
  })
  await vetVirtually(world, [...catalogue, keep])
  if (!history) throw new Error('the run ended before its last check')
  return history
}

/** Whether the nth call is another client's. */
type IsForeign = (at: number) => boolean

/** So many at a time, or none of so many. */
const lump = 25

const thinnings: Readonly<Record<string, (chance: () => number) => IsForeign>> = {
  'none of them': () => () => false,
  '2 % of them': (chance) => () => chance() < 0.02,
  'a third of them': (chance) => () => chance() < 1 / 3,
  'a third, in lumps': (chance) => {
    let isGone = false
    return (at) => {
      if (at % lump === 0) isGone = chance() < 1 / 3
      return isGone
    }
  },
}

const takeOut = (all: readonly AnsweredExchange[], isForeign: IsForeign) =>
  all
    .toSorted((a, b) => a.seq - b.seq)
    .filter(({ key }, at) => key === null || !isForeign(at))
    // A gap between numbers would be a request of the run that got no response.
    .map((one, seq) => ({ ...one, seq }))

const violationsIn = (history: History): readonly string[] =>
  Object.keys(laws).flatMap((id) =>
    foundBy(id as LawId, history)
      .filter((found) => found instanceof Violation)
      .map(({ actual, expected }) => `${id}: ${actual}; expected ${expected}`),
  )

const expectNone = async (world: World): Promise<void> => {
  const history = await historyOf(world)
  for (const [which, make] of Object.entries(thinnings)) {
    const exchanges = takeOut(history.exchanges, make(chances(world.startMs % 1_000)))
    const found = violationsIn({ ...history, exchanges, shared: true })
    const isMeant = world.design.ban?.statesNoWait === true
    const wrong = found.filter((one) => !(isMeant && one.startsWith('ban-retry-after:')))
    expect(wrong.slice(0, 3), which).toEqual([])
  }
}

const cases = plainWorlds.flatMap(([meter, world]) =>
  [true, false].map(
    (hasClock) =>
      [`${meter}, ${hasClock ? 'with' : 'without'} a test clock`, { ...world, hasClock }] as const,
  ),
)

test.each(sample(cases, 12))('calls of others are no violation: %s', async (_name, world) => {
  await expectNone(world)
})

test.skipIf(!isProof)(
  'calls of others are no violation in any world',
  { timeout: 10_000 + numRuns * 5_000 },
  async () => {
    await fc.assert(fc.asyncProperty(worldAlone, expectNone), { numRuns, seed })
  },
)

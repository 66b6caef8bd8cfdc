// A sample of the runs under load: the whole suite twice, with two seeds, and all cores busy.
import { expect, test } from 'vitest'
import { whileLoaded } from './loaded.ts'
import { holdRounds, wholeRound } from './rounds.ts'

test('two runs of the whole suite on a loaded machine end alike', async () => {
  const next = (at: number) => (at < 2 ? wholeRound(at) : undefined)
  const { past, outcomes, differing } = await whileLoaded(() => holdRounds(next, () => {}, 10_000))
  expect(differing).toEqual([])
  expect(past.map(({ verdict }) => verdict)).toEqual(['conformant', 'conformant'])
  expect(outcomes.length).toBeGreaterThan(300)
}, 300_000)

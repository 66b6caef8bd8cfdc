// Draws the steps of a walk by seed: from each cell of a deck before from one again; with moves of
// the test clock on every scale.

import fc from 'fast-check'
import type { MakeRequest, Step } from '../../engine/run/walk.ts'
import { get } from '../../history/exchange.ts'
import { statuses } from '../../model/read-body.ts'
import { shuffled } from '../pets/arbitraries.ts'
import { type Cell, decks } from './decks.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** From a second to a year; the rest of a window is among them. */
const anyMove = fc.oneof(
  fc.integer({ min: 1, max: 59 }).map((seconds) => seconds * 1_000),
  fc.integer({ min: 60_000, max: 150_000 }),
  fc.integer({ min: 3, max: 70 }).map((minutes) => minutes * minuteMs),
  fc.integer({ min: 1, max: 30 }).map((hours) => hours * hourMs),
  fc.integer({ min: 1, max: 9 }).map((days) => days * dayMs),
  fc.integer({ min: 27, max: 200 }).map((days) => days * dayMs),
  fc.constant(365 * dayMs),
)

const send = (...requests: MakeRequest[]): Step => ({ kind: 'send', requests })

/** After each move each status is listed, and the first and the last pet of the walk fetched. */
const afterMove: readonly Step[] = [
  ...statuses.map((status) => send(() => get(`/pets?limit=100&status=${status}`))),
  send(
    ...[0, -1].map<MakeRequest>((place) => ({ created }) => {
      const id = created.at(place)
      return id === undefined ? undefined : get(`/pets/${id}`)
    }),
  ),
]
export const requestsAfterMove = statuses.length + 2

/** The cells of a deck in an order of the seed, again and again. */
const createDealer = (cells: readonly Cell[], seed: number) => {
  let dealt = 0
  let order: readonly Cell[] = []
  return (): Cell => {
    if (dealt % cells.length === 0) order = shuffled(cells, seed + dealt)
    const cell = order[dealt % cells.length] as Cell
    dealt += 1
    return cell
  }
}

/** Of how many steps one sends several requests at the same time. */
const togetherShare = 12
export const maxTogether = 5

const sampleOf = <T>(arbitrary: fc.Arbitrary<T>, seed: number): T =>
  fc.sample(fc.noBias(arbitrary), { seed, numRuns: 1 })[0] as T

/** A walk of so many requests, and so many moves of the clock. */
export const drawSteps = (seed: number, count: number, moves = 0): readonly Step[] => {
  const dealers = decks().map(({ cells }, at) => createDealer(cells, seed + at))
  const weights = decks().flatMap(({ weight }, at) => Array<number>(weight).fill(at))
  const chances = fc.sample(fc.noBias(fc.nat(1_000_000)), { seed, numRuns: 2 * count + moves })
  let drawn = 0
  const chance = () => chances[drawn++ % chances.length] as number
  const one = (): MakeRequest => {
    const deck = weights[chance() % weights.length] as number
    return sampleOf((dealers[deck] as () => Cell)(), seed + drawn)
  }
  const steps: Step[] = []
  const everyNth = Math.ceil(count / (moves + 1))
  let nextMove = everyNth
  for (let made = 0; made < count; ) {
    const isTogether = chance() % togetherShare === 0 && count - made >= maxTogether
    const size = isTogether ? 2 + (chance() % (maxTogether - 1)) : 1
    steps.push(send(...Array.from({ length: size }, one)))
    made += size
    if (moves === 0 || made < nextMove || made >= count) continue
    nextMove += everyNth
    steps.push({ kind: 'move', ms: sampleOf(anyMove, seed + drawn) }, ...afterMove)
  }
  return steps
}

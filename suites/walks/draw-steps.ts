// Draws the steps of a walk by seed, of the requests of the rows, with any key or none, and of what
// builds on the walk itself; with moves of the test clock on every scale.

import fc from 'fast-check'
import type { AnyCheck } from '../../engine/check/declare.ts'
import type { MakeRequest, Scene, Step } from '../../engine/run/walk.ts'
import { type ApiRequest, get, withKey } from '../../history/exchange.ts'
import { statuses } from '../../model/read-body.ts'
import { spoils } from '../authentication/credentials.ts'
import { createOpen } from '../create/open.ts'
import { createFaults, createValid } from '../create/rows.ts'
import { addresses } from '../get/addresses.ts'
import { getUnknownIds } from '../get/ids.ts'
import { list } from '../get/list.ts'
import { limit, shuffled } from '../pets/arbitraries.ts'
import { createPet, getPet, listPets } from '../pets/requests.ts'
import { pickBy } from '../pets/rows.ts'

type Cell = fc.Arbitrary<MakeRequest>

/** Kinds of requests, and how often each is drawn. */
interface Deck {
  readonly weight: number
  readonly cells: readonly Cell[]
}

const anyStatus = fc.constantFrom(undefined, ...statuses)

/** A pet of this walk, counted from the newest, or any that is known. */
const knownId = ({ context, created }: Scene, back: number): bigint | undefined =>
  created.at(-1 - (back % Math.max(1, created.length))) ?? context.knownPets.someId()

const oldId = ({ context }: Scene, nth: number): bigint | undefined => {
  const ids = [...context.knownPets.seen.keys()]
  return ids[nth % Math.max(1, ids.length)]
}

/** Recent ones more often: caches and pools mix up what is near. */
const back = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.nat(40))

const ofKnown = (id: bigint | undefined) => (id === undefined ? undefined : getPet(id))

/** The run, with what the rows of a walk are made of: any known pet, and pets of any status. */
const seenFrom = (scene: Scene, nth: number, status: string | undefined) => {
  const { context } = scene
  const someId = () => knownId(scene, nth)
  return {
    ...context,
    knownPets: Object.assign(Object.create(context.knownPets), { someId }),
    newPet: (own = {}) => context.newPet({ ...(status !== undefined && { status }), ...own }),
  }
}

/** A cell for each request of some rows, but for those that may crash the target. */
const cellsOf = (rows: readonly AnyCheck[]): readonly Cell[] =>
  rows.flatMap((row) => {
    if (row.kind === 'clause' || row.needs.stage === 'hazards') return []
    return (row.values ?? []).map(([, make]) =>
      fc.tuple(fc.nat(), back, anyStatus).map(
        ([seed, nth, status]) =>
          (scene: Scene) =>
            make(seenFrom(scene, nth, status), pickBy(seed)),
      ),
    )
  })

const plainCreation: Cell = anyStatus.map(
  (status): MakeRequest =>
    ({ context }) =>
      createPet(context.newPet(status === undefined ? {} : { status })),
)

const isOfDrafts = ({ id }: AnyCheck): boolean => id === 'create-sound-201'

const creations = (): readonly Cell[] => [
  ...Array<Cell>(6).fill(plainCreation),
  ...cellsOf(createValid.filter(isOfDrafts)),
  ...cellsOf(createOpen),
  // The same body twice makes two pets.
  fc.constant(({ lastBody }) => (lastBody ? createPet(lastBody) : undefined)),
]

/** A walk judges musts; that header fields override nothing is a should. */
const isShould = ({ requirement }: AnyCheck): boolean => requirement === 'service.override'

/** Rows of single values, each of which is rare. */
const furtherCreations = () =>
  cellsOf(createValid.filter((row) => !isOfDrafts(row) && !isShould(row)))

const isOpen = ({ kind }: AnyCheck): boolean => kind === 'observe'

const lists = (): readonly Cell[] => [
  ...Array<Cell>(3).fill(
    fc.tuple(anyStatus, fc.oneof(limit, fc.constantFrom(1, 2, 20, 99, 100))).map(
      ([status, most]) =>
        () =>
          listPets({ limit: most, ...(status && { status }) }),
    ),
  ),
  ...cellsOf(list.filter((row) => !isOpen(row))),
]

const fetches = (): readonly Cell[] => [
  back.map((nth) => (scene: Scene) => ofKnown(knownId(scene, nth))),
  fc.nat(10_000).map((nth) => (scene: Scene) => ofKnown(oldId(scene, nth))),
]

const is404 = ({ id }: AnyCheck): boolean => /404/.test(id)
const isLenient = (row: AnyCheck): boolean => row.requirement === 'create.strict-json'
const isSpelled = ({ id }: AnyCheck): boolean => /^address-spelling/.test(id)

const unknownFetches = () => cellsOf(getUnknownIds.filter(is404))
const faultyCreations = () => cellsOf(createFaults.filter((row) => !isLenient(row)))
const faultyLists = () => cellsOf(list.filter(isOpen))
const faultyFetches = () => cellsOf(getUnknownIds.filter((row) => !is404(row)))
const otherAddresses = () => cellsOf(addresses.filter((row) => !isSpelled(row)))

const writes = ({ method }: ApiRequest): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method)

/** Leaves out what a run may not do. */
const permitted =
  (make: MakeRequest): MakeRequest =>
  (scene) => {
    const request = make(scene)
    const isForbidden = request && writes(request) && !scene.context.allow.includes('write')
    return isForbidden ? undefined : request
  }

/** With one of the keys, or with any; on a fresh connection, or on a kept one. */
const withAnyKey = (cell: Cell): Cell =>
  fc
    .tuple(cell, fc.option(fc.nat(7)), fc.integer({ min: 0, max: 9 }))
    .map(([make, nth, chance]) => (scene: Scene) => {
      const request = permitted(make)(scene)
      if (!request) return undefined
      const { keys: labels } = scene.context.limits
      const label = nth === null ? undefined : labels[nth % Math.max(1, labels.length)]?.label
      const keyed = withKey(request, label)
      return chance < 2 ? { ...keyed, fresh: true } : keyed
    })

/** The same request without a valid key, whatever else is wrong with it. */
const withoutKey = (cell: Cell): Cell =>
  fc.tuple(cell, fc.constantFrom(...spoils)).map(([make, spoil]) => (scene: Scene) => {
    const request = permitted(make)(scene)
    return request && spoil(request, scene.context)
  })

const deckOf = (weight: number, how: (cell: Cell) => Cell, cells: readonly Cell[]): Deck => ({
  weight,
  cells: cells.map(how),
})

/** What a cache or a session may remember of a request with a key. */
const repeated: Cell = fc.constant(({ lastKeyed }) => lastKeyed)

const makeDecks = (): readonly Deck[] => [
  deckOf(8, withAnyKey, creations()),
  deckOf(2, withAnyKey, furtherCreations()),
  deckOf(10, withAnyKey, lists()),
  deckOf(6, withAnyKey, fetches()),
  deckOf(4, withAnyKey, unknownFetches()),
  deckOf(18, withAnyKey, faultyCreations()),
  deckOf(7, withAnyKey, cellsOf(createFaults.filter(isLenient))),
  deckOf(8, withAnyKey, faultyLists()),
  deckOf(4, withAnyKey, faultyFetches()),
  deckOf(6, withAnyKey, otherAddresses()),
  deckOf(5, withoutKey, [...creations(), ...faultyCreations()]),
  deckOf(2, withoutKey, [...lists(), ...faultyLists()]),
  deckOf(2, withoutKey, [...fetches(), ...unknownFetches(), ...faultyFetches()]),
  deckOf(9, withoutKey, cellsOf(addresses.filter(({ id }) => id === 'address-spelling'))),
  deckOf(3, withoutKey, [repeated]),
]

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
  const decks = makeDecks()
  const dealers = decks.map(({ cells }, at) => createDealer(cells, seed + at))
  const weights = decks.flatMap(({ weight }, at) => Array<number>(weight).fill(at))
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

// Draws the steps of a walk by seed, of the requests of the rows, with any key or none, and of what
// builds on the walk itself; with moves of the test clock on every scale.

import fc from 'fast-check'
import { type AnyCheck, allValues } from '../../engine/check/declare.ts'
import { createPet, getPet, listPets } from '../../engine/check/requests.ts'
import { pickBy } from '../../engine/check/row.ts'
import { type ApiRequest, get, withKey } from '../../history/exchange.ts'
import { statuses } from '../../model/read-body.ts'
import { spoils } from '../authentication/credentials.ts'
import { createOpen } from '../create/open.ts'
import { createFaults, createValid } from '../create/rows.ts'
import { addresses } from '../get/addresses.ts'
import { getUnknownIds } from '../get/ids.ts'
import { list } from '../get/list.ts'
import { limit } from '../pets/arbitraries.ts'
import type { MakeRequest, Scene, Step } from './walk.ts'

type Cell = fc.Arbitrary<MakeRequest>

const anyStatus = fc.constantFrom(undefined, ...statuses)

/** A pet of this walk, counted from the newest, or any that is known. */
const knownId = ({ context, created }: Scene, back: number): bigint | undefined =>
  created.at(-1 - (back % Math.max(1, created.length))) ?? context.knownPets.someId()

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
const cellsOf = (
  rows: readonly AnyCheck[],
  isOne: (row: AnyCheck) => boolean = () => true,
): readonly Cell[] =>
  rows.filter(isOne).flatMap((row) => {
    if (row.kind === 'clause' || row.needs.stage === 'hazards') return []
    return allValues(row).map(([, make]) =>
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
const plainList: Cell = fc
  .tuple(anyStatus, fc.oneof(limit, fc.constantFrom(1, 2, 20, 99, 100)))
  .map(
    ([status, most]) =>
      () =>
        listPets({ limit: most, ...(status && { status }) }),
  )
const plainFetches: readonly Cell[] = [
  back.map((nth) => (scene: Scene) => ofKnown(knownId(scene, nth))),
  fc.nat(10_000).map((nth) => ({ context }: Scene) => {
    const ids = [...context.knownPets.seen.keys()]
    return ofKnown(ids[nth % Math.max(1, ids.length)])
  }),
]

/** The same body twice makes two pets. */
const equalBody: Cell = fc.constant(({ lastBody }) => (lastBody ? createPet(lastBody) : undefined))
/** What a cache or a session may remember of a request with a key. */
const repeated: Cell = fc.constant(({ lastKeyed }) => lastKeyed)

const isOfDrafts = ({ id }: AnyCheck): boolean => id === 'create-valid-201'
const isOpen = ({ kind }: AnyCheck): boolean => kind === 'observe'
const isSpelled = ({ id }: AnyCheck): boolean => /^address-spelling/.test(id)
const isLenient = ({ requirement }: AnyCheck): boolean => requirement === 'create.strict-json'
const isPrefix = ({ requirement }: AnyCheck): boolean => requirement === 'get.id-prefix'
/** Of single values, each of which is rare; a walk judges no should about valid requests. */
const isRare = (row: AnyCheck): boolean =>
  !isOfDrafts(row) && row.requirement !== 'service.override'

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

/** How often each kind of request is drawn, of the rows and of what builds on the walk itself. */
const makeDecks = (): readonly fc.WeightedArbitrary<MakeRequest>[] => {
  const deckOf = (weight: number, how: (cell: Cell) => Cell, ...cells: readonly Cell[]) => ({
    ...{ weight, arbitrary: fc.oneof(...cells.map(how)) },
  })
  const drafts = cellsOf(createValid, isOfDrafts)
  const creations = [...Array<Cell>(6).fill(plainCreation), ...drafts, ...cellsOf(createOpen)]
  const lists = [...Array<Cell>(3).fill(plainList), ...cellsOf(list, (row) => !isOpen(row))]
  const openLists = cellsOf(list, isOpen)
  const faulty = cellsOf(createFaults)
  const unknown = cellsOf(getUnknownIds)
  // Each is judged by a check of its own.
  const shoulds = [cellsOf(createFaults, isLenient), cellsOf(getUnknownIds, isPrefix)]
  return [
    deckOf(8, withAnyKey, ...creations, equalBody),
    deckOf(2, withAnyKey, ...cellsOf(createValid, isRare)),
    deckOf(10, withAnyKey, ...lists),
    deckOf(6, withAnyKey, ...plainFetches),
    deckOf(6, withAnyKey, ...unknown),
    deckOf(20, withAnyKey, ...faulty),
    ...shoulds.map((row) => deckOf(5, withAnyKey, ...row)),
    deckOf(8, withAnyKey, ...openLists),
    deckOf(6, withAnyKey, ...cellsOf(addresses, (row) => !isSpelled(row))),
    deckOf(5, withoutKey, ...creations, ...faulty),
    deckOf(4, withoutKey, ...lists, ...openLists, ...plainFetches, ...unknown),
    deckOf(9, withoutKey, ...cellsOf(addresses, ({ id }) => id === 'address-spelling')),
    deckOf(3, withoutKey, repeated),
  ]
}

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

/** Of how many steps one sends several requests at the same time. */
const togetherShare = 12
export const maxTogether = 5
const anySize = fc.oneof(
  { weight: togetherShare - 1, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: maxTogether }) },
)

/** A walk of so many requests, and so many moves of the clock. */
export const drawSteps = (seed: number, count: number, moves = 0): readonly Step[] => {
  const draw = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number): readonly T[] =>
    fc.sample(fc.noBias(arbitrary), { seed, numRuns })
  const requests = draw(fc.oneof(...makeDecks()), count)
  const sizes = draw(anySize, count)
  const waits = draw(anyMove, moves)
  const everyNth = Math.ceil(count / (moves + 1))
  const steps: Step[] = []
  for (let made = 0, moved = 0; made < count; ) {
    const some = requests.slice(made, made + (sizes[steps.length] ?? 1))
    steps.push(send(...some))
    made += some.length
    const ms = made < (moved + 1) * everyNth || made >= count ? undefined : waits[moved]
    if (ms === undefined) continue
    moved += 1
    steps.push({ kind: 'move', ms }, ...afterMove)
  }
  return steps
}

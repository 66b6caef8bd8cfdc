// Draws the steps of a walk by seed, of the requests of the rows, with any key or none, and of what
// builds on the walk itself; with moves of the test clock on every scale.

import fc from 'fast-check'
import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, allValues } from '../../engine/check/declare.ts'
import { createPet, getPet, listPets } from '../../engine/check/requests.ts'
import { pickBy } from '../../engine/check/row.ts'
import { type ApiRequest, get, unauthorized } from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import { statuses } from '../../model/read-body.ts'
import { spoils } from '../authentication/credentials.ts'
import { createOpen } from '../create/open.ts'
import { createFaults, createValid } from '../create/rows.ts'
import { addresses } from '../get/addresses.ts'
import { getUnknownIds } from '../get/ids.ts'
import { list } from '../get/list.ts'
import { limit } from '../pets/arbitraries.ts'

/** What a step builds on: what the run knows, and what this walk did before. */
export interface Scene {
  readonly context: Context
  /** The pets that this walk created, in order. */
  readonly created: readonly bigint[]
  /** The latest valid body that it sent. */
  readonly lastBody: JsonObject | undefined
  /** The latest request that it sent with a key. */
  readonly lastKeyed: ApiRequest | undefined
}

/** Makes a request from what is known by then; undefined: it cannot be sent. */
export type MakeRequest = (scene: Scene) => ApiRequest | undefined

export type Step =
  /** So many, chosen and sent at the same time. */
  | { readonly kind: 'draw'; readonly size: number }
  | { readonly kind: 'send'; readonly make: MakeRequest }
  /** Late: also past the removal. */
  | { readonly kind: 'move'; readonly ms: number; readonly isLate?: true }

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

const isHead = ({ id }: AnyCheck): boolean => id === 'method-head-list'
const isMethod = ({ id }: AnyCheck): boolean => /^method-/.test(id)
const isLenientOrPrefix = (row: AnyCheck): boolean => isLenient(row) || isPrefix(row)

/** The same request without any key, or without a valid one, whatever else is wrong with it. */
const withNone = (cell: Cell): Cell =>
  cell.map((make) => (scene: Scene) => {
    const request = make(scene)
    return request && unauthorized(request)
  })
const withoutKey = (cell: Cell): Cell =>
  fc.tuple(cell, fc.constantFrom(...spoils)).map(([make, spoil]) => (scene: Scene) => {
    const request = make(scene)
    return request && spoil(request, scene.context)
  })

/** Of the rows and of what builds on the walk itself; how often each is drawn. */
const makeDecks = (): readonly fc.WeightedArbitrary<MakeRequest>[] => {
  const deckOf = (weight: number, ...cells: readonly Cell[]) => ({
    ...{ weight, arbitrary: fc.oneof(...cells).map(permitted) },
  })
  const drafts = cellsOf(createValid, isOfDrafts)
  const creations = [...Array<Cell>(6).fill(plainCreation), ...drafts]
  const open = cellsOf(createOpen)
  const lists = [...Array<Cell>(3).fill(plainList), ...cellsOf(list, (row) => !isOpen(row))]
  const openLists = cellsOf(list, isOpen)
  const faulty = cellsOf(createFaults)
  const unknown = cellsOf(getUnknownIds, (row) => /404/.test(row.id))
  const noIds = cellsOf(getUnknownIds, (row) => !/404/.test(row.id))
  const addressed = cellsOf(addresses, (row) => !isSpelled(row) && !isMethod(row))
  const methods = cellsOf(addresses, (row) => isMethod(row) && !isHead(row))
  const keyless = [...creations, ...faulty, ...lists, ...openLists, ...plainFetches, ...unknown]
  return [
    deckOf(8, ...creations, equalBody),
    deckOf(2, ...cellsOf(createValid, isRare)),
    deckOf(3, ...open),
    deckOf(10, ...lists),
    deckOf(6, ...plainFetches),
    deckOf(3, ...unknown),
    deckOf(3, ...noIds),
    deckOf(20, ...faulty),
    // Each is judged by a check of its own.
    deckOf(5, ...cellsOf([...createFaults, ...getUnknownIds], isLenientOrPrefix)),
    deckOf(8, ...openLists),
    deckOf(3, ...addressed),
    deckOf(3, ...methods),
    deckOf(2, ...cellsOf(addresses, isHead)),
    deckOf(3, ...keyless.map(withNone)),
    deckOf(6, ...keyless.map(withoutKey)),
    deckOf(9, ...cellsOf(addresses, ({ id }) => id === 'address-spelling').map(withoutKey)),
    deckOf(3, withoutKey(repeated)),
  ]
}

/** How many are drawn of a deck at a time. */
const drawnAtOnce = 8
/** So many seeds lie between those of two decks. */
const apart = 1_000

/** As many as are taken. */
function* drawn<T>(arbitrary: fc.Arbitrary<T>, seed: number): Generator<T, never> {
  for (let round = 0; ; round += 1)
    yield* fc.sample(fc.noBias(arbitrary), { seed: seed + round, numRuns: drawnAtOnce })
}

/** The requests of each deck; which deck comes next, by weight; and any numbers. */
export const openDecks = (seed: number) => {
  const decks = makeDecks()
  const places = decks.map(({ weight }, at) => ({ weight, arbitrary: fc.constant(at) }))
  return {
    decks: decks.map(({ arbitrary }, at) => drawn(arbitrary, seed + apart * (at + 1))),
    places: drawn(fc.oneof(...places), seed),
    chances: drawn(fc.nat(), seed),
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const times = (unitMs: number, min: number, max: number) =>
  fc.integer({ min, max }).map((count) => count * unitMs)

/** Of each length in turn: from seconds to a year; the rest of a window is among them. */
const moveLengths = [
  times(minuteMs, 11, 59),
  times(hourMs, 1, 23),
  times(1_000, 1, 150),
  times(dayMs, 1, 9),
  times(dayMs, 27, 200),
  fc.constant(365 * dayMs),
]

/** After each move each status is listed, and the first and the last pet of the walk fetched. */
const afterMove: readonly MakeRequest[] = [
  ...statuses.map((status) => () => get(`/pets?limit=100&status=${status}`)),
  ...[0, -1].map<MakeRequest>(
    (place) =>
      ({ created }) =>
        ofKnown(created.at(place)),
  ),
]
export const requestsAfterMove = afterMove.length

/** Of how many steps one sends several requests at the same time. */
const togetherShare = 40
export const maxTogether = 5
const anySize = fc.oneof(
  { weight: togetherShare - 1, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: maxTogether }) },
)

/** A walk of so many requests, and so many moves of the clock. */
export const drawSteps = (seed: number, count: number, moves = 0): readonly Step[] => {
  const draw = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number): readonly T[] =>
    fc.sample(fc.noBias(arbitrary), { seed, numRuns })
  const sizes = draw(anySize, count)
  const lengths = fc.tuple(...moveLengths)
  const waits = draw(lengths, Math.ceil(moves / moveLengths.length))
    .flat()
    .slice(0, moves)
  const everyNth = Math.ceil(count / (moves + 1))
  const steps: Step[] = []
  for (let made = 0, moved = 0; made < count; ) {
    const size = Math.min(sizes[steps.length] ?? 1, count - made)
    steps.push({ kind: 'draw', size })
    made += size
    const ms = made < (moved + 1) * everyNth || made >= count ? undefined : waits[moved]
    if (ms === undefined) continue
    moved += 1
    steps.push({ kind: 'move', ms }, ...afterMove.map((make) => ({ kind: 'send', make }) as const))
  }
  return steps
}

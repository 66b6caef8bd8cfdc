// The steps of a walk: requests of every kind, valid or with one fault, and moves of the clock.

import fc from 'fast-check'
import type { Context } from '../../engine/check/context.ts'
import { type ApiRequest, get, post, unauthorized, withKey } from '../../engine/check/exchange.ts'
import { type JsonObject, printJson } from '../../engine/check/json.ts'
import { altered, keys, sent } from '../authentication/spoil.ts'
import { draft, limit, shuffled } from '../pets/arbitraries.ts'
import { statuses } from '../pets/compare-pets.ts'
import { bodyOf, createPet, getPet, listPets, listPetsWith } from '../pets/requests.ts'
import {
  bodyFaults,
  edgeNames,
  idTexts,
  limitTexts,
  markedCategory,
  otherAddresses,
  otherIds,
  spellings,
  statusTexts,
} from './faults.ts'

/** What a step builds on: what the run knows, and what this walk did before. */
export interface Scene {
  readonly context: Context
  /** The pets that this walk created, in order. */
  readonly created: readonly bigint[]
  /** The latest valid body that it sent. */
  readonly lastBody: JsonObject | undefined
  /** The latest request that it sent with a key. */
  readonly lastKeyed: ApiRequest | undefined
  /** The number of requests that it has sent. */
  readonly sent: number
}

/** Makes a request from what is known by then; undefined: it cannot be sent. */
export type MakeRequest = (scene: Scene) => ApiRequest | undefined

export type Step =
  | { readonly kind: 'send'; readonly requests: readonly MakeRequest[] }
  /** Afterwards the store is listed by each status, unless it is bare. */
  | { readonly kind: 'move'; readonly ms: number; readonly isBare?: true }

type Cell = fc.Arbitrary<MakeRequest>

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

const ofKnown = (scene: Scene, nth: number, make: (id: bigint) => ApiRequest) => {
  const id = knownId(scene, nth)
  return id === undefined ? undefined : make(id)
}

const plainCreation: Cell = anyStatus.map(
  (status): MakeRequest =>
    ({ context }) =>
      createPet(context.newPet(status === undefined ? {} : { status })),
)

const anyDraft: Cell = draft.map(
  (each): MakeRequest =>
    ({ context }) =>
      createPet(bodyOf(context, each)),
)

const creations: readonly Cell[] = [
  ...Array<Cell>(4).fill(anyDraft),
  ...Array<Cell>(4).fill(plainCreation),
  ...edgeNames.map((names) =>
    names.map(
      (name): MakeRequest =>
        ({ context }) =>
          createPet(context.newPet({ name })),
    ),
  ),
  fc.bigInt({ min: -(2n ** 63n), max: 0n }).map(
    (categoryId): MakeRequest =>
      ({ context }) =>
        createPet(context.newPet({ categoryId })),
  ),
  // The same body twice makes two pets.
  fc.constant(({ lastBody }) => (lastBody ? createPet(lastBody) : undefined)),
]

const lists: readonly Cell[] = [
  fc.tuple(anyStatus, fc.oneof(limit, fc.constantFrom(1, 2, 20, 99, 100))).map(
    ([status, most]) =>
      () =>
        listPets({ limit: most, ...(status && { status }) }),
  ),
  anyStatus.map((status) => () => listPets(status ? { status } : {})),
  anyStatus.map((status) => () => listPets({ limit: 100, ...(status && { status }) })),
]

const fetches: readonly Cell[] = [
  back.map((nth) => (scene: Scene) => ofKnown(scene, nth, getPet)),
  fc.nat(10_000).map((nth) => (scene: Scene) => {
    const id = oldId(scene, nth)
    return id === undefined ? undefined : getPet(id)
  }),
]

const unknownFetches: readonly Cell[] = otherIds.map((others) =>
  fc.tuple(others, back).map(
    ([other, nth]) =>
      (scene: Scene) =>
        ofKnown(scene, nth, (id) => getPet(other(id))),
  ),
)

const faultyCreations: readonly Cell[] = bodyFaults.map((faults) =>
  fc.tuple(faults, anyStatus).map(([fault, status]) => ({ context, sent: nth }: Scene) => {
    const category = { categoryId: markedCategory(context, nth) }
    const pet = context.newPet({ ...category, ...(status && { status }) })
    return createPet(fault(pet))
  }),
)

const faultyLists: readonly Cell[] = [
  ...limitTexts.map((texts) => texts.map((text) => () => listPetsWith(`limit=${text}`))),
  ...statusTexts.map((texts) => texts.map((text) => () => listPetsWith(`status=${text}`))),
]

const faultyFetches: readonly Cell[] = idTexts.map((texts) =>
  fc.tuple(texts, back).map(
    ([text, nth]) =>
      (scene: Scene) =>
        ofKnown(scene, nth, (id) => getPet(text(id))),
  ),
)

const otherMethods: readonly Cell[] = otherAddresses.map((addresses) =>
  fc.tuple(addresses, back).map(
    ([{ method, path }, nth]) =>
      (scene: Scene) =>
        ofKnown(scene, nth, (id) => {
          const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
          const body = hasBody ? printJson(scene.context.newPet()) : null
          return hasBody ? { ...post(path(id), body), method } : { ...get(path(id)), method }
        }),
  ),
)

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

const spoils = [
  (request: ApiRequest) => unauthorized(request),
  sent('Bearer'),
  sent('Bearer OTHER'),
  sent('Basic KEY'),
  ...[keys.first, keys.last, keys.middle, keys.extended, keys.firstHalf].map(altered),
]

/** The same request without a valid key, whatever else is wrong with it. */
const withoutKey = (cell: Cell): Cell =>
  fc.tuple(cell, fc.constantFrom(...spoils)).map(([make, spoil]) => (scene: Scene) => {
    const request = permitted(make)(scene)
    return request && spoil(request, scene.context)
  })

const spelt: readonly Cell[] = spellings.map((paths) => paths.map((path) => () => get(path)))

/** Kinds of requests, and how often each is drawn. */
interface Deck {
  readonly weight: number
  readonly cells: readonly Cell[]
}

const keyedDeck = (weight: number, cells: readonly Cell[]): Deck => ({
  weight,
  cells: cells.map(withAnyKey),
})

export const validDecks: readonly Deck[] = [
  keyedDeck(5, creations),
  keyedDeck(5, lists),
  keyedDeck(3, fetches),
  keyedDeck(2, unknownFetches),
]

export const faultDecks: readonly Deck[] = [
  keyedDeck(9, faultyCreations),
  keyedDeck(4, faultyLists),
  keyedDeck(2, faultyFetches),
  keyedDeck(3, otherMethods),
]

const keylessDeck = (weight: number, cells: readonly Cell[]): Deck => ({
  weight,
  cells: cells.map(withoutKey),
})

/** What a cache or a session may remember of a request with a key. */
const repeated: Cell = fc.constant(({ lastKeyed }) => lastKeyed)

export const keylessDecks: readonly Deck[] = [
  keylessDeck(5, [...creations, ...faultyCreations]),
  keylessDeck(2, [...lists, ...faultyLists]),
  keylessDeck(2, [...fetches, ...unknownFetches, ...faultyFetches]),
  keylessDeck(2, spelt),
  keylessDeck(3, [repeated]),
]

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

export interface Drawing {
  readonly decks: readonly Deck[]
  readonly seed: number
  /** The number of requests. */
  readonly count: number
  /** How often the clock is moved. */
  readonly moves: number
  readonly move: fc.Arbitrary<number>
}

/** Of how many steps one sends several requests at the same time. */
const togetherShare = 12
const maxTogether = 5

const sampleOf = <T>(arbitrary: fc.Arbitrary<T>, seed: number): T =>
  fc.sample(fc.noBias(arbitrary), { seed, numRuns: 1 })[0] as T

/** A walk of so many requests. */
export const drawSteps = ({ decks, seed, count, moves, move }: Drawing): readonly Step[] => {
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
    steps.push({ kind: 'send', requests: Array.from({ length: size }, one) })
    made += size
    if (made < nextMove || made >= count) continue
    nextMove += everyNth
    steps.push({ kind: 'move', ms: sampleOf(move, seed + drawn) })
  }
  return steps
}

// The requests that a walk draws from: of every kind, valid or with one fault, with any key or
// none.

import fc from 'fast-check'
import { type ApiRequest, get, post, unauthorized, withKey } from '../../engine/check/exchange.ts'
import { printJson } from '../../engine/check/json.ts'
import { altered, keys, mistakenKeys, sent } from '../authentication/spoil.ts'
import { draft, limit } from '../pets/arbitraries.ts'
import { statuses } from '../pets/compare-pets.ts'
import { createPet, getPet, listPets, listPetsWith, makeBody } from '../pets/requests.ts'
import {
  type BodyFault,
  bodyFaults,
  edgeNames,
  idTexts,
  limitTexts,
  markedCategory,
  otherAddresses,
  otherIds,
  spellings,
  statusTexts,
} from './invalid-requests.ts'
import type { Cell, Deck, MakeRequest, Scene } from './scene.ts'

const edited =
  (edit: (text: string) => string): BodyFault =>
  (pet) =>
    edit(printJson(pet))

const comments = ['/* a pet */', '// a pet\n', '# a pet\n']
const afterwards = [' x', '{}', ';', ',', ' null', '\n1', '}', ' // end']

/** A byte that never occurs in UTF-8, in place of a letter of the name. */
const withBadByte: BodyFault = (pet) => {
  const bytes = Buffer.from(printJson(pet))
  bytes[bytes.indexOf('"name":"') + 10] = 0xff
  return bytes
}

/**
 * Texts that are not JSON, but that a lenient parser takes for it, as JSON5, YAML, or one that
 * stops early or replaces bytes: a should (ruling 1).
 */
const lenientJson: readonly fc.Arbitrary<BodyFault>[] = [
  fc.constant(edited((text) => text.replace(/\}$/, ',}'))),
  ...comments.map((comment) =>
    fc.constantFrom(
      edited((text) => text.replace('{', `{${comment}`)),
      edited((text) => text.replace(/\}$/, `${comment}}`)),
    ),
  ),
  fc.constantFrom(
    ...['name', 'categoryId'].map((name) => edited((text) => text.replace(`"${name}"`, name))),
  ),
  fc.constant(edited((text) => text.replaceAll('"', "'"))),
  fc.constantFrom(...afterwards.map((more) => edited((text) => text + more))),
  ...['0', '+'].map((sign) =>
    fc.constant(edited((text) => text.replace(/("categoryId":)/, `$1${sign}`))),
  ),
  fc.constant(withBadByte),
  fc.constant(edited((text) => text.replace(':', '='))),
  fc.constantFrom(
    ...['\n', '\t'].map((sign) => edited((text) => text.replace(/("name":"[^"]{3})/, `$1${sign}`))),
  ),
]

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
      createPet(makeBody(context, each)),
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
  ...['application/json; charset=utf-8', 'Application/JSON'].map((type) =>
    anyDraft.map((make) => (scene: Scene) => {
      const request = make(scene)
      return request && { ...request, headers: [['Content-Type', type]] as const }
    }),
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

const creationsWith = (each: readonly fc.Arbitrary<BodyFault>[]): readonly Cell[] =>
  each.map((faults) =>
    fc.tuple(faults, anyStatus).map(([fault, status]) => ({ context, sent: nth }: Scene) => {
      const category = { categoryId: markedCategory(context, nth) }
      const pet = context.newPet({ ...category, ...(status && { status }) })
      return createPet(fault(pet))
    }),
  )

const faultyCreations = creationsWith(bodyFaults)

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
  ...[keys.first, keys.last, keys.middle, keys.segment, keys.otherCase].map(altered),
  ...[keys.extended, keys.firstHalf].map(altered),
]

/** What programs send by mistake is one of many: a near miss of a key comes twice as often. */
const anySpoil = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...spoils) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...mistakenKeys)
      .map((key) => (request: ApiRequest) => unauthorized(request, `Bearer ${key}`)),
  },
)

/** The same request without a valid key, whatever else is wrong with it. */
const withoutKey = (cell: Cell): Cell =>
  fc.tuple(cell, anySpoil).map(([make, spoil]) => (scene: Scene) => {
    const request = permitted(make)(scene)
    return request && spoil(request, scene.context)
  })

const spelt: readonly Cell[] = spellings.map((paths) => paths.map((path) => () => get(path)))

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
  keyedDeck(1, creationsWith(lenientJson)),
  keyedDeck(4, faultyLists),
  keyedDeck(2, faultyFetches),
  keyedDeck(3, otherMethods),
]

/** Limits of every kind. */
export const longListDeck: Deck = keyedDeck(9, faultyLists)

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
  keylessDeck(3, spelt),
  keylessDeck(3, [repeated]),
]

// Further bodies of POST /pets. What each is (valid, invalid, lenient or open) is said by `read`,
// and so in which row it is sent.

import type { Make, Value } from '../../engine/check/declare.ts'
import { createPet } from '../../engine/check/requests.ts'
import { type Header, json } from '../../history/exchange.ts'
import { type JsonObject, printJson } from '../../history/json.ts'
import { read } from '../../model/read.ts'
import bodies from '../vocabulary/bodies.json' with { type: 'json' }
import { type Entry, renamed } from './faults.ts'

/** A pet in JSON, with the JSON of one member as it is written here. */
const written = (pet: JsonObject, member: string, text: string): string => {
  const members = Object.entries({ ...pet, [member]: null }).map(
    ([name, value]) => `${printJson(name)}:${name === member ? text : printJson(value)}`,
  )
  return `{${members.join()}}`
}

const ofMembers = (['categoryId', 'name', 'status'] as const).flatMap((member) =>
  bodies[member].map(
    (text): Entry => [`with the ${member} ${text}`, (pet) => written(pet, member, text)],
  ),
)

const extra = 4

/** All are open, so that some share a body. */
const extraMembers = bodies.members.flatMap((_, at, all): readonly Entry[] => {
  const texts = all.slice(at, at + extra).join()
  const add = (pet: JsonObject) => `${printJson(pet).slice(0, -1)},${texts}}`
  return at % extra === 0 ? [[`with the members ${texts}`, add]] : []
})

const all: readonly Entry[] = [
  ...ofMembers,
  ...extraMembers,
  ...bodies.renamed.map((other) => renamed('name', other)),
  ...bodies.roots.map(
    (root): Entry => [
      `with its pet in the member ${printJson(root)}`,
      (pet) => `{${printJson(root)}:${printJson(pet)}}`,
    ],
  ),
  ...bodies.texts.map((text): Entry => [`with the body ${text}`, () => text]),
]

const isRead = ([, fault]: Entry) => {
  const body = fault({ name: 'Rex', categoryId: 7n }, (() => '') as never)
  const { parts } = read({ apiRequest: createPet(body) })
  return (['open', 'lenient', 'invalid'] as const).find((is) => parts.some((one) => one.is === is))
}

const entries = Map.groupBy(all, isRead)

export const furtherFaults: readonly Entry[] = entries.get('invalid') ?? []
export const furtherLenient: readonly Entry[] = entries.get('lenient') ?? []

const opened = (some: readonly Entry[] = []): readonly Value[] =>
  some.map(([words, fault]) => [words, ({ newPet }, pick) => createPet(fault(newPet(), pick))])

export const openMembers = opened(extraMembers)
export const openSpellings = opened(
  entries.get('open')?.filter((one) => !extraMembers.includes(one)),
)

const withHeaders =
  (...headers: readonly Header[]): Make =>
  ({ newPet }) => ({ ...createPet(newPet()), headers })

export const openTypes: readonly Value[] = [
  ...bodies.mediaTypes.map((type): Value => [`as ${type}`, withHeaders([json[0], type])]),
  ...bodies.codings.map(
    (coding): Value => [
      `with Content-Encoding: ${coding}`,
      withHeaders(json, ['Content-Encoding', coding]),
    ],
  ),
]

export const openQueries: readonly Value[] = bodies.queries.flatMap((query, at) => [
  [
    `with the query ${query}`,
    // Every other one in place of its body.
    ({ newPet }) => ({ ...createPet(at % 2 === 0 ? '{}' : newPet()), path: `/pets?${query}` }),
  ],
])

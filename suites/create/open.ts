// POST /pets: categories, bodies that the interface leaves open, and what builds on earlier
// creations. Clauses judge what was accepted. Random unconfigured categories of several magnitudes
// show whether the target accepts any or only existing ones: later checks use those it accepted.

import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, type Make, observe, type Value } from '../../engine/check/declare.ts'
import { describeStatus, recordEach } from '../../engine/check/recorded.ts'
import { createPet, listPets, noPet, scarcestStatus, someId } from '../../engine/check/requests.ts'
import { openRow, row } from '../../engine/check/row.ts'
import {
  type AnsweredExchange,
  type Header,
  isSuccess,
  json,
  post,
  recognizeOperation,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { type JsonObject, minInt64, printJson } from '../../history/json.ts'
import { Untested } from '../../history/outcome.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { type CategorySize, unlikelyCategory, unlikelyIds } from '../pets/arbitraries.ts'
import { creating } from '../pets/requests.ts'
import { createFaults, createHazards, createValid } from './rows.ts'
import { openMembers, openQueries, openSpellings, openTypes } from './vocabulary.ts'

interface Tried {
  readonly size: CategorySize | 'the id 1'
  readonly id: bigint
  readonly response: AnsweredExchange
}

const isAccepted = ({ response }: Tried): boolean => isSuccess(response)

/** With a status, so that a server that wrongly requires one does not seem selective. */
const attempt = async (context: Context, size: Tried['size'], id: bigint): Promise<Tried> => {
  const pet = { name: context.names.fresh(), categoryId: id, status: 'available' }
  const response = await context.call(createPet(pet))
  return { size, id, response }
}

const smaller = ['below 2^31', 'beyond 2^32', 'below 10^8'] as const

/** Tries a huge id; unless it is accepted smaller ones. */
const tryAll = async (context: Context): Promise<readonly Tried[]> => {
  const random = (size: CategorySize, nth = 0) =>
    attempt(context, size, unlikelyCategory(context.seed, size, nth))
  const tried = [await random('beyond 2^53')]
  if (tried.some(isAccepted)) return tried
  for (const size of smaller) tried.push(await random(size))
  // Whether all huge ones are refused, or how small those are that are taken.
  tried.push(await random(tried.slice(1).every(isAccepted) ? 'beyond 2^53' : 'below 10^6', 1))
  if (tried.some(isAccepted) || context.categories.known.length > 0) return tried
  // The ids of existing categories usually begin at 1.
  return [...tried, await attempt(context, 'the id 1', 1n)]
}

const probeCategories = async (context: Context): Promise<readonly Tried[]> => {
  const tried = await tryAll(context)
  const accepted = tried.filter(isAccepted)
  const isSelective = tried.some(({ response }) => statusCode(response) === 400)
  const ids = accepted.map(({ id }) => id)
  if (accepted.length === tried.length) context.categories.decide(true, [])
  else if (accepted.length > 0 || isSelective) context.categories.decide(false, ids)
  return tried
}

/** Runs first: finds out which categories other checks may use. */
export const unknownCategory = observe({
  id: 'create-category-unknown',
  requirement: 'gap.category',
  needs: { ...creating, stage: 'probes' },
  sends:
    '`POST /pets` with a random unconfigured category beyond 2^53. If it is refused, with four ' +
    'smaller ones as well, and with the id 1 if none is accepted. It runs first, since it shows ' +
    'which categories other checks may use.',
  records:
    'The status, or each one if they differ. After a 400, only configured and accepted ' +
    'categories are used.',
  run: async (context) =>
    recordEach(await probeCategories(context), async ({ size, response }) => [
      size,
      `${statusCode(response)}`,
    ]),
})

type Row = readonly [id: string, words: string, sent: JsonObject | Make, isHazard?: true]

/** Larger vocabularies, by the row. */
const further: Readonly<Record<string, readonly Value[]>> = {
  'member-extra': [...openMembers, ...openQueries],
  'category-exponent': openSpellings,
  'media-type-text': openTypes,
}

const under = (requirement: OpenRequirementId, ...rows: readonly Row[]) =>
  rows.map(([id, words, sent, isHazard]) =>
    openRow('create', {
      ...{ id: `create-${id}`, requirement, record: 'members' },
      needs: { stage: isHazard ? 'hazards' : 'creations', allow: ['write'] },
      values: [[words, typeof sent === 'function' ? sent : (one) => createPet(one.newPet(sent))]],
      more: further[id] ?? [],
    }),
  )

const outerSpace: Make = ({ names, newPet }) => createPet(newPet({ name: `  ${names.fresh()}  ` }))

/** A usable category in another spelling, so that only the spelling can be refused. */
const spelled =
  (end: string): Make =>
  ({ newPet }) =>
    createPet(printJson(newPet()).replace(/"categoryId":-?\d+/, `$&${end}`))

const twoNames: Make = ({ names, newPet }) =>
  createPet(printJson(newPet()).replace('{', `{"name":"${names.fresh()}",`))

const typed =
  (...headers: Header[]): Make =>
  ({ newPet }) =>
    post('/pets', printJson(newPet()), headers)

const loneSurrogate: Make = (context) =>
  createPet(context.newPet({ name: 'a\ud800z', status: scarcestStatus(context) }))

const opened = [
  ...under(
    'new-pet.name.extreme',
    ['name-outer-space', 'with two spaces at each end of the name', outerSpace],
    ['name-empty', 'with an empty name', { name: '' }],
    ['name-blank', 'with a name of three spaces', { name: '   ' }],
    ['name-101', 'with a name of 101 characters', { name: 'n'.repeat(101) }],
    ['name-very-long', 'with a name of 5,000 characters', { name: 'n'.repeat(5_000) }],
    ['name-control', 'with control characters in the name', { name: 'a\t\u0001\u001b\u007fz' }],
    ['name-nul', 'with a NUL in the name', { name: 'a\u0000z' }],
  ),
  ...under(
    'new-pet.category.non-positive',
    ['category-zero', 'with the categoryId 0', { categoryId: 0n }],
    ['category-negative', 'with the categoryId -1', { categoryId: -1n }],
    ['category-least', 'with the categoryId -2^63', { categoryId: minInt64 }],
  ),
  ...under('new-pet.status.null', ['status-null', 'with the status null', { status: null }]),
  ...under('new-pet.extra', ['member-extra', 'with the member colour', { colour: 'red' }]),
  ...under(
    'new-pet.category.spelling',
    ['category-point-zero', 'with the categoryId written like 1.0', spelled('.0')],
    ['category-exponent', 'with the categoryId written like 1e0', spelled('e0')],
  ),
  ...under('create.repeated-member', [
    ...(['name-twice', 'with two members name; the last one counts as sent', twoNames] as const),
  ]),
  ...under(
    'service.media-type',
    ['media-type-text', 'as text/plain', typed([json[0], 'text/plain'])],
    ['media-type-none', 'without Content-Type', typed()],
  ),
  ...under('new-pet.name.extreme', [
    ...(['name-lone-surrogate', 'with a lone surrogate in the name', loneSurrogate, true] as const),
  ]),
]

/** A name that UTF-8 cannot express may be stored, and then fail each response that has it. */
const surrogateListed = row('list', {
  ...{ id: 'create-lone-surrogate-list-200', requirement: 'list.success' },
  ...{ sentBy: ['create-name-lone-surrogate'], needs: { stage: 'hazards', allow: ['write'] } },
  values: [
    [
      'of the status of a pet with a lone surrogate in its name',
      ({ knownPets }) =>
        listPets({ limit: 100, status: String(knownPets.creations.at(-1)?.sent.status ?? 'sold') }),
    ],
  ],
})

const defaultStatus = observe({
  id: 'create-status-default',
  requirement: 'gap.default-status',
  sentBy: ['create-status-omitted-201'],
  needs: { ...creating, stage: 'reads' },
  sends: 'No requests: it looks at all pets of the run that were created without a status.',
  records: 'The status of these pets, or that they have none.',
  inconclusive: 'no pet was created without a status',
  run: async (context) => {
    const { creations } = context.knownPets
    const without = creations.filter(({ sent }) => !Object.hasOwn(sent, 'status'))
    if (without.length === 0) throw noPet(context, 'was created without a status')
    const found = new Set(without.map(({ pet }) => describeStatus(pet, 'absent')))
    return [...found].sort().join(' or ')
  },
})

export const createOpen = [...opened, defaultStatus, surrogateListed]

/** Clauses judge that it is another pet. */
const twice = row('create', {
  ...{ id: 'create-equal-bodies-201', requirement: 'create.twice' },
  fails: 'Any status other than 201.',
  needs: { stage: 'creations', allow: ['write'] },
  values: [
    [
      'with the body of an earlier one, and the same key',
      ({ history }) => {
        const last = history.exchanges.findLast(
          (one) => one.key !== null && isSuccess(one) && recognizeOperation(one) === 'create',
        )
        if (!last) throw new Untested('blocked', 'no creation was served yet')
        return withKey(createPet(last.apiRequest.body), last.key)
      },
    ],
  ],
})

/** Where the largest id is taken, a server that counts on from it creates no pet any more. */
const farId: Make = ({ seed, newPet }) => createPet(newPet({ id: unlikelyIds(seed, 1)[0] ?? 0n }))

const takenId: Make = (context) => {
  const id = someId(context)
  if (context.knownPets.isRepeated(id)) {
    throw new Untested('blocked', `two creations got the id ${id}`)
  }
  return createPet(context.newPet({ id }))
}

/** Each refused creation had a name of its own, or a category, including those without a key. */
const afterRefusals = row('list', {
  ...{ id: 'list-after-refusals-200', requirement: 'list.success' },
  fails: 'Any status other than 200.',
  sentBy: ['create-other-fault-400', 'create-name-number-400', 'create-name-missing-400'],
  needs: { stage: 'refusals', allow: ['write'] },
  values: [
    [
      'of a hundred pets after the creations that were refused',
      ({ knownPets }) => {
        const last = knownPets.refusals.findLast(({ exchange }) => exchange.key !== null)
        if (!last) throw new Untested('blocked', 'no creation was refused yet')
        return withKey(listPets({ limit: 100 }), last.exchange.key)
      },
    ],
  ],
})

export const create: readonly AnyCheck[] = [
  ...createFaults,
  ...createHazards,
  ...createValid,
  twice,
  ...under(
    'pet.id.sent',
    ['id-sent', 'with an id that no pet has, by the seed', farId, true],
    ['id-taken', 'with an id of an existing pet', takenId],
  ),
  afterRefusals,
  ...createOpen,
]

// The published interface description, if its address is configured: what it states, as facts that
// are read from it and from the document of the interface.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check, observe } from '../engine/check/declare.ts'
import { type Json, printJson } from '../history/json.ts'
import { Untested, Violation } from '../history/outcome.ts'
import { short, violate } from '../model/clause.ts'
import { readOpenapi } from '../spec/openapi.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import {
  asDocument,
  asList,
  asNode,
  collectValues,
  expectAllRead,
  expectRead,
  findOperation,
  findParameter,
  isSecuredByBearer,
  judgeEach,
  listOperations,
  listPaths,
  markersIn,
  type Node,
  type OperationId,
  operationIds,
  operationNamed,
  readNode,
  schemaOf,
} from './description/document.ts'

/** A document need not describe it. */
const undescribed = Symbol('undescribed')

export interface Fact {
  readonly about: string
  /** @throws Untested if it is in another document, or its operation is missing */
  readonly read: (document: Node) => unknown
}

const ofOperation = (
  id: OperationId,
  about: string,
  read: (operation: Node, document: Node) => unknown,
): Fact => ({
  about: `${about} of ${id}`,
  read: (document) => read(operationNamed(document, id).operation, document),
})

/** The inclusive bound of an integer, also where it is given as an exclusive one. */
const boundOf = (schema: Node, side: 'minimum' | 'maximum'): unknown => {
  const [name, inward] = side === 'minimum' ? ['exclusiveMinimum', 1] : ['exclusiveMaximum', -1]
  const exclusive = schema[name] === true ? schema[side] : schema[name]
  const isNumber = typeof exclusive === 'number' || typeof exclusive === 'bigint'
  return isNumber ? Number(exclusive) + inward : schema[side]
}

const ofParameter = (id: OperationId, place: 'query' | 'path', name: string) => {
  const find = (document: Node) => findParameter(document, id, place, name)
  const ofSchema = (about: string, read: (schema: Node, document: Node) => unknown): Fact => ({
    about: `${about} of ${name}`,
    read: (document) => {
      const { schema, content } = find(document)
      const [media] = Object.values(asNode(content))
      return read(schemaOf(document, schema ?? readNode(document, media).schema), document)
    },
  })
  return {
    required: { about: `required of ${name}`, read: (one: Node) => find(one).required === true },
    type: ofSchema('type', ({ type }) => {
      const types = asList([type].flat()).filter((each) => each !== 'null')
      return types.length > 1 ? types : types[0]
    }),
    format: ofSchema('format', ({ format }) => format),
    minimum: ofSchema('minimum', (schema) => boundOf(schema, 'minimum')),
    maximum: ofSchema('maximum', (schema) => boundOf(schema, 'maximum')),
    // Some generators write a default as a string, and null where there is none.
    default: ofSchema(
      'default',
      (schema) => (schema.default ?? undefined) && String(schema.default),
    ),
    values: ofSchema('values', (schema, document) =>
      [...new Set(collectValues(document, schema).map(String))].sort(),
    ),
  }
}

/** The paths may begin with a prefix, such as the name of the service. */
const operationsUnder = (name: string): Fact => ({
  about: `operations under ${name}`,
  read: (document) => {
    const paths = listPaths(document)
    const [prefix = ''] = paths.flatMap(({ path }) => /^(.*\/v1)\/pets\/?$/.exec(path)?.[1] ?? [])
    const under = paths.filter(({ path }) => {
      const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
      return below.toLowerCase().split('/').includes(name)
    })
    const operations = under.flatMap((path) => listOperations(document, path))
    if (operations.length === 0) for (const { item } of under) expectRead(item)
    return operations.map(({ method, path }) => `${method} ${path}`)
  },
})

/** Any format of its integer is legal. */
const { format: _, ...limit } = ofParameter('listPets', 'query', 'limit')
const status = ofParameter('listPets', 'query', 'status')
const petId = ofParameter('getPet', 'path', 'petId')

/** The facts by the id of the check that compares them. */
const facts = {
  'version-1-0-0': [{ about: 'info.version', read: (one) => readNode(one, one.info).version }],
  'tag-animals': operationIds.map((id) =>
    ofOperation(id, 'tags', ({ tags }) => (asList(tags).includes('animals') ? ['animals'] : tags)),
  ),
  'operation-ids': operationIds.map((id) => ({
    about: `the operation ${id}, operationId`,
    read: (document) => {
      const found = findOperation(document, id)
      return found ? found.operation.operationId : 'no operation with its method and path'
    },
  })),
  'limit-bounds': Object.values(limit),
  'status-values': [status.values],
  'pet-id-int64': [petId.type, petId.format],
  'get-deprecated': [ofOperation('getPet', 'deprecated', ({ deprecated }) => deprecated)],
  'scheme-bearer': operationIds.map((id) =>
    ofOperation(id, 'security', (operation, document) =>
      isSecuredByBearer(document, operation)
        ? 'HTTP bearer'
        : (operation.security ?? document.security),
    ),
  ),
  'no-group-operation': [operationsUnder('store'), operationsUnder('animals')],
  'no-publishing-operation': [operationsUnder('domains'), operationsUnder('projects')],
  'as-interface': [
    ...[status.required, status.default, petId.required, petId.default, petId.values],
    ofOperation('createPet', 'required members', ({ requestBody }, document) => {
      const content = Object.entries(asNode(readNode(document, requestBody).content))
      const [, media] = content.find(([type]) => /json/i.test(type)) ?? []
      const { properties, required } = schemaOf(document, readNode(document, media).schema)
      if (Object.keys(asNode(properties)).length === 0) return undescribed
      return asList(required).map(String).sort()
    }),
  ],
} satisfies Readonly<Record<string, readonly Fact[]>>

/** The only check that fails if there is no document. */
const failsWithoutDocument = 'version-1-0-0'

const documentFor = async (id: string, { description }: Context): Promise<Node> => {
  try {
    return asDocument(await description())
  } catch (error) {
    if (!(error instanceof Violation) || id === failsWithoutDocument) throw error
    const check = `description-${failsWithoutDocument}`
    const message = `the description is not an OpenAPI document: see ${check}`
    throw new Untested('blocked', message)
  }
}

const shared = {
  needs: { stage: 'unauthenticated', description: true },
  sends: 'A GET of the document at the address of `--description`, once per run, without a key.',
  inconclusive:
    'the document is not served, is longer than 1 MiB, takes too long to resolve, is ' +
    'not OpenAPI 3, or lacks the operation (blocked); it refers to another document, which is ' +
    'never fetched (ambiguous)',
} as const

const print = (value: unknown): string =>
  value === undefined ? 'nothing' : printJson(value as Json)

/** Compares facts with those of the interface's own document. */
const compare = (own: readonly Fact[], document: Node): void => {
  const ofInterface = readOpenapi() as unknown as Node
  judgeEach(own, ({ about, read }) => {
    const found = read(document)
    const expected = print(read(ofInterface))
    if (found === undescribed || print(found) === expected) return
    violate(`${about}: ${expected}`, short(print(found)))
  })
}

const compared = (
  id: keyof typeof facts,
  requirement: BindingRequirementId,
  fails: string,
): AnyCheck =>
  check({
    ...shared,
    id: `description-${id}`,
    requirement,
    fails,
    run: async (context) => compare(facts[id], await documentFor(id, context)),
  })

const judgeStability = (document: Node): void => {
  for (const [id, value] of markersIn(document)) {
    const isKnown = value === 'experimental' || value === 'beta'
    if (!isKnown) violate(`x-stability of ${id} experimental or beta`, short(print(value)))
  }
  expectAllRead(document)
}

export const description: readonly AnyCheck[] = [
  compared(
    failsWithoutDocument,
    'version.description',
    '`info.version` is not 1.0.0, or there is no OpenAPI document at the address.',
  ),
  compared(
    'tag-animals',
    'service.tag',
    'One of the three operations is not under the tag `animals`.',
  ),
  compared(
    'operation-ids',
    'service.operation-ids',
    'An operation is missing, or has another id than `listPets`, `createPet` or `getPet`.',
  ),
  compared(
    'limit-bounds',
    'bounds.limit',
    '`limit` is required, not an integer, only some values, or lacks the bounds 1 and 100 ' +
      '(inclusive or exclusive) or the default 20.',
  ),
  compared(
    'status-values',
    'pet-status.values',
    '`status` has other values than `available`, `pending` and `sold`.',
  ),
  compared('pet-id-int64', 'get.id-parameter', '`petId` is not an integer with the format int64.'),
  compared('get-deprecated', 'get.deprecated', '`getPet` is not marked `deprecated: true`.'),
  compared(
    'scheme-bearer',
    'auth.scheme',
    'An operation does not require the security scheme HTTP bearer.',
  ),
  compared(
    'as-interface',
    'version.description',
    'What no other check compares with the document of the interface: the required members of ' +
      'createPet; whether `status` and `petId` are required, their defaults and the values of ' +
      '`petId`.',
  ),
  check({
    ...shared,
    id: 'description-stability-values',
    requirement: 'service.stability',
    fails: 'A marker `x-stability` is neither `experimental` nor `beta`.',
    run: async (context) => judgeStability(await documentFor('stability-values', context)),
  }),
  compared(
    'no-group-operation',
    'service.groups',
    'There is an operation under `store` or `animals`.',
  ),
  compared(
    'no-publishing-operation',
    'publishing.no-operation',
    'There is an operation under `domains` or `projects`.',
  ),

  observe({
    ...shared,
    id: 'description-stability',
    requirement: 'service.stability-which',
    records: 'Which operations carry which marker.',
    run: async (context) => {
      const document = await documentFor('stability', context)
      expectAllRead(document)
      return (
        markersIn(document)
          .map(([id, value]) => `${id} ${value}`)
          .join(', ') || 'none'
      )
    },
  }),
]

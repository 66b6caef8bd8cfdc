// The published interface description, if its address is configured: what it states, as facts that
// are read from it and from the document of the interface.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check, observe } from '../engine/check/declare.ts'
import { expectEach } from '../engine/check/findings.ts'
import { type Json, printJson } from '../history/json.ts'
import { Untested, Violation } from '../history/outcome.ts'
import { short, violateAs } from '../model/clause.ts'
import { readOpenapi } from '../spec/openapi.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import {
  asList,
  asNode,
  collectValues,
  findOperation,
  findParameter,
  isSecuredByBearer,
  type Node,
  type OperationId,
  openDocument,
  operationIds,
  operationNamed,
  operationsAt,
  pathsOf,
  schemaOf,
} from './description/document.ts'

/** What is read, in words; reading throws Untested where its operation is missing. */
type Fact = readonly [about: string, read: (document: Node) => unknown]

const ofEach = (
  about: string,
  read: (operation: Node, document: Node) => unknown,
  ids: readonly OperationId[] = operationIds,
): readonly Fact[] =>
  ids.map((id) => [
    `${about} of ${id}`,
    (document) => read(operationNamed(document, id).operation, document),
  ])

/** The inclusive bound of an integer, also where it is given as an exclusive one. */
const boundOf = (schema: Node, side: 'minimum' | 'maximum'): unknown => {
  const [name, inward] = side === 'minimum' ? ['exclusiveMinimum', 1] : ['exclusiveMaximum', -1]
  const exclusive = schema[name] === true ? schema[side] : schema[name]
  const isNumber = typeof exclusive === 'number' || typeof exclusive === 'bigint'
  return isNumber ? Number(exclusive) + inward : schema[side]
}

const ofParameter = (id: OperationId, place: 'query' | 'path', name: string) => {
  const ofSchema = (about: string, read: (schema: Node) => unknown): Fact => [
    `${about} of ${name}`,
    (document) => {
      const { schema, content } = findParameter(document, id, place, name)
      const [media] = Object.values(asNode(content))
      return read(schemaOf(schema ?? asNode(media).schema))
    },
  ]
  const required: Fact = [
    `required of ${name}`,
    (document) => findParameter(document, id, place, name).required === true,
  ]
  return {
    required,
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
    values: ofSchema('values', (schema) => [...new Set(collectValues(schema).map(String))].sort()),
  }
}

/** The paths may begin with a prefix, such as the name of the service. */
const operationsUnder = (name: string): Fact => [
  `operations under ${name}`,
  (document) => {
    const paths = pathsOf(document)
    const [prefix = ''] = paths.flatMap((path) => /^(.*\/v1)\/pets\/?$/.exec(path)?.[1] ?? [])
    const under = paths.filter((path) => {
      const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
      return below.toLowerCase().split('/').includes(name)
    })
    return under.flatMap((path) => operationsAt(document, path))
  },
]

const markerOf = (operation: Node): unknown => operation['x-stability']

const unknownMarkerOf = (operation: Node): unknown =>
  ['experimental', 'beta'].includes(String(markerOf(operation))) ? undefined : markerOf(operation)

const requiredMembers = ({ requestBody }: Node): readonly string[] => {
  const content = Object.entries(asNode(asNode(requestBody).content))
  const [, media] = content.find(([type]) => /json/i.test(type)) ?? []
  const { properties, required } = schemaOf(asNode(media).schema)
  // A document need not describe them.
  if (Object.keys(asNode(properties)).length === 0) return ['categoryId', 'name']
  return asList(required).map(String).sort()
}

/** Whether a member of the document, if it is given at all, refers to something. */
const isThere = (node: Node, member: string): boolean =>
  !(member in node) || node[member] !== undefined

/** A response need not describe a body. */
const isDescribed = (response: unknown): boolean => {
  const media = Object.values(asNode(asNode(response).content)).map(asNode)
  const isWhole = (each: Node) => isThere(each, 'schema') && isThere(asNode(each.schema), 'items')
  return response !== undefined && media.every(isWhole)
}

/** Some documents name a range of statuses, or a response to all others. */
const hasSuccess = ({ responses }: Node): true | undefined =>
  Object.entries(asNode(responses)).some(
    ([status, response]) => /^(?:2|default$)/i.test(status) && isDescribed(response),
  ) || undefined

const securityOf = (operation: Node, document: Node): unknown =>
  isSecuredByBearer(document, operation) ? 'HTTP bearer' : (operation.security ?? document.security)

const idOf = (id: OperationId): Fact => [
  `the operation ${id}, operationId`,
  (document) => {
    const found = findOperation(document, id)
    return found ? found.operation.operationId : 'no operation with its method and path'
  },
]

/** Any format of its integer is legal. */
const { format: _, ...limit } = ofParameter('listPets', 'query', 'limit')
const status = ofParameter('listPets', 'query', 'status')
const petId = ofParameter('getPet', 'path', 'petId')

/** The only check that fails if there is no document. */
const failsWithoutDocument = 'version-1-0-0'

/** By the ends of ids: what a check compares with the document of the interface. */
const compared: Readonly<Record<string, readonly [BindingRequirementId, ...Fact[]]>> = {
  [failsWithoutDocument]: [
    'version.description',
    ['info.version', ({ info }) => asNode(info).version],
  ],
  'tag-animals': [
    'service.tag',
    ...ofEach('tags', ({ tags }) => (asList(tags).includes('animals') ? ['animals'] : tags)),
  ],
  'operation-ids': ['service.operation-ids', ...operationIds.map(idOf)],
  'limit-bounds': ['bounds.limit', ...Object.values(limit)],
  'status-values': ['pet-status.values', status.values],
  'pet-id-int64': ['get.id-parameter', petId.type, petId.format],
  'get-deprecated': [
    'get.deprecated',
    ...ofEach('deprecated', ({ deprecated }) => deprecated, ['getPet']),
  ],
  'scheme-bearer': ['auth.scheme', ...ofEach('security', securityOf)],
  // What no other check compares.
  'as-interface': [
    'version.description',
    ...[status.required, status.default, petId.required, petId.default, petId.values],
    ...ofEach('required members', requiredMembers, ['createPet']),
    ...ofEach('a described success', hasSuccess),
  ],
  'stability-values': [
    'service.stability',
    ...ofEach('x-stability other than experimental and beta', unknownMarkerOf),
  ],
  'no-group-operation': ['service.groups', ...['store', 'animals'].map(operationsUnder)],
  'no-publishing-operation': [
    'publishing.no-operation',
    ...['domains', 'projects'].map(operationsUnder),
  ],
}

const documentFor = async (id: string, { description }: Context): Promise<Node> => {
  try {
    return openDocument(await description())
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
const compare = (facts: readonly Fact[], document: Node): Promise<void> => {
  const ofInterface = openDocument(readOpenapi())
  return expectEach(facts, async ([about, read]) => {
    const found = print(read(document))
    const expected = print(read(ofInterface))
    if (found === expected) return
    violateAs({ aspect: 'behaviour', name: about }, `${about}: ${expected}`, short(found))
  })
}

const stability = observe({
  ...shared,
  id: 'description-stability',
  requirement: 'service.stability-which',
  records: 'Which of the three operations carry which marker.',
  run: async (context) => {
    const document = await documentFor('stability', context)
    const marked = operationIds.flatMap((id) => {
      const marker = markerOf(operationNamed(document, id).operation)
      return marker === undefined ? [] : [`${id} ${marker}`]
    })
    return marked.join(', ') || 'none'
  },
})

export const description: readonly AnyCheck[] = [
  ...Object.entries(compared).map(([id, [requirement, ...facts]]) =>
    check({
      ...{ ...shared, id: `description-${id}`, requirement },
      fails:
        'Not as in the document of the interface, or in another form of OpenAPI that says the ' +
        `same: ${facts.map(([about]) => about).join(', ')}.` +
        (id === failsWithoutDocument ? ' Or there is no OpenAPI document at the address.' : ''),
      run: async (context) => compare(facts, await documentFor(id, context)),
    }),
  ),
  stability,
]

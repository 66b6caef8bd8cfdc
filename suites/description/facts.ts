// What a description states, as facts: one reading for the document of the interface and for a
// published one. A fact whose part of the document is in another one is untested.

import {
  asList,
  asNode,
  collectValues,
  expectRead,
  findOperation,
  findParameter,
  isSecuredByBearer,
  listOperations,
  listPaths,
  type Node,
  type OperationId,
  operationIds,
  operationNamed,
  readNode,
  schemaOf,
} from './document.ts'

/** A document need not describe it. */
export const undescribed = Symbol('undescribed')

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
export const facts = {
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

// The description: our own document is right, also as 3.0, each planted fault is found, and what
// generators write is not failed for how it says what it says.
import { describe, expect, test } from 'vitest'
import type { Context } from '../engine/context.ts'
import { Untested, type Violation } from '../engine/outcome.ts'
import { readOpenapi } from '../spec/openapi.ts'
import { resolve } from './description/document.ts'
import { description as list } from './description.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is changed at any depth.
type Loose = any

const own = (): Loose => structuredClone(readOpenapi())

/** What a check ends with: the violation, why it is untested, or what it observed. */
const outcomeOf = async (id: string, document: unknown): Promise<string> => {
  const found = list.find((each) => each.id === `description-${id}`)
  if (!found || found.kind === 'invariant') throw new Error(`there is no check ${id}`)
  const context = { description: async () => document } as Partial<Context> as Context
  try {
    return (await found.run(context)) ?? 'pass'
  } catch (error) {
    if (error instanceof Untested) return `untested: ${error.because}`
    return `fail: ${(error as Violation).message}`
  }
}

const limitOf = (document: Loose) => document.paths['/pets'].get.parameters[0]
const listOf = (document: Loose) => document.paths['/pets'].get

type Fault = readonly [id: string, plant: (document: Loose) => unknown, says: string]

const faults: readonly Fault[] = [
  ['version-1-0-0', (one) => delete one.info, 'actual: nothing'],
  ['operation-ids', (one) => delete one.paths['/pets'].post, 'the operation createPet'],
  ['limit-bounds', (one) => Object.assign(limitOf(one), { required: true }), 'not required'],
  ['limit-bounds', (one) => Object.assign(limitOf(one), { in: 'header' }), 'the query parameter'],
  ['scheme-bearer', (one) => Object.assign(listOf(one), { security: [{}] }), 'listPets secured'],
  [
    'scheme-bearer',
    (one) => Object.assign(one.components.securitySchemes.apiKey, { scheme: 'basic' }),
    'HTTP bearer',
  ],
]

test.for(faults)('%s is violated: %2$s', async ([id, plant, says]) => {
  const document = own()
  plant(document)
  expect(await outcomeOf(id, document)).toMatch(/^fail: /)
  expect(await outcomeOf(id, document)).toContain(says)
})

describe('other content than an OpenAPI document', () => {
  const judgeAll = async (document: unknown) => {
    const ends = list.map(async ({ id }) => [id, await outcomeOf(id.slice(12), document)] as const)
    return (await Promise.all(ends)).filter(([, end]) => !end.startsWith('untested: '))
  }

  test.for([undefined, [], { info: { version: '1.0.0' } }, '<p>'])(
    '%j is one fault',
    async (one) => {
      const says = 'fail: expected an OpenAPI document; actual: a document without `openapi`'
      expect(await judgeAll(one)).toEqual([['description-version-1-0-0', says]])
    },
  )

  test.for([{ swagger: '2.0' }, { openapi: '4.0.0' }])('%j is untested', async (one) => {
    expect(await judgeAll(one)).toEqual([])
  })
})

test('a circular reference ends, and so does one to another document', () => {
  const circle = { a: { $ref: '#/a' }, out: { $ref: 'https://example.com/x' } }
  expect(resolve(circle, circle.a)).toEqual({})
  expect(resolve(circle, circle.out)).toEqual(circle.out)
})

const checks = list.filter(({ kind }) => kind === 'check').map(({ id }) => id.slice(12))

type Members = Readonly<Record<string, unknown>>

interface Parts {
  readonly openapi: string
  readonly pets: string
  readonly byId: string
  readonly limit: unknown
  readonly status: unknown
  readonly scheme: string
  readonly more?: Members
  readonly schemas?: Members
}

/** A document of the three operations, with what a generator writes in its own way. */
const documentOf = (parts: Parts): Members => {
  const operation = (operationId: string, more: Members) => ({
    tags: ['animals'],
    operationId,
    responses: { 200: { description: 'OK' }, 422: { description: 'Validation Error' } },
    ...more,
  })
  const [name] = /\{[^}]+\}/.exec(parts.byId) ?? []
  const id = {
    name: name?.slice(1, -1),
    in: 'path',
    required: true,
    schema: { type: 'integer', format: 'int64' },
  }
  return {
    openapi: parts.openapi,
    info: { title: 'IdentifiedPet Store', version: '1.0.0' },
    security: [{ [parts.scheme]: [] }],
    paths: {
      [parts.pets]: {
        get: operation('listPets', { parameters: [parts.limit, parts.status] }),
        post: operation('createPet', {}),
      },
      [parts.byId]: { get: operation('getPet', { parameters: [id], deprecated: true }) },
    },
    components: {
      schemas: {
        PetStatus: { type: 'string', enum: ['available', 'pending', 'sold'] },
        ...parts.schemas,
      },
      securitySchemes: { [parts.scheme]: { type: 'http', scheme: 'bearer' } },
    },
    ...parts.more,
  }
}

const status = { $ref: '#/components/schemas/PetStatus' }
const query = (name: string, schema: unknown, more: Members = {}) => ({
  name,
  in: 'query',
  schema,
  ...more,
})
const bounds = { type: 'integer', minimum: 1, maximum: 100, default: 20 }
const words = ['available', 'pending', 'sold']

const usual: Parts = {
  openapi: '3.0.3',
  pets: '/pets',
  byId: '/pets/{petId}',
  limit: query('limit', bounds),
  status: query('status', status),
  scheme: 'bearerAuth',
}

const servers = [{ url: 'http://localhost:8080/v1', description: 'Generated' }]

const samples: Readonly<Record<string, Parts>> = {
  springdoc: {
    ...usual,
    openapi: '3.0.1',
    limit: query('limit', { ...bounds, format: 'int32', default: '20' }, { required: false }),
    status: query('status', { type: 'string', enum: words }),
    more: { servers },
  },
  NSwag: {
    ...usual,
    openapi: '3.0.0',
    limit: query('limit', { ...bounds, format: 'int32', nullable: true }, { 'x-position': 1 }),
    status: query('status', { nullable: true, oneOf: [status] }),
    scheme: 'Bearer',
    more: { 'x-generator': 'NSwag v14', servers },
  },
  Swashbuckle: {
    ...usual,
    openapi: '3.0.4',
    status: query('status', { allOf: [status], nullable: true }),
    schemas: { PetStatus: { enum: [...words, null], type: 'string', nullable: true } },
  },
  'fastify with TypeBox': {
    ...usual,
    pets: '/v1/pets/',
    byId: '/v1/pets/{petId}',
    status: query('status', { anyOf: words.map((one) => ({ type: 'string', enum: [one] })) }),
  },
}

test.for(Object.entries(samples))('of %s', async ([, parts]) => {
  for (const id of checks)
    expect([id, await outcomeOf(id, documentOf(parts))]).toEqual([id, 'pass'])
})

describe('references within the document', () => {
  const plain = documentOf(usual)
  const { paths } = plain as unknown as { paths: Record<string, Members> }
  const within: Members = {
    ...plain,
    openapi: '3.1.0',
    paths: {
      '/pets': { $ref: '#/components/pathItems/a~1list%20of%20pets', summary: 'next to it' },
      '/pets/{petId}': { $ref: '#/components/pathItems/other/x-again' },
    },
    components: {
      ...(plain.components as Members),
      pathItems: {
        'a/list of pets': paths['/pets'],
        other: { 'x-again': paths['/pets/{petId}'] },
      },
      parameters: { first: { $ref: '#/components/pathItems/a~1list of pets/get/parameters/0' } },
      schemas: {
        PetStatus: { $ref: '#/components/schemas/Deep/allOf/0' },
        Deep: { allOf: [{ oneOf: words.map((one) => ({ const: one })) }] },
      },
    },
  }

  test('are followed', async () => {
    for (const id of checks) expect([id, await outcomeOf(id, within)]).toEqual([id, 'pass'])
  })

  test('that grow without end, end', async () => {
    const many = Array.from({ length: 50 }, () => status)
    for (const PetStatus of [{ allOf: many }, { anyOf: many }, status]) {
      const endless = documentOf({ ...usual, schemas: { PetStatus } })
      expect(await outcomeOf('status-values', endless)).toMatch(/^fail/)
    }
  })
})

test('a document that is split over files is failed for what is there', async () => {
  const document = documentOf(usual) as { paths: Record<string, Members>; components: Members }
  const external = { $ref: './paths/pets.yaml' }
  const list = { ...document.paths['/pets'], get: { operationId: 'all', 'x-stability': 'alpha' } }
  const one = {
    ...document,
    paths: { '/pets': list, '/pets/{petId}': external, '/store': external },
  }
  for (const id of ['operation-ids', 'tag-animals', 'stability-values']) {
    expect(await outcomeOf(id, one)).toMatch(/^fail/)
  }
  expect(await outcomeOf('no-group-operation', one)).toBe('untested: ambiguous')
})

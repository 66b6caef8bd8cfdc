// Descriptions as generators write them: none is failed for how it says what it says.
import { describe, expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import { Untested, type Violation } from '../../engine/outcome.ts'
import { description as list } from '../description.ts'

const outcomeOf = async (id: string, document: unknown): Promise<string> => {
  const found = list.find((each) => each.id === `description-${id}`)
  if (!found || found.kind === 'invariant') throw new Error(`there is no check ${id}`)
  try {
    return (
      (await found.run({ description: async () => document } as Partial<Context> as Context)) ??
      'pass'
    )
  } catch (error) {
    if (error instanceof Untested) return `untested: ${error.because}`
    return `fail: ${(error as Violation).message}`
  }
}

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

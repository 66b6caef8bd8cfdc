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
  readonly petId: unknown
  readonly scheme: string
  readonly security: 'each' | 'all'
  readonly more?: Members
  readonly schemas?: Members
}

/** A document of the three operations, with what a generator writes in its own way. */
const documentOf = (parts: Parts): Members => {
  const security = { security: [{ [parts.scheme]: [] }] }
  const operation = (operationId: string, more: Members) => ({
    tags: ['animals'],
    operationId,
    responses: { 200: { description: 'OK' }, 422: { description: 'Validation Error' } },
    ...(parts.security === 'each' && security),
    ...more,
  })
  const [name] = /\{[^}]+\}/.exec(parts.byId) ?? []
  const id = { name: name?.slice(1, -1), in: 'path', required: true, schema: parts.petId }
  return {
    openapi: parts.openapi,
    info: { title: 'IdentifiedPet Store', version: '1.0.0' },
    ...(parts.security === 'all' && security),
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
const int64 = { type: 'integer', format: 'int64' }
const words = ['available', 'pending', 'sold']

const usual: Parts = {
  openapi: '3.0.3',
  pets: '/pets',
  byId: '/pets/{petId}',
  limit: query('limit', bounds),
  status: query('status', status),
  petId: int64,
  scheme: 'bearerAuth',
  security: 'all',
}

const optional = (schema: Members, more = {}) => ({ anyOf: [schema, { type: 'null' }], ...more })
const { default: _, ...bounded } = bounds
const servers = [{ url: 'http://localhost:8080/v1', description: 'Generated' }]

const samples: Readonly<Record<string, Parts>> = {
  FastAPI: {
    ...usual,
    openapi: '3.1.0',
    pets: '/v1/pets',
    byId: '/v1/pets/{pet_id}',
    limit: query('limit', optional(bounded, { default: 20 }), { required: false }),
    status: query('status', optional(status)),
    petId: { ...int64, title: 'Pet Id' },
    scheme: 'HTTPBearer',
    security: 'each',
  },
  'FastAPI with a router': { ...usual, openapi: '3.1.0', pets: '/v1/pets/', security: 'each' },
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
  'zod-openapi': {
    ...usual,
    openapi: '3.1.0',
    limit: query('limit', { ...bounded, exclusiveMinimum: 0, minimum: undefined, default: 20 }),
    status: query('status', { anyOf: words.map((one) => ({ type: 'string', const: one })) }),
    petId: { ...int64, minimum: -(2 ** 63), maximum: 2 ** 63 },
  },
  'a prefix': { ...usual, pets: '/animals/v1/pets', byId: '/animals/v1/pets/{petId}' },
}

describe.each(Object.entries(samples))('of %s', (_name, parts) => {
  test.for(checks)('%s holds', async (id) => {
    expect(await outcomeOf(id, documentOf(parts))).toBe('pass')
  })
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

  test.for(checks)('are followed for %s', async (id) => {
    expect(await outcomeOf(id, within)).toBe('pass')
  })

  test('that grow without end, end', async () => {
    const many = Array.from({ length: 50 }, () => status)
    for (const PetStatus of [{ allOf: many }, { anyOf: many }, status]) {
      const endless = documentOf({ ...usual, schemas: { PetStatus } })
      expect(await outcomeOf('status-values', endless)).toMatch(/^fail/)
    }
  })
})

describe('a document that is split over files', () => {
  const document = documentOf(usual) as { paths: Record<string, Members>; components: Members }
  const external = { $ref: './paths/pets.yaml' }
  const split: readonly (readonly [string, Members, readonly string[]])[] = [
    [
      'by paths',
      {
        ...document,
        paths: { '/pets': external, '/pets/{petId}': { $ref: 'https://127.0.0.1:9/x' } },
      },
      ['version-1-0-0', 'no-group-operation', 'no-publishing-operation'],
    ],
    ['as a whole', { ...document, info: external, paths: external }, []],
    [
      'by schemas',
      documentOf({
        ...usual,
        limit: query('limit', external),
        status: query('status', { anyOf: [external, { const: 'sold' }] }),
        petId: { allOf: [external] },
      }),
      checks.filter((id) => !['limit-bounds', 'status-values', 'pet-id-int64'].includes(id)),
    ],
    [
      'by parameters',
      documentOf({ ...usual, limit: external, status: { $ref: 'parameters.yaml#/status' } }),
      checks.filter((id) => !['limit-bounds', 'status-values'].includes(id)),
    ],
    [
      'by security schemes',
      {
        ...document,
        components: { ...document.components, securitySchemes: { bearerAuth: external } },
      },
      checks.filter((id) => id !== 'scheme-bearer'),
    ],
  ]

  test.for(split)('%s is judged as far as it is there', async ([, one, decided]) => {
    const ends = await Promise.all(
      checks.map(async (id) => [id, await outcomeOf(id, one)] as const),
    )
    const passed = ends.filter(([, end]) => end === 'pass').map(([id]) => id)
    expect(passed).toEqual(decided)
    const rest = ends.filter(([id]) => !decided.includes(id)).map(([, end]) => end)
    expect(new Set(rest)).toEqual(new Set(rest.length > 0 ? ['untested: ambiguous'] : []))
  })

  test('is failed for what is there', async () => {
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
})

// The description: what generators write is not failed for how it says what it says, references are
// followed, and what is no such document is one fault.
import { describe, expect, test } from 'vitest'
import type { Context } from '../engine/check/context.ts'
import { Untested, type Violation } from '../history/outcome.ts'
import { readOpenapi } from '../spec/openapi.ts'
import { description as list } from './description.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is changed at any depth.
type Loose = any

const own = (): Loose => structuredClone(readOpenapi())

/** What a check ends with: the violation, why it is untested, or what it observed. */
const outcomeOf = async (id: string, document: unknown): Promise<string> => {
  const found = list.find((each) => each.id === `description-${id}`)
  if (!found || found.kind === 'clause') throw new Error(`there is no check ${id}`)
  const context = { description: async () => document } as Partial<Context> as Context
  try {
    return (await found.run?.(context, 0)) ?? 'pass'
  } catch (error) {
    if (error instanceof Untested) return `untested: ${error.because}`
    return `fail: ${(error as Violation).message}`
  }
}
const listOf = (document: Loose) => document.paths['/pets'].get

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

const checks = list.filter(({ kind }) => kind === 'check').map(({ id }) => id.slice(12))

type Members = Readonly<Record<string, unknown>>

interface Parts {
  readonly pets?: string
  readonly byId?: string
  readonly limit?: unknown
  readonly status?: unknown
  readonly schemas?: Members
}

const query = (name: string, schema: unknown) => ({ name, in: 'query', schema })
const words = ['available', 'pending', 'sold']
const bounds = { type: 'integer', minimum: 1, maximum: 100, default: 20 }
const listed = { $ref: '#/components/schemas/PetStatus' }

/** A document of the three operations, with what a generator writes in its own way. */
const documentOf = ({ pets, byId, limit, status, schemas }: Parts): Members => {
  const operation = (operationId: string, more: Members) => ({
    ...{ tags: ['animals'], operationId, ...more },
    responses: { 200: { description: 'OK' }, 422: { description: 'Validation Error' } },
  })
  const id = { ...query('petId', { type: 'integer', format: 'int64' }), in: 'path', required: true }
  const parameters = [query('limit', limit ?? bounds), query('status', status ?? listed)]
  return {
    openapi: '3.0.3',
    info: { title: 'IdentifiedPet Store', version: '1.0.0' },
    security: [{ bearerAuth: [] }],
    paths: {
      [pets ?? '/pets']: {
        get: operation('listPets', { parameters }),
        post: operation('createPet', {}),
      },
      [byId ?? '/pets/{petId}']: {
        get: operation('getPet', { parameters: [id], deprecated: true }),
      },
    },
    components: {
      schemas: { PetStatus: { type: 'string', enum: words }, ...schemas },
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
    },
  }
}

const ofOneWord = words.map((one) => ({ type: 'string', enum: [one] }))
const withNull = { enum: [...words, null], type: 'string', nullable: true }

test.for<[string, Parts]>([
  [
    'springdoc',
    {
      limit: { ...bounds, exclusiveMaximum: false, default: '20' },
      status: { ...listed, default: null },
    },
  ],
  ['NSwag', { limit: { ...bounds, nullable: true }, status: { nullable: true, oneOf: [listed] } }],
  [
    'Swashbuckle',
    { status: { allOf: [listed], nullable: true }, schemas: { PetStatus: withNull } },
  ],
  ['TypeBox', { pets: '/v1/pets/', byId: '/v1/pets/{petId}', status: { anyOf: ofOneWord } }],
  ['a JSON serializer', { limit: { type: 'integer', minimum: 1n, maximum: 100n, default: 20n } }],
])('a document as %s writes it passes', async ([, parts]) => {
  for (const id of checks)
    expect([id, await outcomeOf(id, documentOf(parts))]).toEqual([id, 'pass'])
})

describe('references within the document', () => {
  const plain = documentOf({})
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
    const many = Array.from({ length: 50 }, () => listed)
    for (const PetStatus of [{ allOf: many }, { anyOf: many }]) {
      const endless = documentOf({ schemas: { PetStatus } })
      expect(await outcomeOf('status-values', endless)).toBe('untested: blocked')
    }
  })

  test.for([
    ['itself', '#/components/responses/First'],
    ['one that refers back', '#/components/responses/Second'],
    ['nothing', '#/components/responses/Third'],
    ['a part of itself', '#/components/responses/First/content'],
  ])('to a response that refers to %s describe none', async ([, $ref]) => {
    const document = own()
    const back = { $ref: '#/components/responses/First' }
    document.components.responses = { First: { $ref }, Second: back }
    listOf(document).responses = { 200: back }
    const says = 'fail: expected a described success of listPets: true; actual: nothing'
    expect(await outcomeOf('as-interface', document)).toContain(says)
    expect(await outcomeOf('limit-bounds', document)).toBe('pass')
  })

  test('to a schema that refers to itself describe nothing', async () => {
    const circle = documentOf({ schemas: { PetStatus: listed } })
    expect(await outcomeOf('status-values', circle)).toMatch(/^fail: .* actual: \[\]$/)
  })
})

test('a document that is split over files is failed for what is there', async () => {
  const document = documentOf({}) as { paths: Record<string, Members>; components: Members }
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

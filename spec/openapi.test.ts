// The OpenAPI document passes a linter, and says what the interface says.
import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { openapiFile, readOpenapi } from './openapi.ts'

const text = readFileSync(openapiFile, 'utf8')

/** Every rule the linter has, but for those that ask for what the interface does not say. */
const config = await createConfig({
  extends: ['all'],
  rules: {
    'info-contact': 'off', // The interface names nobody.
    'operation-4xx-problem-details-rfc7807': 'off', // Its errors have a shape of their own.
    'required-string-property-missing-min-length': 'off', // It bounds no string.
    'scalar-property-missing-example': 'off', // The examples stand with the bodies.
  },
})

const problems = async (source: string) =>
  (await lintFromString({ source, absoluteRef: openapiFile, config })).map(
    ({ ruleId, message }) => `${ruleId}: ${message}`,
  )

describe('the linter', () => {
  test('finds nothing', async () => {
    expect(await problems(text)).toEqual([])
  })

  test.for([
    ['an unknown tag', 'tags: [animals]', 'tags: [plants]', 'operation-tag-defined'],
    ['a dangling reference', '/schemas/Pets', '/schemas/KnownPets', 'no-unresolved-refs'],
    ['an example of the wrong type', '{ id: 1,', '{ id: one,', 'no-invalid-media-type-examples'],
    ['a misspelt member', 'operationId: getPet', 'operationID: getPet', 'struct'],
  ] as const)('finds %s', async ([, valid, invalid, rule]) => {
    expect(text).toContain(valid)
    const found = await problems(text.replace(valid, invalid))
    expect(found.some((problem) => problem.startsWith(rule))).toBe(true)
  })
})

// The document as plain data, with its references followed where a test needs it.
// biome-ignore lint/suspicious/noExplicitAny: the assertions below are what gives it a shape.
const document = readOpenapi() as any
const { paths, components } = document
const operations = {
  'GET /pets': paths['/pets'].get,
  'POST /pets': paths['/pets'].post,
  'GET /pets/{petId}': paths['/pets/{petId}'].get,
}

// biome-ignore lint/suspicious/noExplicitAny: see above.
const follow = (node: any): any =>
  node.$ref === undefined
    ? node
    : follow(
        node.$ref
          .slice(2)
          .split('/')
          // biome-ignore lint/suspicious/noExplicitAny: see above.
          .reduce((at: any, key: string) => at[key], document),
      )

describe('the document', () => {
  test('is version 1.0.0 and has two addresses, tag `animals` and the bearer scheme', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('1.0.0')
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
      '{base_url}',
      '{staging_base_url}',
    ])
    for (const { url, variables } of document.servers) {
      expect(variables[url.slice(1, -1)].default).toMatch(/\/v1$/)
    }
    expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(['animals'])
    expect(components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
    expect(document.security).toEqual([{ apiKey: [] }])
    expect(document['x-stability-values']).toEqual(['experimental', 'beta'])
  })

  test('has the three operations, and no security or stability of their own', () => {
    expect(Object.keys(paths)).toEqual(['/pets', '/pets/{petId}'])
    expect(Object.keys(paths['/pets'])).toEqual(['get', 'post'])
    expect(Object.keys(paths['/pets/{petId}'])).toEqual(['get'])
    const ids = Object.values(operations).map(({ operationId }) => operationId)
    expect(ids).toEqual(['listPets', 'createPet', 'getPet'])
    for (const operation of Object.values(operations)) {
      expect(operation.tags).toEqual(['animals'])
      expect(operation).not.toHaveProperty('security')
      expect(operation).not.toHaveProperty('x-stability')
    }
  })

  test('marks getPet deprecated, with its end and its replacement, and no other', () => {
    const { deprecated, description, 'x-sunset': sunset } = operations['GET /pets/{petId}']
    expect(deprecated).toBe(true)
    expect(description).toContain('5 December 2030')
    expect(description).toContain('`GET /pets`\nwith the `status` filter')
    expect(sunset).toBe('2030-12-05')
    expect(operations['GET /pets']).not.toHaveProperty('deprecated')
    expect(operations['POST /pets']).not.toHaveProperty('deprecated')
  })

  test('bounds the parameters', () => {
    const [limit, status, ...more] = operations['GET /pets'].parameters
    expect(limit).toMatchObject({ name: 'limit', in: 'query' })
    expect(limit.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
    expect(limit).not.toHaveProperty('required')
    expect(status).toMatchObject({ name: 'status', in: 'query' })
    expect(follow(status.schema).enum).toEqual(['available', 'pending', 'sold'])
    expect(more).toEqual([])
    expect(operations['GET /pets/{petId}'].parameters).toMatchObject([
      { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
    ])
    expect(operations['POST /pets']).not.toHaveProperty('parameters')
  })

  test('requires a JSON body for a creation', () => {
    const { required, content } = operations['POST /pets'].requestBody
    expect(required).toBe(true)
    expect(Object.keys(content)).toEqual(['application/json'])
    expect(content['application/json'].schema.$ref).toBe('#/components/schemas/NewPet')
  })

  test('requires and types the members', () => {
    const { NewPet, Pet, Pets, PetStatus, Error: error } = components.schemas
    expect(NewPet.required).toEqual(['name', 'categoryId'])
    expect(Object.keys(NewPet.properties)).toEqual(['name', 'categoryId', 'status'])
    expect(Pet.required).toEqual(['id', 'name', 'categoryId'])
    expect(Pet.properties).toMatchObject(NewPet.properties)
    expect(Pet.properties.id).toMatchObject({ type: 'integer', format: 'int64' })
    expect(Pet.properties.categoryId).toMatchObject({ type: 'integer', format: 'int64' })
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } })
    expect(PetStatus.enum).toEqual(['available', 'pending', 'sold'])
    expect(error.required).toEqual(['code', 'message', 'status'])
    expect(error.properties.status.type).toBe('integer')
  })
})

describe('the responses', () => {
  test.for([
    ['GET /pets', { 200: 'Pets', 401: 'Error', 429: undefined }],
    ['POST /pets', { 201: 'Pet', 400: 'Error', 401: 'Error', 429: undefined }],
    ['GET /pets/{petId}', { 200: 'Pet', 401: 'Error', 404: 'Error', 429: undefined }],
  ] as const)('of %s are those listed', ([name, bodies]) => {
    const { responses } = operations[name]
    expect(Object.keys(responses)).toEqual(Object.keys(bodies))
    for (const [status, schema] of Object.entries(bodies)) {
      const { content } = follow(responses[status])
      const ref = schema && `#/components/schemas/${schema}`
      expect(content?.['application/json'].schema.$ref).toBe(ref)
    }
  })

  test('all carry the three rate-limit headers, and a 429 Retry-After', () => {
    const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    for (const { responses } of Object.values(operations)) {
      for (const [status, response] of Object.entries(responses)) {
        const { headers } = follow(response)
        expect(Object.keys(headers)).toEqual(status === '429' ? [...limits, 'Retry-After'] : limits)
        for (const header of Object.values(headers)) expect(follow(header).required).toBe(true)
      }
    }
  })
})

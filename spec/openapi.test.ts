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

test('the linter finds nothing wrong', async () => {
  const problems = await lintFromString({ source: text, absoluteRef: openapiFile, config })
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
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
const follow = (node: any): any => {
  const steps: string[] = node.$ref?.split('/').slice(1) ?? []
  return steps.reduce((at, step) => at[step], steps.length > 0 ? document : node)
}

describe('the document', () => {
  test('requires a JSON body for a creation', () => {
    const { required, content } = operations['POST /pets'].requestBody
    expect(required).toBe(true)
    expect(Object.keys(content)).toEqual(['application/json'])
    expect(content['application/json'].schema.$ref).toBe('#/components/schemas/NewPet')
  })

  test('has an example of petId, for tools that need one', () => {
    expect(operations['GET /pets/{petId}'].parameters).toMatchObject([
      { name: 'petId', in: 'path', required: true, example: 1 },
    ])
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

// The description: our own document is right, also as 3.0, and each planted fault is found.
import { describe, expect, test } from 'vitest'
import type { Context } from '../engine/context.ts'
import { Untested, Violation } from '../engine/outcome.ts'
import { readOpenapi } from '../spec/openapi.ts'
import { resolve, schemaOf } from './description/document.ts'
import { description as list } from './description.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is changed at any depth.
type Loose = any

const own = (): Loose => structuredClone(readOpenapi())

const judge = async (id: string, document: unknown): Promise<string> => {
  const found = list.find((each) => each.id === `description-${id}`)
  if (!found || found.kind === 'invariant') throw new Error(`there is no check ${id}`)
  const context = { description: async () => document } as Partial<Context> as Context
  try {
    return (await found.run(context)) ?? 'holds'
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return error.message
  }
}

const limitOf = (document: Loose) => document.paths['/pets'].get.parameters[0]
const listOf = (document: Loose) => document.paths['/pets'].get

type Fault = readonly [id: string, plant: (document: Loose) => unknown, says: string]

const faults: readonly Fault[] = [
  ['version-1-0-0', (one) => delete one.info, 'actual: nothing'],
  ['operation-ids', (one) => delete one.paths['/pets'].post, 'the operation createPet'],
  ['limit-bounds', (one) => Object.assign(limitOf(one).schema, { minimum: 0 }), 'minimum 1'],
  ['limit-bounds', (one) => delete limitOf(one).schema.maximum, 'maximum 100'],
  ['limit-bounds', (one) => Object.assign(limitOf(one).schema, { default: 10 }), 'default 20'],
  ['limit-bounds', (one) => Object.assign(limitOf(one), { required: true }), 'not required'],
  ['limit-bounds', (one) => Object.assign(limitOf(one), { in: 'header' }), 'the query parameter'],
  ['scheme-bearer', (one) => Object.assign(listOf(one), { security: [] }), 'listPets secured'],
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
  expect(await judge(id, document)).toContain(says)
})

describe('other content than an OpenAPI document', () => {
  const judgeAll = async (document: unknown) => {
    const ends = list.map(async ({ id }) => {
      const ended = judge(id.slice(12), document).catch((error) => error)
      return [id, await ended] as const
    })
    const all = await Promise.all(ends)
    return {
      untested: all.filter(([, end]) => end instanceof Untested).length,
      found: all.filter(([, end]) => !(end instanceof Untested)),
    }
  }

  test.for([undefined, [], { info: { version: '1.0.0' } }, '<p>'])(
    '%j is one fault',
    async (one) => {
      const says = 'expected an OpenAPI document; actual: a document without `openapi`'
      const { untested, found } = await judgeAll(one)
      expect(found).toEqual([['description-version-1-0-0', says]])
      expect(untested).toBe(list.length - 1)
    },
  )

  test.for([{ swagger: '2.0' }, { openapi: '4.0.0' }])('%j is untested', async (one) => {
    expect(await judgeAll(one)).toEqual({ untested: list.length, found: [] })
  })
})

test('a circular reference ends, and so does one to another document', () => {
  const circle = { a: { $ref: '#/a' }, out: { $ref: 'https://example.com/x' } }
  expect(resolve(circle, circle.a)).toEqual({})
  expect(schemaOf(circle, circle.out)).toEqual(circle.out)
})

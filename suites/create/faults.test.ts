// Each faulty body has one fault, and only those that are not JSON cannot be parsed.
import { describe, expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import type { ApiRequest } from '../../engine/exchange.ts'
import { type JsonObject, parseJson, printJson } from '../../engine/json.ts'
import { createFaults } from './faults.ts'

const mark = 'petvet-test-'
const valid: JsonObject = { name: `${mark}1`, categoryId: 5n }

/** The body that a check sends. */
const sentBy = async (id: string): Promise<ApiRequest['body']> => {
  let body: ApiRequest['body'] = null
  const context = {
    names: { mark, fresh: () => `${mark}1` },
    newPet: (members: JsonObject = {}) => ({ ...valid, ...members }),
    control: () => Promise.resolve(),
    call: (request: ApiRequest) => {
      body = request.body
      return Promise.reject(new Error('sent'))
    },
  } as unknown as Context
  const run = createFaults.find((fault) => fault.id === id)?.run(context)
  await expect(run).rejects.toThrow('sent')
  return body
}

const bodyOf = async (id: string): Promise<string> => {
  const body = await sentBy(id)
  return body instanceof Uint8Array
    ? new TextDecoder('utf-8', { fatal: true }).decode(body)
    : (body ?? '')
}

const members = createFaults.filter(({ requirement }) => requirement.startsWith('new-pet.'))

describe('one member differs from a valid body', () => {
  test.for(members.map(({ id }) => [id] as const))('%s', async ([id]) => {
    const body = parseJson(await bodyOf(id)) as JsonObject
    const names = new Set([...Object.keys(body), ...Object.keys(valid)])
    const differing = [...names].filter(
      (name) => printJson(body[name] ?? '-') !== printJson(valid[name] ?? '-'),
    )
    expect(differing).toHaveLength(1)
  })
})

const notJson = createFaults.filter(({ requirement }) =>
  ['create.body-json', 'create.strict-json'].includes(requirement),
)

describe('a strict parser refuses', () => {
  test.for(notJson.map(({ id }) => [id] as const))('%s', async ([id]) => {
    await expect(bodyOf(id).then(parseJson)).rejects.toThrow()
  })
})

test('a deep body is JSON with a fault', async () => {
  expect(await bodyOf('create-body-deep-refused')).toMatch(/"name":\[{10000}\]{10000}/)
})

test('a body that is not UTF-8 differs from a valid one in one byte', async () => {
  const body = await sentBy('create-body-invalid-utf8-400')
  const bytes = new TextEncoder().encode(printJson(valid))
  expect([...bytes].filter((byte, at) => byte !== body?.[at])).toHaveLength(1)
})

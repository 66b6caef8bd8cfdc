// Methods and addresses: what `Allow` must name, and what each request looks like.
import { expect, test } from 'vitest'
import type { Context } from '../engine/context.ts'
import { type ApiRequest, get, post } from '../engine/exchange.ts'
import { Untested, Violation } from '../engine/outcome.ts'
import { fakeExchange, invariantNamed, judged } from '../tests/fake-exchange.ts'
import { addresses } from './addresses.ts'

test.for([
  ['/pets', 'GET, POST', 'holds'],
  ['/pets', 'POST,HEAD,GET', 'holds'],
  ['/pets?limit=1', 'GET', 'GET and POST'],
  ['/pets', undefined, 'no such header'],
  ['/pets/1', 'GET', 'holds'],
  ['/pets/1', '', 'holds'],
  ['/pets/1', undefined, 'no such header'],
  ['/store', undefined, 'not judged'],
] as const)('a 405 at %s with Allow %s: %s', ([path, allow, says]) => {
  const response = { status: 405, body: '{}', headers: { Allow: allow } }
  const apiRequest = { ...get(path), method: 'DELETE' }
  expect(
    judged(invariantNamed(addresses, 'method-405-allow'), fakeExchange(apiRequest, response)),
  ).toContain(says)
})

/** Runs a check against a target that responds to everything with one status. */
const runCheck = async (id: string, status: number) => {
  const sent: ApiRequest[] = []
  const found = addresses.find((each) => each.id === id)
  if (!found || found.kind === 'invariant') throw new Error(`there is no check ${id}`)
  const context: Partial<Context> = {
    seed: 7,
    control: async () => fakeExchange(post('/pets', '{}'), { status: 201, body: '{"id":7}' }),
    newPet: () => ({ name: 'petvet-1', categoryId: 1n }),
    call: async (request) => {
      sent.push(request)
      return fakeExchange(request, { status, body: '{}' })
    },
  }
  const value = await found.run(context as Context)
  return { sent: sent.map(({ from, method, path }) => `${from} ${method} ${path}`), value }
}

test('a group has no endpoint: 2xx is a violation, 4xx passes, others are untested', async () => {
  expect((await runCheck('address-store-4xx', 404)).sent).toEqual(['base GET /store'])
  await expect(runCheck('address-store-4xx', 204)).rejects.toThrow(Violation)
  await expect(runCheck('address-store-4xx', 301)).rejects.toThrow(Untested)
})

test('an unknown method gets 4xx or 501, at a pet of this run', async () => {
  expect((await runCheck('method-delete-animal-refused', 405)).sent).toEqual([
    'base DELETE /pets/7',
  ])
  expect((await runCheck('method-put-list-refused', 501)).sent).toEqual(['base PUT /pets'])
  await expect(runCheck('method-delete-animal-refused', 200)).rejects.toThrow(Violation)
  await expect(runCheck('method-delete-animal-refused', 302)).rejects.toThrow(Violation)
})

test('other prefixes are requested outside the base URL', async () => {
  const v2 = { sent: ['origin GET /v2/pets'], value: '404' }
  expect(await runCheck('version-prefix-v2', 404)).toEqual(v2)
  expect((await runCheck('version-prefix-none', 404)).sent).toEqual(['origin GET /pets'])
})

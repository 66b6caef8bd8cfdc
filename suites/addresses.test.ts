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
  const asked = { ...get(path), method: 'DELETE' }
  expect(
    judged(invariantNamed(addresses, 'method-405-allow'), fakeExchange(asked, response)),
  ).toContain(says)
})

/** Puts one of the questions to a target that responses everything with one status. */
const put = async (id: string, status: number) => {
  const asked: ApiRequest[] = []
  const question = addresses.find((each) => each.id === id)
  if (!question || question.kind === 'invariant') throw new Error(`there is no check ${id}`)
  const context: Partial<Context> = {
    seed: 7,
    control: async () => fakeExchange(post('/pets', '{}'), { status: 201, body: '{"id":7}' }),
    newPet: () => ({ name: 'petvet-1', categoryId: 1n }),
    call: async (request) => {
      asked.push(request)
      return fakeExchange(request, { status, body: '{}' })
    },
  }
  const said = await question.run(context as Context)
  return { asked: asked.map(({ from, method, path }) => `${from} ${method} ${path}`), said }
}

test('a group holds no endpoint: 2xx is a breach, 4xx holds, the rest is undecided', async () => {
  expect((await put('address-store-4xx', 404)).asked).toEqual(['base GET /store'])
  await expect(put('address-store-4xx', 204)).rejects.toThrow(Violation)
  await expect(put('address-store-4xx', 301)).rejects.toThrow(Untested)
})

test('a method that is not there is answered 4xx or 501, at an animal of this run', async () => {
  expect((await put('method-delete-animal-refused', 405)).asked).toEqual(['base DELETE /pets/7'])
  expect((await put('method-put-list-refused', 501)).asked).toEqual(['base PUT /pets'])
  await expect(put('method-delete-animal-refused', 200)).rejects.toThrow(Violation)
  await expect(put('method-delete-animal-refused', 302)).rejects.toThrow(Violation)
})

test('other prefixes are asked for beside the base address', async () => {
  const v2 = { asked: ['origin GET /v2/pets'], said: '404' }
  expect(await put('version-prefix-v2', 404)).toEqual(v2)
  expect((await put('version-prefix-none', 404)).asked).toEqual(['origin GET /pets'])
})

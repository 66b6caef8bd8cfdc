// A creation without a key differs from the control request only in the key and its name.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import type { ApiRequest } from '../../engine/exchange.ts'
import { isObject, parseJson } from '../../engine/json.ts'
import { createNames } from '../../engine/naming.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { authentication } from '../authentication.ts'
import { createPet } from '../requests.ts'

const sentBy = async () => {
  const names = createNames('run')
  const newPet = (members = {}) => ({ name: names.fresh(), categoryId: 5n, ...members })
  const control = fakeExchange(createPet(newPet()), { status: 201, body: '{"id":1}' })
  const sent: ApiRequest[] = [control.apiRequest]
  const call = async (request: ApiRequest) => {
    sent.push(request)
    return fakeExchange(request, { status: 401, body: '' })
  }
  const context = {
    seed: 7,
    newPet,
    forge: ({ of }: { of: (key: string) => string }) => of('petvet-test-key'),
    control: async () => control,
    call,
    together: (requests: readonly ApiRequest[]) => Promise.all(requests.map(call)),
    once: (_: string, make: () => unknown) => make(),
  } as unknown as Context
  for (const each of authentication) {
    if (each.kind !== 'check' || each.needs.keyed > 0) continue
    if (each.needs.allow?.includes('write')) await each.run(context)
  }
  return sent
}

const bodyIn = ({ body }: ApiRequest) => {
  try {
    const value = parseJson(String(body))
    return isObject(value) ? [value] : []
  } catch {
    return []
  }
}

test('each creation has a name of its own', async () => {
  const bodies = (await sentBy()).flatMap(bodyIn).filter(({ name }) => name !== undefined)
  expect(bodies.length).toBeGreaterThan(10)
  expect(new Set(bodies.map(({ name }) => name)).size).toBe(bodies.length)
  expect(new Set(bodies.map(({ categoryId }) => categoryId))).toEqual(new Set([5n]))
})

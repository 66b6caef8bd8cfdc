// Categories: which ones may be used, when a refusal is a violation, and what must not change.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/check/context.ts'
import type { ApiRequest } from '../../engine/check/exchange.ts'
import { parseJson } from '../../engine/check/json.ts'
import { Categories as KnownCategories } from '../../engine/check/naming.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { createCategories, unknownCategory } from './categories.ts'

const [exact] = createCategories

type StatusOf = (id: bigint) => number

/** What is recorded of a target that responds to each category with a status, and the violation. */
const probed = async (statusOf: StatusOf, configured: readonly bigint[] = []) => {
  const categories = new KnownCategories(configured, '00000000')
  const once = new Map<string, unknown>()
  let sent = 0
  const context = {
    seed: 7,
    names: { fresh: () => 'petvet-1' },
    newPet: (members: object) => ({ name: 'petvet-1', ...members }),
    knownPets: { creations: [], count: () => 0 },
    categories,
    once: (name: string, make: () => unknown) => {
      if (!once.has(name)) once.set(name, make())
      return once.get(name)
    },
    call: async (request: ApiRequest) => {
      sent += 1
      const { categoryId } = parseJson(String(request.body)) as { categoryId: bigint }
      const body = '{"code":"c","message":"too large","status":400}'
      return fakeExchange(request, { status: statusOf(categoryId), body })
    },
  } as unknown as Context
  const recorded = await unknownCategory.run(context)
  // The creations that follow the probe are not of interest here.
  const error = await exact?.run(context).catch((error: Error) => error.message)
  const fault = error?.includes('every positive int64') ? error : undefined
  return { recorded, free: categories.free, known: categories.known.length, sent, fault }
}

const upTo =
  (max: bigint): StatusOf =>
  (id) =>
    id <= max ? 201 : 400

const none: StatusOf = () => 400

test('any category: all are free', async () => {
  const found = await probed(() => 201)
  expect(found).toEqual({ recorded: '201', free: true, known: 0, sent: 3, fault: undefined })
})

test.for([
  ['a table that begins at 1', upTo(100n), '400; 1 exists', 1, 7],
  ['a table of a thousand', upTo(1_000n), '400; 1 exists', 1, 7],
  ['a table of random ids', none, '400', 0, 7],
] as const)('%s is legal', async ([, statusOf, recorded, known, sent]) => {
  const found = await probed(statusOf)
  expect(found).toEqual({ recorded, free: false, known, sent, fault: undefined })
})

test('a configured table is not searched for others', async () => {
  const found = await probed(upTo(3n), [2n])
  expect(found).toMatchObject({ free: false, known: 1, sent: 6, fault: undefined })
})

test('no conclusion is drawn from other refusals of everything', async () => {
  expect(await probed(() => 500)).toMatchObject({ free: true, known: 0, fault: undefined })
})

test('one refusal among two large ids is no violation', async () => {
  let calls = 0
  const found = await probed((id) => (id > 2n ** 53n && ++calls <= 2 ? 400 : 201))
  expect(found).toMatchObject({ free: false, known: 4, fault: undefined })
})

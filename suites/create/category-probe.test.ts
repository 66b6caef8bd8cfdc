// What the probe of categories concludes: which may be used, and when a refusal is a fault.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import { parseJson } from '../../engine/json.ts'
import { createCategories } from '../../engine/naming.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { expectWholeRange, probeCategories, toldBySize } from './category-probe.ts'

type StatusOf = (id: bigint) => number

/** What is found at a target that answers each category with a status. */
const probed = async (statusOf: StatusOf, configured: readonly bigint[] = []) => {
  const categories = createCategories(configured, '00000000')
  let sent = 0
  let found: ReturnType<typeof probeCategories> | undefined
  const context = {
    seed: 7,
    names: { fresh: () => 'petvet-1' },
    categories,
    once: (_name: string, make: () => ReturnType<typeof probeCategories>) => {
      found ??= make()
      return found
    },
    call: async (request: ApiRequest) => {
      sent += 1
      const { categoryId } = parseJson(String(request.body)) as { categoryId: bigint }
      const body = '{"code":"c","message":"too large","status":400}'
      return fakeExchange(request, { status: statusOf(categoryId), body })
    },
  } as unknown as Context
  const told = toldBySize(await probeCategories(context))
  const fault = await expectWholeRange(context).catch((error: Error) => error.message)
  return { told, free: categories.free, known: categories.known.length, sent, fault }
}

const upTo =
  (most: bigint, status = 400): StatusOf =>
  (id) =>
    id <= most ? 201 : status

const none: StatusOf = () => 400

test('any category: all are free', async () => {
  const found = await probed(() => 201)
  expect(found).toEqual({ told: '201', free: true, known: 0, sent: 3, fault: undefined })
})

test.for([
  ['a table that begins at 1', upTo(100n), '400; 1 is a known one', 1, 4],
  ['a table of a thousand', upTo(1_000n), '400; 1 is a known one', 1, 4],
  ['a table of random ids', none, '400', 0, 4],
] as const)('%s is legal', async ([, statusOf, told, known, sent]) => {
  const found = await probed(statusOf)
  expect(found).toEqual({ told, free: false, known, sent, fault: undefined })
})

test('a configured table is not searched for others', async () => {
  const found = await probed(upTo(3n), [2n])
  expect(found).toMatchObject({ free: false, known: 1, sent: 3, fault: undefined })
})

test('no conclusion is drawn from other refusals of everything', async () => {
  expect(await probed(() => 500)).toMatchObject({ free: true, known: 0, fault: undefined })
})

test.for([
  ['32 bits', upTo(2n ** 31n - 1n), 3],
  ['unsigned 32 bits', upTo(2n ** 32n - 1n), 3],
  ['53 bits', upTo(2n ** 53n - 1n), 3],
  ['53 bits, with 422', upTo(2n ** 53n - 1n, 422), 3],
  ['32 bits, with 500', upTo(2n ** 31n - 1n, 500), 3],
] as const)('%s: what is accepted may be used, and the refusal is a fault', async (row) => {
  const [, statusOf, known] = row
  const found = await probed(statusOf)
  expect(found).toMatchObject({ free: false, known, sent: 5 })
  expect(found.fault).toMatch(/expected 201 for every positive int64 category.*too large/)
})

test('of two sizes one that is refused is a matter of luck', async () => {
  let asked = 0
  const found = await probed((id) => (id > 2n ** 53n && ++asked === 1 ? 400 : 201))
  expect(found).toMatchObject({ free: false, known: 4, fault: undefined })
})

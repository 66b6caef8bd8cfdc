// POST /pets: categories, which are int64 and come back as they were sent.

import { type Check, check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { expectMember } from '../../engine/expect.ts'
import type { Creation } from '../../engine/herd.ts'
import { int64Most } from '../../engine/json.ts'
import { Untested } from '../../engine/outcome.ts'
import { property } from '../../engine/property.ts'
import { acceptedStatus, noAnimal } from '../animals.ts'
import { positiveInt64 } from '../arbitraries.ts'
import { expectWholeRange } from './category-probe.ts'
import { creating, hindsight, made } from './made.ts'

/** The category itself where any may be used, else a configured one that is long enough. */
const longCategory = ({ categories }: Context, wanted: bigint): bigint => {
  if (categories.free) return wanted
  const long = categories.known.filter((id) => id >= 2n ** 31n)
  const found = long[Number(wanted % BigInt(Math.max(1, long.length)))]
  if (found !== undefined) return found
  const message =
    'unknown categories are refused; name known ones beyond 2^31 and 2^53 (--category ID)'
  throw new Untested('category', message)
}

const exactOfEach = property(
  'create-category-exact',
  'new-pet.category.exact',
  {
    ...creating(6),
    runs: 6,
    examples: [2n ** 53n + 1n, int64Most, 2n ** 31n, 2n ** 32n + 1n, 1n],
    shrinks: 12,
  },
  positiveInt64,
  async (context, wanted) => {
    const categoryId = longCategory(context, wanted)
    const { pet, answer } = await made(
      context,
      context.newPet({ categoryId, status: acceptedStatus(context) }),
    )
    expectMember(pet, 'categoryId', categoryId, answer)
  },
)

const exact: Check = {
  ...exactOfEach,
  run: async (context) => {
    await expectWholeRange(context)
    await exactOfEach.run(context)
  },
}

/** Whether it was written as an integer: what becomes of `1.0` and `1e2` is open. */
const isPlain = ({ exchange }: Creation): boolean =>
  /"categoryId"\s*:\s*-?\d+\s*[,}]/.test(exchange.request.body ?? '')

/** Zero and negative categories may be refused; one that was taken comes back as it was sent. */
const neverChanged = check(
  'create-category-never-changed',
  'new-pet.category.exact',
  hindsight,
  async (context) => {
    const plain = context.herd.creations.filter(isPlain)
    if (plain.length === 0) throw noAnimal(context, 'was created by this run')
    for (const { sent, pet, exchange } of plain) {
      expectMember(pet, 'categoryId', sent.categoryId ?? null, exchange)
    }
  },
)

export const createCategories = [exact, neverChanged]

// Whatever a response is, it leaves the count of its key as it is: no error gives calls back.
import { expectKept } from '../invariants/limits/remaining.ts'
import type { Question } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { Suspicion, Untested } from '../kit/outcome.ts'
import { spentBeforeErrors } from '../kit/quota/experiments.ts'
import type { LimitKey } from '../kit/quota/limits.ts'
import type { ApiRequest } from '../kit/request.ts'
import { get, unauthorized } from '../kit/request.ts'
import { createPet, getPet, listPetsWith } from '../requests.ts'
import { traceOf } from './alone.ts'
import { answered } from './flood.ts'
import { hindsight } from './quota.ts'
import { areBefore, isServed, minuteSaid } from './reading.ts'
import { cheapest, short, spend } from './round.ts'

/** Replicas that count together may take so long to hear of a call. */
const lagMs = 300

/** Ids that nobody has, and a key that was never issued. */
const unknownId = '8999999999999999937'
const unknownKey = 'Bearer no-key-of-anybody'

/** Each is followed by a list, which shows what it left of the count. */
const groups = (context: Context): readonly (readonly ApiRequest[])[] => [
  [createPet({}), createPet('{"name":')],
  [listPetsWith('limit=0')],
  [getPet(unknownId), getPet('no-id')],
  [{ ...get('/pets'), method: 'PUT' }],
  [get('/petvet-no-address')],
  [{ ...get('/pets'), method: 'HEAD' }],
  [{ ...get('/pets'), method: 'OPTIONS' }],
  [unauthorized(short)],
  [unauthorized(short, unknownKey)],
  [createPet(context.newPet())],
]

/** Spends so much of a fresh minute that a count that begins anew is seen. */
const begin = async (context: Context, key: LimitKey): Promise<Answered> => {
  const { limits } = context
  const { label, quota } = key
  await limits.rest(label)
  const answers = await spend(limits, label, spentBeforeErrors(quota))
  const refused = answers.find((one) => !isServed(one))
  if (refused) throw new Suspicion('it was refused before its minute was spent', [refused])
  await limits.linger(lagMs)
  return context.call({ ...short, key: label })
}

const keptCount = check(
  'count-kept-after-errors',
  'headers.remaining.rises',
  {
    ...{ ...hindsight, keyed: 47, anonymous: 2 },
    ...{ allow: ['exhaust', 'write'], clock: true, holds: 'errors' },
  },
  async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const { label, quota } = key
    const first = await answered(begin(context, key))
    const said = minuteSaid(first, quota)
    if (!said) throw new Untested('ambiguous', 'Remaining of the minute is not given', [first])
    const ask = async (request: ApiRequest) => {
      const isKeyed = request.authorization === 'valid'
      const response = await context.call(isKeyed ? { ...request, key: label } : request)
      if (isKeyed) expectKept(response, traceOf(context, label))
      return response
    }
    const lists: Answered[] = []
    for (const group of groups(context)) {
      for (const request of group) await ask(request)
      lists.push(await ask(short))
    }
    if (!lists.every(isServed)) throw new Untested('blocked', 'a valid list was refused', lists)
    if (areBefore(lists, said.reset)) return
    throw new Suspicion('a window may have ended meanwhile', [first, ...lists.slice(-1)])
  },
)

export const kept: readonly Question[] = [keptCount]

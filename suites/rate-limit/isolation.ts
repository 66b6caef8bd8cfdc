// Keys have separate quotas: neither another key nor an invalid one uses up the quota of a key.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { type AnsweredExchange, unauthorized, withKey } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
import { isServed, isShutOut } from '../../history/rate-headers.ts'
import { forgottenMs } from './banned.ts'
import { cheapest, extraBurst, limitNeeds, refusedBurst } from './experiments.ts'
import { program } from './program.ts'
import { callEach, callerOf, listWithRoom, shortList } from './sending.ts'

/** Sends a list with a key that has quota left; the response may be a refusal. */
export const callOrRefusal = async (context: Context, key: LimitKey): Promise<AnsweredExchange> => {
  try {
    return await callerOf(context, key)()
  } catch (error) {
    const [refusal] = error instanceof Untested ? error.evidence : []
    const isNew = refusal?.response && refusal.key === key.label && isShutOut(refusal)
    if (!isNew) throw error
    return refusal as AnsweredExchange
  }
}

const maxOtherKeys = 8

/** Some other keys than one, those of its plan first. */
export const otherKeys = ({ limits }: Context, { label, plan }: LimitKey): readonly LimitKey[] =>
  allKeys(limits)
    .filter((key) => key.label !== label)
    .toSorted((a, b) => Number(b.plan === plan) - Number(a.plan === plan))
    .slice(0, maxOtherKeys)

/** Twice where one is refused: what is seen once may be due to another client. */
const served = program({
  id: 'isolation-other-keys-served',
  requirement: 'auth.per-key',
  needs: { ...limitNeeds, keys: 'another' },
  laws: ['limit-not-early', 'limit-not-below-quota', 'remaining-falls-by-one'],
  sends:
    'While the cheapest key is exhausted: a call with each of up to eight other keys, those of ' +
    'its plan first; if one is refused, once more.',
  run: async (context) => {
    const others = otherKeys(context, cheapest(context.limits))
    await refusedBurst(context)
    const callEach = async () => {
      const ahead = await context.ahead(
        others.map(
          ({ label }) =>
            () =>
              withKey(shortList, label),
        ),
      )
      const responses: AnsweredExchange[] = []
      for (const [at, key] of others.entries()) {
        responses.push(ahead[at] ?? (await callOrRefusal(context, key)))
      }
      return responses.every(isServed)
    }
    if (await callEach()) return
    const burst = () => extraBurst(context, cheapest(context.limits))
    await context.once('exhausted next to the other keys', burst)
    await callEach()
  },
})

/** Servers shut out an address after 5 to 20 of them. */
const manyKeys = 20
/** Rows of some of them, each followed by a list. */
const rows = { count: 5, keys: 4 }
/** How often with a test clock: what happens each time is not by chance. */
const rounds = 3

/** A server may limit requests without a valid key by client address, and then responds 429. */
export const callWithInvalidKeys = async (context: Context, count: number): Promise<void> => {
  const requests = Array.from({ length: count }, (_, at) =>
    unauthorized(shortList, `Bearer never-issued-key-${at}`),
  )
  await completes(callEach(context, requests))
}

const invalidKey = program({
  id: 'isolation-invalid-key-free',
  requirement: 'auth.per-key',
  needs: limitNeeds,
  laws: ['remaining-falls-by-one', 'ban-only-after-refusals'],
  sends:
    'A list, 20 requests with invalid keys and a list; then five times four invalid keys and a ' +
    'list. With the test clock three times, 25 hours apart.',
  run: async (context) => {
    const { limits } = context
    await context.control('list')
    const key = cheapest(limits)
    const call = () => limits.sendAnyway(key.label, shortList)
    for (let round = 0; round < (limits.instant ? rounds : 1); round += 1) {
      if (limits.instant) await limits.pass(forgottenMs)
      await listWithRoom(context, key, rows.count + 2)
      await callWithInvalidKeys(context, manyKeys)
      let latest = await call()
      for (let row = 0; row < rows.count && isServed(latest); row += 1) {
        await callWithInvalidKeys(context, rows.keys)
        latest = await call()
      }
    }
  },
})

export const isolation = { otherKeys: served, invalidKey } as const

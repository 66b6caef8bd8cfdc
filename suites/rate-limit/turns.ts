// Programs: two keys of one plan are used in turn, unequally, so that their numbers show whether
// they share one count; and up to three keys of a plan are spent at once.

import type { Context } from '../../engine/check/context.ts'
import type { Check } from '../../engine/check/declare.ts'
import type { KeyHandle } from '../../engine/check/key-handle.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { Untested } from '../../history/outcome.ts'
import { isRefused } from '../../history/rate-headers.ts'
import { callWith, expectKey, limitNeeds, lists, otherKeys, program } from './program.ts'

/** Which of the two calls: with a count each the two rarely show the same numbers. */
const turns = [0, 0, 0, 1, 0, 0, 1] as const
/** What is seen once may be by chance. */
const occasions = 2

/** The keys of the smallest plan that has two. */
const keysOfOnePlan = ({ limits }: Context): readonly [KeyHandle, KeyHandle] => {
  const plans = [...Map.groupBy(allKeys(limits), ({ plan }) => plan).values()]
  const [pair] = plans
    .filter((keys) => keys.length > 1)
    .toSorted(([a], [b]) => (a?.quota.perMinute ?? 0) - (b?.quota.perMinute ?? 0))
  if (!pair) throw new Untested('key', 'it needs two keys of one plan (--key free=A --key free=B)')
  return [expectKey(pair[0]), expectKey(pair[1])]
}

export const keysInTurn: Check = program({
  id: 'keys-in-turn',
  requirement: 'auth.per-key',
  needs: { stage: 'limits', keys: 'another' },
  laws: ['count-per-key'],
  sends: 'Lists with two keys of one plan: three, one with the other, two, and one; twice.',
  run: async (context) => {
    const keys = keysOfOnePlan(context)
    for (let occasion = 0; occasion < occasions; occasion += 1)
      for (const turn of turns) await keys[turn]?.call()
  },
})

/** More show no more, and cost a minute each. */
const maxTogether = 3
/** What a key has left while the others are spent: a count that is kept no longer begins anew. */
const leftOver = 2

const spendTogether = async (context: Context): Promise<void> => {
  const [{ plan }] = keysOfOnePlan(context)
  const keys = allKeys(context.limits)
    .filter((key) => key.plan === plan)
    .slice(0, maxTogether)
  for (const key of keys) await key.rested()
  for (const { ask, flood, left } of keys) await flood(lists(left(await ask()) - leftOver))
  const refusals = []
  for (const key of keys) {
    const { ask, flood, left } = key
    const [refusal] = (await flood(lists(left(await ask()) + 1), 1)).filter(isRefused)
    if (refusal) refusals.push({ key, refusal })
  }
  const [first] = keys
  await callWith(first ? otherKeys(context, first).filter((key) => key.plan !== plan) : [])
  for (const { key, refusal } of refusals) await key.retry(refusal)
}

export const keysSpentTogether: Check = program({
  id: 'keys-spent-together',
  requirement: 'ban.own-key',
  needs: { ...limitNeeds, keys: 'another', clock: true },
  laws: ['limit-not-early', 'limit-not-late', 'remaining-rises-at-reset'],
  sends:
    'With the test clock up to three keys of the smallest plan that has two: each what remains ' +
    'but two calls, then each the rest and one more, so that all have to wait at once; a call ' +
    'with keys of other plans; one request with each after its stated wait.',
  run: spendTogether,
})

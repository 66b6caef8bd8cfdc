// A program: two keys of one plan are used in turn, unequally. Their numbers show whether they
// share one count.

import type { Context } from '../../engine/check/context.ts'
import type { Check } from '../../engine/check/declare.ts'
import type { KeyHandle } from '../../engine/check/key-handle.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { Untested } from '../../history/outcome.ts'
import { expectKey, program } from './program.ts'

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

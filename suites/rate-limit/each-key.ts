// The quota of each key: no key but the first of a plan is looked at by the checks of its plan.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import { Untested, Violation } from '../../engine/outcome.ts'
import { exhaustedAnew } from './exhausted.ts'
import { expectNotFewer, expectNotMore } from './key-quota.ts'
import { hindsight } from './quota.ts'

type Judge = typeof expectNotMore

/** What a breach or a doubt says, with the key that it is about. */
const ofKey = (error: unknown, { label }: LimitKey): unknown => {
  if (error instanceof Violation) {
    return new Violation(error.expected, `key ${label}: ${error.actual}`, error.evidence)
  }
  if (!(error instanceof Untested)) return error
  return new Untested(error.because, `key ${label}: ${error.message}`, error.evidence)
}

/** What leaves one key undecided does not keep the next one from being judged. */
const isOfKey = (error: unknown): error is Untested =>
  error instanceof Untested && ['ambiguous', 'blocked', 'permission'].includes(error.because)

const judgeEach = async (context: Context, judge: Judge): Promise<void> => {
  const { all, exhausted } = context.limits.further
  const doubts: Untested[] = []
  for (const key of exhausted) {
    try {
      await judge(context, key, exhaustedAnew)
    } catch (thrown) {
      const error = ofKey(thrown, key)
      if (!isOfKey(error)) throw error
      doubts.push(error)
    }
  }
  const [doubt] = doubts
  if (doubt) throw doubt
  const left = all.filter((key) => !exhausted.includes(key)).map(({ label }) => label)
  if (left.length === 0) return
  const how = 'with a test clock (--clock) that takes moments'
  throw new Untested(
    'clock',
    `not exhausted, as their minutes are long: ${left.join(', ')}; ${how}`,
  )
}

const needs = { ...hindsight, stage: 'bans', eachKey: true } as const

export const eachKey: readonly Check[] = [
  check({
    id: 'quota-each-key-not-more',
    requirement: 'auth.per-key',
    needs: { ...needs, keyed: 62, holds: 'burst' },
    sends:
      'The burst on each key but the first of its plan; that on the key for bans is sent in any ' +
      'case. Without a test clock only on keys of at most 100 requests a minute.',
    fails: 'What `quota-PLAN-not-more` fails, by the numbers of that key.',
    inconclusive:
      'some key was not exhausted, and they are named (clock), or another client may have used ' +
      'the key (ambiguous)',
    run: (context) => judgeEach(context, expectNotMore),
  }),
  check({
    id: 'quota-each-key-not-fewer',
    requirement: 'auth.per-key',
    needs: { ...needs, looksAt: ['burst'] },
    sends: 'Nothing of its own: the bursts of `quota-each-key-not-more`.',
    fails: 'What `quota-PLAN-not-fewer` fails, by the numbers of that key.',
    inconclusive:
      'some key was not exhausted, and they are named (clock), or another client may have used ' +
      'the key (ambiguous)',
    run: (context) => judgeEach(context, expectNotFewer),
  }),
]

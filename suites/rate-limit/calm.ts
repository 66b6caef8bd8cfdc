// Calls after a pause: they tell a server that takes more than one from others who call meanwhile.

import type { Context } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { ApiRequest } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { isHabit, paceOf } from '../invariants/calls.ts'
import { createPet } from '../requests.ts'
import { stepsOf } from './alone.ts'
import { short } from './round.ts'

const methods = ['GET', 'POST'] as const
type Method = (typeof methods)[number]

/** Longer than any count may lag behind, and many times as long as a call on most networks. */
const pausesMs = [400, 1_200]
/** Quick calls before each pause; a count that stands still shows in the reads. */
const quickCalls: Record<Method, number> = { GET: 16, POST: 1 }
/** What was spent a minute ago may come back; a rest would take two minutes of real time. */
const apartMs = 7_000

const askCalmly = async (context: Context, label: string, method: Method): Promise<void> => {
  const next = (): ApiRequest => (method === 'GET' ? short : createPet(context.newPet()))
  const ask = () => context.call({ ...next(), key: label })
  const { limits } = context
  await (limits.instant ? limits.rest(label) : limits.pass(apartMs))
  for (const pauseMs of pausesMs) {
    for (let calls = 0; calls < quickCalls[method]; calls += 1) await ask()
    await limits.linger(pauseMs)
    await ask()
  }
}

/** Nothing is asked of a key from which each call takes one. */
const expectByOne = async (context: Context, label: string): Promise<void> => {
  const { limits, allow } = context
  for (const method of methods) {
    const mayAsk = method === 'GET' || allow.includes('write')
    const isOdd = paceOf(stepsOf(context, label), method) === 'odd'
    if (isOdd && mayAsk && !limits.shared) await askCalmly(context, label, method)
  }
  const all = stepsOf(context, label)
  const heavy = all.filter(({ fall }) => fall > 1)
  const found = limits.shared ? undefined : heavy.find((step) => isHabit(step, all))
  const step = found ?? heavy[0]
  if (!step) return
  const evidence = [step.from.exchange, step.to.exchange]
  if (found) {
    const actual = `it fell by ${step.fall} with each, quick or after a pause`
    violate('Remaining to fall by one with a call', actual, ...evidence)
  }
  if (methods.every((method) => paceOf(all, method) !== 'odd')) return
  throw new Suspicion('Remaining falls unevenly: another client may use the key', evidence)
}

export const calm: readonly Check[] = [
  check({
    id: 'remaining-falls-after-pause',
    requirement: 'headers.remaining.falls',
    needs: { stage: 'limits', keyed: 0, anonymous: 0 },
    sends:
      'Nothing if Remaining falls by one with quick calls; otherwise some quick calls and one ' +
      'after a pause, twice.',
    fails: 'Remaining falls by the same number above one with quick calls and after a pause.',
    inconclusive:
      'too few calls show it, or it falls unevenly: another client may have used the key ' +
      '(ambiguous)',
    run: async (context) => {
      await context.control('list')
      const { keys } = context.limits
      const paced = keys.filter(({ label }) =>
        methods.some((method) => paceOf(stepsOf(context, label), method) !== 'unknown'),
      )
      if (paced.length === 0) {
        throw new Untested('ambiguous', 'too few calls, one straight after another, tell Remaining')
      }
      for (const { label } of paced) await expectByOne(context, label)
    },
  }),
]

// Programs: windows end, whatever is sent, and last a minute, wherever they begin.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { maxBurst } from '../../engine/check/spendable-keys.ts'
import type { ApiRequest } from '../../history/exchange.ts'
import { Inapplicable, Untested } from '../../history/outcome.ts'
import {
  dayMs,
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  spanMs,
} from '../../history/rate-headers.ts'
import type { Quota } from '../../spec/plans.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { cheapest, limitNeeds, program } from './program.ts'
import { lists, unknownId, Verbs } from './verbs.ts'

/** After this date, which is near the removal date, the clock is not moved to a midnight. */
const maxClockMs = Date.UTC(2030, 11, 2)
/** Less than a minute, so that a window that each call extends never ends. */
const stepMs = 50_000
/** Two steps are before midnight, when windows of an hour or a day end too, and others after. */
const beforeMidnightMs = 75_000

/**
 * How a minute's number and one more is sent in steps of 50 s: any three of them, which is what
 * lies within two minutes, are fewer than half that number.
 */
const steadySteps = ({ perMinute }: Quota) => {
  const calls = Math.floor((perMinute / 2 - 1) / 3)
  const errors = Math.max(0, Math.min(2, calls - 1))
  const lists = calls - errors
  return { steps: lists < 1 ? 0 : Math.ceil((perMinute + 1) / lists), lists }
}

/** The errors of a step, since a server may extend a window by errors only. */
const errorsOf = ({ allow }: Context): readonly ApiRequest[] => [
  allow.includes('write') ? createPet({}) : getPet('no-id'),
  getPet(unknownId),
]

/** One part of the quota after another, until more than a minute's was sent or one is refused. */
const sendSteadily = async (context: Context, key: LimitKey): Promise<void> => {
  const { clock, limits } = context
  const { ask, flood } = new Verbs(context, key)
  await limits.rest(key.label)
  const now = await clock.now()
  const next = (Math.floor((now + beforeMidnightMs) / dayMs) + 1) * dayMs - beforeMidnightMs
  if (next < maxClockMs) await limits.pass(next - now)
  const own = steadySteps(key.quota)
  for (let step = 0; step < own.steps; step += 1) {
    if (step > 0) await limits.pass(stepMs)
    if (!(await flood(lists(own.lists))).every(isServed)) return
    for (const request of errorsOf(context)) if (isShutOut(await ask(request))) return
  }
}

export const steady = program({
  id: 'window-steady-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, clock: true },
  laws: ['limit-not-below-quota', 'limit-not-early'],
  sends:
    'With the test clock, across midnight: a part of the quota every 50 s, including errors, ' +
    "until more than a minute's quota was sent; never half of it within two minutes. Once more " +
    'if a law is in doubt.',
  run: async (context) => {
    const key = cheapest(context)
    if (steadySteps(key.quota).lists < 1) {
      const message = `a quota of ${key.quota.perMinute} requests a minute is too small`
      throw new Untested('ambiguous', message)
    }
    await sendSteadily(context, key)
  },
  again: { instant: 1, real: 0 },
})

/** How long before the end of a clock minute the quota is spent, and how long it waits then. */
const edgeMs = { before: 10_000, wait: 50_000 }
/** How long replicas may take to synchronise their count. */
const lagMs = 300
/** How many calls are sent beyond those that any design allows. */
const callsBeyond = 14

export const acrossMinute = program({
  id: 'window-across-minute-not-more',
  requirement: 'limits.not-late',
  needs: { ...limitNeeds, clock: true },
  laws: ['limit-not-late', 'remaining-rises-at-reset', 'limit-not-early'],
  sends:
    'With the test clock, after a rest: the quota is spent 10 s before the end of a clock ' +
    'minute. 50 s later follow as many requests as a bucket refills, and a few more.',
  run: async (context) => {
    const { clock, limits } = context
    const { key, ask, flood } = new Verbs(context, cheapest(context))
    const { perMinute } = key.quota
    if (perMinute > maxBurst) throw new Untested('ambiguous', 'the quota of a minute is too large')
    await limits.rest(key.label)
    const intoMs = (await clock.now()) % minuteMs
    await limits.pass((2 * minuteMs - edgeMs.before - intoMs) % minuteMs)
    const began = await ask()
    if ((minuteSaid(began)?.resetInMs ?? minuteMs) <= edgeMs.wait + 2_000) {
      throw new Inapplicable('a window that ends at the edge of a minute gives all back there')
    }
    const before = [began, ...(await flood(lists(perMinute - 1)))]
    if (!before.every(isServed)) return
    await limits.pass(edgeMs.wait)
    await limits.passRealTime(lagMs)
    const first = await ask()
    const back = maxRefill(perMinute, minuteMs, spanMs([...before, first]))
    const some = isServed(first) ? await flood(lists(back - 2)) : [first]
    for (let calls = 0; calls < callsBeyond && some.every(isServed); calls += 1) {
      some.push(await ask())
    }
  },
})

// Programs: windows end, whatever is sent, and last a minute, wherever they begin.

import { maxBurst } from '../../engine/check/spendable-keys.ts'
import { Inapplicable, Untested } from '../../history/outcome.ts'
import {
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  spanMs,
} from '../../history/rate-headers.ts'
import { getPet } from '../pets/requests.ts'
import { cheapest, limitNeeds, program } from './program.ts'
import { lists, unknownId, Verbs } from './verbs.ts'

/** Less than a minute, so that a window that each call extends never ends. */
const stepMs = 50_000
/** Any three steps, which is what lies within two minutes, are fewer than half of the minute. */
const stepShare = 0.15

export const steady = program({
  id: 'window-steady-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, clock: true },
  laws: ['limit-not-below-quota', 'limit-not-early'],
  sends:
    'With the test clock, after a rest: every 50 s 15 % of the quota and an unknown id, until ' +
    "more than a minute's quota was sent. Once more if a law is in doubt.",
  run: async (context) => {
    const { key, ask, flood } = new Verbs(context, cheapest(context))
    const count = Math.floor(stepShare * key.quota.perMinute)
    if (count < 1) {
      const message = `a quota of ${key.quota.perMinute} requests a minute is too small`
      throw new Untested('ambiguous', message)
    }
    await context.limits.rest(key.label)
    for (let sent = 0; sent <= key.quota.perMinute; sent += count) {
      if (sent > 0) await context.limits.pass(stepMs)
      if (!(await flood(lists(count))).every(isServed)) return
      // A server may extend a window by errors only.
      if (isShutOut(await ask(getPet(unknownId)))) return
    }
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

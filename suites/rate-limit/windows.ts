// A program: windows end, whatever is sent.

import { Untested } from '../../history/outcome.ts'
import { isServed, isShutOut } from '../../history/rate-headers.ts'
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

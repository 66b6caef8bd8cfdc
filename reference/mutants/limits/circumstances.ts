// Faults of the limiter that show under one circumstance alone: where in a minute a burst begins,
// what came before it, which other key is spent, and what remains of the day.
import type { Plan } from '../../../spec/plans.ts'
import { type Decision, minuteMs } from '../../limiter.ts'
import { each, perServer, replacing, together, type Variant } from '../../variant.ts'
import {
  countedAs,
  deciding,
  decidingBy,
  decidingFor,
  refusedFor,
} from '../../wrappers/rate-limiting.ts'

const granted = (decision: Decision): Decision => ({ ...decision, granted: true })

const minuteAt = (nowMs: number): number => Math.floor(nowMs / minuteMs)

/** Changes the decisions of a minute in which so many errors with a status came in turn. */
const afterErrors = (
  plan: Plan,
  { status, times }: { readonly status: number; readonly times: number },
  change: (decision: Decision) => Decision,
): Variant =>
  perServer(() => {
    let isError = false
    let count = 0
    let minute = -1
    const decide = (decision: Decision, nowMs: number): Decision => {
      // Whether the call before it was such an error.
      count = isError ? count + 1 : 0
      isError = false
      if (count >= times) minute = minuteAt(nowMs)
      return minute === minuteAt(nowMs) ? change(decision) : decision
    }
    return together(
      deciding((decision, nowMs, own) => (own.plan === plan ? decide(decision, nowMs) : decision)),
      replacing('error', ({ error }, given, ...more) => {
        isError = given === status
        return error(given, ...more)
      }),
    )
  })

/** Of each minute of the clock. */
const isSwapped = (nowMs: number): boolean =>
  nowMs % minuteMs >= 47_000 && nowMs % minuteMs < 55_000
/** In which a store has dropped an idle key, and a cache has not. */
const idleMs = { min: 10 * minuteMs, max: 60 * minuteMs }

export const circumstanceMutants = each({
  'limit-off-while-stores-swap @ quota-enterprise': [
    'For some seconds late in each minute a job swaps the store of counts, and nothing is refused.',
    deciding((decision, nowMs, { quota }) => {
      const isMinute = decision.limit === quota.perMinute
      return isMinute && isSwapped(nowMs) ? granted(decision) : decision
    }),
    { keys: ['enterprise'] },
  ],
  'errors-in-turn-refuse-their-key @ limit-not-early': [
    'After twenty 400s in turn a Free key is refused to the end of the minute.',
    afterErrors('free', { status: 400, times: 20 }, (decision) => refusedFor(30_000, decision)),
  ],
  'limit-off-after-ten-errors @ quota-free-after-removal': [
    'After ten 400s in turn the minute of a Free key is counted, and not limited.',
    afterErrors('free', { status: 400, times: 10 }, granted),
    { suite: 'both' },
  ],
  'limit-off-after-ten-idle-minutes @ quota-pro': [
    'A key that was idle for ten minutes to an hour is in a cache, but not with the limiter.',
    decidingFor(
      () => ({ lastMs: 0, minute: -1 }),
      (decision, nowMs, own, { plan }) => {
        const silentMs = nowMs - own.lastMs
        own.lastMs = nowMs
        const isIdle = silentMs >= idleMs.min && silentMs < idleMs.max
        if (isIdle && plan === 'pro') own.minute = minuteAt(nowMs)
        return own.minute === minuteAt(nowMs) ? granted(decision) : decision
      },
    ),
    { keys: ['pro'] },
  ],
  'spent-business-refuses-small-plans @ limit-not-early': [
    'While a Business key has to wait, keys of smaller plans are refused as well.',
    decidingBy(() => {
      let untilMs = 0
      return (decision, nowMs, { plan }) => {
        if (!decision.granted && plan === 'business') untilMs = nowMs + (decision.retryAfterMs ?? 0)
        const isOut = plan !== 'business' && nowMs < untilMs
        return isOut ? refusedFor(untilMs - nowMs, decision) : decision
      }
    }),
    { keys: ['business'], condition: 'while a key of the plan business is refused' },
  ],
  'counts-of-two-keys-kept @ remaining-rises-at-reset': [
    'A memory of counts is full after two keys: a third one drops the count of the oldest.',
    perServer(() => {
      const latest: string[] = []
      const dropped = new Map<string, number>()
      return countedAs(({ key }) => {
        const at = latest.indexOf(key)
        if (at >= 0) latest.splice(at, 1)
        latest.push(key)
        const oldest = latest.length > 2 ? latest.shift() : undefined
        if (oldest !== undefined) dropped.set(oldest, (dropped.get(oldest) ?? 0) + 1)
        return `${key} ${dropped.get(key) ?? 0}`
      })
    }),
  ],
  'three-waiting-keys-close-the-address @ limit-not-below-quota': [
    'While three keys have to wait, the keys of larger plans are refused as well.',
    decidingBy(() => {
      const untilMs = new Map<string, number>()
      return (decision, nowMs, { key, plan }) => {
        if (!decision.granted) untilMs.set(key, nowMs + (decision.retryAfterMs ?? 0))
        const waiting = [...untilMs.values()].filter((ms) => nowMs < ms)
        const isOut = decision.granted && waiting.length > 2 && plan !== 'free'
        return isOut ? refusedFor(Math.min(...waiting) - nowMs, decision) : decision
      }
    }),
    { condition: 'while 3 keys are refused' },
  ],
  'day-unseen-by-first-calls @ day-quota-enterprise': [
    'The first call of a minute is granted before the day is looked at.',
    decidingFor(
      () => ({ minute: -1 }),
      (decision, nowMs, own, { plan }) => {
        const isFirst = own.minute !== minuteAt(nowMs)
        own.minute = minuteAt(nowMs)
        return isFirst && plan === 'enterprise' ? granted(decision) : decision
      },
    ),
    { keys: ['enterprise'], suite: 'days' },
  ],
})

// Programs: windows end, whatever is sent and however long ago, and last a minute. They only send;
// the laws of the limiter judge how the key is served and refused.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { maxBurst } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { Inapplicable, Untested } from '../../history/outcome.ts'
import {
  dayMs,
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  spanMs,
  waitForResetMs,
} from '../../history/rate-headers.ts'
import { planNames, plans, type Quota } from '../../spec/plans.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { cheapest, firstBurst, keyOfPlan, limitNeeds, rememberAfterRest } from './experiments.ts'
import { ofEachPlan, program } from './program.ts'
import {
  callAnyway,
  callerOf,
  callRested,
  expectAllServed,
  passUntil,
  phases,
  spendAnnounced,
  spendCalls,
  unknownId,
  unlessLost,
} from './sending.ts'

/** Whatever the design, a key that is not banned is served after this rest (ruling 17). */
const silenceMs = 75_000
/** Another occasion: what is seen twice at the same place is no other client. */
const occasions = 2
/** After this date, which is near the removal date, the clock is not moved by days. */
const maxClockMs = Date.UTC(2030, 11, 2)

/** A window that has just begun has almost all of its minute left. */
const freshMs = 50_000
/** With the test clock a run waits for a Reset up to this far ahead. */
const maxResetWaitMs = 600_000

/** Sends a list in a window that has just begun, waiting for the next window if necessary. */
const listInFreshWindow = async (context: Context, key: LimitKey): Promise<AnsweredExchange> => {
  const { limits } = context
  const call = callerOf(context, key)
  const first = await call()
  const said = minuteSaid(first)
  if (!said) {
    await limits.rest(key.label)
    return call()
  }
  // With the test clock waiting is free, so it always waits for the next window.
  const isFresh = said.resetInMs >= freshMs && !limits.instant
  if (isFresh || !isServed(first)) return first
  // A window that is longer than a minute must have just begun as well.
  const waitMs = limits.instant ? Math.min(said.resetInMs, maxResetWaitMs) + 1_000 : 0
  await limits.pass(Math.max(waitMs, waitForResetMs(said)))
  return call()
}

/** Spends a minute without a refusal, so that no ban explains what follows the silence. */
const spendAndRest = async (context: Context, key: LimitKey): Promise<AnsweredExchange> => {
  const last = await listInFreshWindow(context, key)
  expectAllServed([last])
  const { perMinute } = key.quota
  const left = Math.min(minuteSaid(last)?.remaining ?? perMinute - 1, perMinute)
  await spendAnnounced(context, key, left)
  await passUntil(context, silenceMs, phases.begin)
  const first = await callAnyway(context, key)
  rememberAfterRest(context, key, first)
  return first
}

const spentAndRested = (context: Context) => {
  const key = cheapest(context.limits)
  return context.once(`spent and rested: ${key.label}`, () =>
    unlessLost(spendAndRest(context, key)),
  )
}

const silence = program({
  id: 'window-rested-served',
  requirement: 'limits.window-ends',
  needs: limitNeeds,
  laws: ['limit-not-below-quota', 'limit-not-early'],
  sends:
    'A fresh minute is spent without a refusal. Then the key sends nothing for 75 s (by the test ' +
    'clock, if there is one), and one request. All of it once more if that is refused.',
  run: async (context) => {
    await context.control('list')
    // The request after the silence begins the next burst, so its control request comes before.
    if (context.allow.includes('write')) await context.control('create')
    const first = await spentAndRested(context)
    if (!isServed(first)) await unlessLost(spendAndRest(context, cheapest(context.limits)))
  },
})

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
const sendSteadily = async (context: Context, key: LimitKey): Promise<boolean> => {
  const { clock, limits } = context
  await limits.rest(key.label)
  const now = await clock.now()
  const next = (Math.floor((now + beforeMidnightMs) / dayMs) + 1) * dayMs - beforeMidnightMs
  if (next < maxClockMs) await limits.pass(next - now)
  const { steps, lists } = steadySteps(key.quota)
  for (let step = 0; step < steps; step += 1) {
    if (step > 0) await limits.pass(stepMs)
    if (!(await spendCalls(context, key, lists)).every(isServed)) return false
    const errors = errorsOf(context)
    const own = { key: key.label, insists: true } as const
    const ahead = await context.ahead(errors.map((request) => () => ({ ...request, ...own })))
    for (const [at, request] of errors.entries()) {
      if (isShutOut(ahead[at] ?? (await callAnyway(context, key, request)))) return false
    }
  }
  return true
}

const steady = program({
  id: 'window-steady-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, clock: true },
  laws: ['limit-not-below-quota', 'limit-not-early'],
  sends:
    'With the test clock, across midnight: a part of the quota every 50 s, including errors, ' +
    "until more than a minute's quota was sent; never half of it within two minutes. Once more " +
    'if one is refused.',
  run: async (context) => {
    await context.control('list')
    const key = cheapest(context.limits)
    if (steadySteps(key.quota).lists < 1) {
      const message = `a quota of ${key.quota.perMinute} requests a minute is too small`
      throw new Untested('ambiguous', message)
    }
    for (let time = 0; time < occasions; time += 1) if (await sendSteadily(context, key)) break
    // The cost of later checks is declared for a full minute.
    await context.limits.rest(key.label)
  },
})

/** Enough calls to tell the quota of a larger plan from that of a Free key. */
const maxAfterRest = 2 * plans.free.perMinute + 10
/** Resets nearer than this are those of a window that is too short, or of a bucket. */
const shortMs = 57_000
/** More than a tenth of the window, which a bucket may give back in one tick. */
const partOf = ({ perMinute }: LimitKey['quota']): number => Math.ceil(0.2 * perMinute) + 6
/** Calls so shortly before a Reset are not what a bucket gives back by then. */
const beforeResetMs = 2_000

/** The first call after a rest; where it does not announce a whole minute, twice, with the rest. */
const callRestedWhole = async (context: Context, key: LimitKey): Promise<AnsweredExchange> => {
  const most = Math.min(maxAfterRest, key.quota.perMinute)
  for (let time = 1; ; time += 1) {
    const first = await callRested(context, key)
    const isWhole = isServed(first) && (minuteSaid(first)?.remaining ?? 0) >= most - 1
    if (isWhole) return first
    if (isServed(first)) await spendCalls(context, key, most - 1)
    if (time === occasions) return first
  }
}

/** After a burst: the whole quota is back after a rest, and windows do not follow too soon. */
const ofPlans = ofEachPlan(planNames, (plan) =>
  program({
    ...{ id: `window-${plan}-not-shorter`, requirement: 'limits.window-ends' },
    needs: { ...limitNeeds, plan, clock: true },
    laws: ['limit-not-below-quota', 'limit-not-early', 'refills-minute-apart'],
    sends:
      `With the test clock, after the burst of \`quota-${plan}\` and a rest of two ` +
      'minutes: one request, and as many as are missing to 130 if it does not announce them; ' +
      'twice if so. Where Resets are less than 57 s apart, a part of the quota before each.',
    run: async (context) => {
      const key = keyOfPlan(context, plan)
      await firstBurst(context, key)
      let latest = await callRestedWhole(context, key)
      let [said, apartMs] = [minuteSaid(latest), 0]
      for (let time = 0; time <= occasions && said && isServed(latest); time += 1) {
        await context.limits.pass(Math.max(0, said.resetInMs - beforeResetMs))
        const isShort = apartMs > 0 && apartMs < shortMs && key.quota.perMinute <= maxBurst
        if (isShort) await spendCalls(context, key, partOf(key.quota))
        else if (time > 0) return
        await context.limits.pass(beforeResetMs + 1_000)
        latest = await callAnyway(context, key)
        const next = minuteSaid(latest)
        apartMs = next ? (next.reset - said.reset) * 1_000 : 0
        said = next
      }
    },
  }),
)

/** How long before the end of a clock minute the quota is spent, and how long it waits then. */
const edgeMs = { before: 10_000, wait: 50_000 }
/** How long replicas may take to synchronise their count. */
const lagMs = 300
/** How many calls are sent beyond those that any design allows. */
const callsBeyond = 14

const acrossMinute = program({
  id: 'window-across-minute-not-more',
  requirement: 'limits.not-late',
  needs: { ...limitNeeds, clock: true },
  laws: ['limit-not-late', 'remaining-rises-at-reset', 'limit-not-early'],
  sends:
    'With the test clock, after a rest: the quota is spent 10 s before the end of a clock ' +
    'minute. 50 s later follow as many requests as a bucket refills, and a few more.',
  run: async (context) => {
    await context.control('list')
    const { clock, limits } = context
    const key = cheapest(limits)
    const { perMinute } = key.quota
    if (perMinute > maxBurst) throw new Untested('ambiguous', 'the quota of a minute is too large')
    await limits.rest(key.label)
    const intoMs = (await clock.now()) % minuteMs
    await limits.pass((2 * minuteMs - edgeMs.before - intoMs) % minuteMs)
    const began = await callAnyway(context, key)
    if ((minuteSaid(began)?.resetInMs ?? minuteMs) <= edgeMs.wait + 2_000) {
      throw new Inapplicable('a window that ends at the edge of a minute gives all back there')
    }
    const before = [began, ...(await spendCalls(context, key, perMinute - 1))]
    if (!before.every(isServed)) return
    await limits.pass(edgeMs.wait)
    await limits.passRealTime(lagMs)
    const first = await callAnyway(context, key)
    const back = maxRefill(perMinute, minuteMs, spanMs([...before, first]))
    const all = [first, ...(await spendCalls(context, key, isServed(first) ? back - 2 : 0))]
    for (let calls = 0; calls < callsBeyond && all.every(isServed); calls += 1) {
      all.push(await callAnyway(context, key))
    }
  },
})

export const windows = { silence, steady, ofPlans, acrossMinute } as const

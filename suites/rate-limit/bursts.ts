// Programs: the quota of a minute. After a rest a key sends what remains and one request more, and
// waits as its refusal states.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { allKeys, firstSmallest, maxBurst } from '../../engine/check/spendable-keys.ts'
import { type AnsweredExchange, type ApiRequest, withKey } from '../../history/exchange.ts'
import { petsIn } from '../../history/known-pets.ts'
import { completes, Untested } from '../../history/outcome.ts'
import {
  isRefusalStatus,
  isRefused,
  isServed,
  minuteSaid,
  readWaitMs,
  toMs,
} from '../../history/rate-headers.ts'
import { type Plan, planNames, plans } from '../../spec/plans.ts'
import { acceptedStatus } from '../pets/compare-pets.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { moveTo } from '../pets/rows.ts'
import { cheapest, limitNeeds, program } from './program.ts'
import { inAnyOrder, lists, phases, shortList, unlessLost, Verbs } from './verbs.ts'

/** A burst that begins so shortly before a Reset would cross it. */
const nearResetMs = 8_000
/** A bucket refills in it, and Reset shows how a log sets it. */
const probePauseMs = 3_500
/** The number of creations at the end of a burst, or of GETs by id. */
const maxCreations = 12
const maxFetches = 8

/** The requests at the end of a burst, so that the refused one need not be a list. */
interface Closing {
  readonly max?: number
  /** @param listed the latest list of the key */
  readonly make?: (listed: AnsweredExchange) => ApiRequest
  /** The request beyond what remains is sent alone: its refusal is the latest response. */
  readonly isAlone?: true
}

/** Creations on the cheapest key, GETs by id on others. Control requests come before the rest. */
const chooseClosing = async (context: Context, key: LimitKey): Promise<Closing> => {
  if (key.label === cheapest(context).label) {
    const creates = context.allow.includes('write') && (await completes(context.control('create')))
    // Of one status, so that one list shows which of them had an effect.
    const status = acceptedStatus(context)
    const make = () => createPet(context.newPet({ status }))
    return creates ? { max: maxCreations, make } : {}
  }
  if (!(await completes(context.control('get')))) return {}
  const make = (listed: AnsweredExchange) => {
    const [pet] = petsIn(listed)
    return typeof pet?.id === 'bigint' ? getPet(pet.id) : shortList
  }
  return { max: maxFetches, make }
}

/** Two requests with a pause between them; if Reset is near, first one more after it. */
const probe = async (context: Context, { whole, passUntil, ask }: Verbs) => {
  const probes = [await whole()]
  const said = probes[0] && minuteSaid(probes[0])
  if (probes.every(isServed) && said && said.resetInMs <= nearResetMs) {
    await context.limits.pass(said.resetInMs + 1_000)
    probes.push(await ask())
  }
  if (!probes.every(isServed)) return probes
  await passUntil(probePauseMs, phases.burst)
  return [...probes, await ask()]
}

/**
 * Spends the minute of a rested key: what remains and one request more. It goes on while all of
 * that was served, at most to twice the quota.
 * @returns the responses; after a refusal nothing was sent
 */
export const spend = async (
  context: Context,
  verbs: Verbs,
  { max = 0, make = () => shortList, isAlone }: Closing = {},
): Promise<readonly AnsweredExchange[]> => {
  const { perMinute } = verbs.key.quota
  if (perMinute > maxBurst) {
    const message = `a burst of ${perMinute} requests a minute is too large; use petvet load`
    throw new Untested('ambiguous', message)
  }
  const all = await probe(context, verbs)
  const [latest] = all.slice(-1)
  if (!latest || !all.every(isServed)) return all
  const more = verbs.left(latest, perMinute - all.length) + (isAlone ? 0 : 1)
  const last = Math.min(max, Math.ceil(more / 2))
  all.push(...(await verbs.flood(lists(more - last))))
  if (all.some(isRefusalStatus)) return all
  let step = await verbs.flood(Array.from({ length: last }, () => make(latest)))
  all.push(...step)
  for (let steps = 0; steps <= 2 * perMinute; steps += 1) {
    const isOver = all.some(isRefusalStatus) || (steps > 0 && !step.some(isServed))
    if (isOver || all.filter(isServed).length > 2 * perMinute) break
    const least = Math.min(...step.filter(isServed).map((one) => verbs.left(one, 0)))
    const count = Number.isFinite(least) ? least : 0
    step = await verbs.flood([...lists(count), steps === 0 ? make(latest) : shortList])
    all.push(...step)
  }
  return all
}

/** Of several refusals, the one whose wait ends last. */
const lastToExpire = (responses: readonly AnsweredExchange[]) => {
  const endOf = (one: AnsweredExchange) => toMs(one) + (readWaitMs(one) ?? 0)
  return responses
    .filter(isRefused)
    .toSorted((a, b) => endOf(a) - endOf(b))
    .at(-1)
}

const maxOtherKeys = 8

/** Some other keys than one, those of its plan first. */
export const otherKeys = ({ limits }: Context, { label, plan }: LimitKey): readonly LimitKey[] =>
  allKeys(limits)
    .filter((key) => key.label !== label)
    .toSorted((a, b) => Number(b.plan === plan) - Number(a.plan === plan))
    .slice(0, maxOtherKeys)

/** Resets nearer than this are those of a window that is too short, or of a bucket. */
const shortMs = 57_000
/** Calls so shortly before a Reset are not what a bucket gives back by then. */
const beforeResetMs = 2_000
const resets = 3
/** The last of so few in flight shows about how many remain. */
const fewAtOnce = 8

/** One call after each Reset; where they come too soon, a part of the quota before each. */
const watchResets = async ({ limits }: Context, { key, rested, flood, ask }: Verbs) => {
  const { perMinute } = key.quota
  let latest = await rested()
  let apartMs = 0
  for (let time = 0; time < resets; time += 1) {
    const said = minuteSaid(latest)
    if (!said || !isServed(latest)) return
    await limits.pass(Math.max(0, said.resetInMs - beforeResetMs))
    // More than a tenth of the window, which a bucket may give back in one tick.
    if (apartMs > 0 && apartMs < shortMs)
      await flood(lists(Math.ceil(0.2 * perMinute) + 6), fewAtOnce)
    else if (time > 0) return
    await limits.pass(beforeResetMs + 1_000)
    latest = await ask()
    apartMs = ((minuteSaid(latest)?.reset ?? said.reset) - said.reset) * 1_000
  }
}

const laws = ['limit-not-late', 'limit-not-below-quota', 'limit-not-early'] as const
export const clauses = [
  'retry-after-each-served',
  'retry-after-present',
  'quota-429-status',
  'ban-only-after-refusals',
] as const

/** @throws Untested if a burst did not reach the limit */
const expectLimit = (responses: readonly AnsweredExchange[], { quota }: LimitKey): void => {
  if (!responses.every(isServed)) return
  const why =
    responses.length <= quota.perMinute
      ? `only ${responses.length} requests were sent: Remaining announced no more`
      : 'nothing was refused: calls came back as fast as they were sent; repeat the run over a ' +
        'faster network'
  throw new Untested('ambiguous', why, responses.slice(-1))
}

/** The keys of a plan whose minute is spent: in real time only one. */
const keysOfPlan = ({ limits }: Context, plan: Plan): readonly [LimitKey, ...LimitKey[]] => {
  const key = firstSmallest(limits.keys, 'perMinute', plan)
  const others = limits.keys.filter((one) => one.plan === plan && one !== key)
  if (key) return [key, ...(limits.instant ? others : [])]
  const what = `another key of the plan ${plan} that is not the one for bans`
  throw new Untested('key', `it needs ${what} (--key ${plan}=OTHER)`)
}

/** How often the stated wait is kept: of a refusal, and of that of the call after it. */
const maxWaits = 2

const burst = async (context: Context, key: LimitKey): Promise<void> => {
  const verbs = new Verbs(context, key)
  const responses = await spend(context, verbs, await chooseClosing(context, key))
  const refusal = lastToExpire(responses)
  const isCheapest = key.label === cheapest(context).label
  const others = refusal && isCheapest ? otherKeys(context, key) : []
  await completes(
    inAnyOrder(
      context,
      others.map(({ label }) => withKey(shortList, label)),
      (request) => completes(unlessLost(context.call(request))),
    ),
  )
  if (refusal) await verbs.retry(refusal, maxWaits)
  if (context.limits.instant) await watchResets(context, verbs)
  expectLimit(responses, key)
}

/** The quota of a plan, on its cheapest key; with the test clock on each. */
export const quotas = planNames.map((plan) =>
  program({
    id: `quota-${plan}`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, plan },
    laws,
    clauses,
    sends:
      `With a key of the plan ${plan}, after a rest of two windows: two probes, which show ` +
      'how many calls remain, and a burst of one call more. If all are served it continues. ' +
      'While the cheapest key is exhausted, a call with each of up to eight other keys. Then one ' +
      'request after the wait that the refusal states, and after that of its own refusal; with ' +
      'the test clock, one after another rest, and some after its Reset, and all of it with each ' +
      'further key of the plan. Again if a law is in doubt.',
    run: async (context) => {
      for (const key of keysOfPlan(context, plan)) await burst(context, key)
    },
    again: { instant: 1, real: 1 },
  }),
)

/** Larger minutes are exhausted before the removal alone; after it they send a Free key's. */
const maxAfterRemoval = 100
const afterRemoval = Date.UTC(2030, 11, 6, 0, 0, 1)

export const quotasAfterRemoval = (['free', 'pro', 'enterprise'] as const).map((plan) =>
  program({
    id: `quota-${plan}-after-removal`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, stage: 'removal', plan, clock: true },
    laws,
    clauses,
    sends:
      `With the test clock one second into 6 December 2030: the burst of \`quota-${plan}\`; ` +
      `with more than ${maxAfterRemoval} requests a minute, after a rest, one more than a Free ` +
      'key has. Once more if a law is in doubt.',
    run: async (context) => {
      await moveTo(context, afterRemoval)
      const verbs = new Verbs(context, keysOfPlan(context, plan)[0])
      if (verbs.key.quota.perMinute <= maxAfterRemoval) {
        return expectLimit(await spend(context, verbs), verbs.key)
      }
      await verbs.rested()
      await verbs.flood(lists(plans.free.perMinute))
    },
    again: { instant: 1, real: 1 },
  }),
)

// The scenario `ban`: a client that ignores Retry-After, next to one that obeys. The ban of the
// first takes effect, does not affect the other, and ends.
import type { LimitKey } from '../../engine/check/context.ts'
import type { LoadFigures } from '../../engine/check/run-file.ts'
import { Untested } from '../../history/outcome.ts'
import { isShutOut } from '../../history/rate-headers.ts'
import { cheapest, type Lane, type LoadPlan, scenario } from '../scenario.ts'
import { send, spendAll, spendingCost } from '../spend.ts'

/** Requests after the burst, in waves with pauses between them. */
const requestsAfter429 = { waves: 5, each: 12, pauseMs: 60 }
const maxTries = 3
/** The requests of the other client, and never more than half of its quota. */
const obeying = { max: 40, pauseMs: 15 }

const obeysOf = ({ quota }: LimitKey): number =>
  Math.min(obeying.max, Math.floor(quota.perMinute / 2))

/** The other client sends before the burst, after it and after each wave. */
const turns = requestsAfter429.waves + 2

/** The other client sends; always as many, so that its refusal comes at the same place again. */
const obey = async (lane: Lane, key: LimitKey): Promise<void> => {
  const amount = Math.floor(obeysOf(key) / turns)
  for (let sent = 0; sent < amount; sent += 1) {
    const response = await lane.call(key.label)
    // A client that obeys sends nothing more after a refusal.
    if (isShutOut(response)) return
    await lane.sleep(obeying.pauseMs)
  }
}

const waitOut = async (lane: Lane, { label }: LimitKey): Promise<void> => {
  for (let tries = 0; tries < maxTries; tries += 1) {
    await lane.waitForRetryAfter(label)
    if (!isShutOut(await lane.call(label))) return
  }
}

const banKeyOf = ({ banKey }: LoadPlan): LimitKey => {
  if (banKey) return banKey
  throw new Untested('key', 'needs a key that may be banned')
}

const run = async function* (lane: Lane): AsyncGenerator<void, null> {
  const banKey = banKeyOf(lane.plan)
  const other = cheapest(lane.plan.keys)
  const connections = Math.max(...lane.plan.connections)
  const { waves, each, pauseMs } = requestsAfter429
  await lane.ensureDay(banKey, banKey.quota.perMinute + connections + waves * each)
  await lane.waitForFullQuota(other.label)
  await obey(lane, other)
  await spendAll(lane, [banKey], { connections, surplus: connections })
  await obey(lane, other)
  for (let wave = 0; wave < waves; wave += 1) {
    await lane.sleep(pauseMs)
    await send(lane, banKey, each, { connections })
    await obey(lane, other)
  }
  yield
  if (lane.column === 'target') await waitOut(lane, banKey)
  return null
}

const describeBan = (label: string, { countsByKey }: LoadFigures): string => {
  const { banned = 0, refused = 0 } = countsByKey[label] ?? {}
  if (banned === 0) return `none after ${refused} refusals`
  return `after ${refused} refusals`
}

const cost = (plan: LoadPlan) => {
  const { label } = banKeyOf(plan)
  const hammered = requestsAfter429.waves * requestsAfter429.each + obeying.max + maxTries
  return {
    requests: spendingCost([banKeyOf(plan)], Math.max(...plan.connections)) + hammered,
    seconds: plan.instant ? 2 : 260,
    does: `sends on with ${label} until it is banned`,
  }
}

export const ban = scenario<null>({
  id: 'ban',
  says: 'Of two clients one ignores Retry-After: only that one is banned, and the ban ends.',
  needs: { allow: ['exhaust', 'ban'], key: true, banKey: true },
  repeats: true,
  baselines: ['reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-ban-own-key',
      requirement: 'ban.own-key',
      sends:
        'Five waves of requests with an exhausted key; before, between and after them requests ' +
        'with another key within its quota.',
      laws: ['limit-not-early', 'limit-not-below-quota', 'ban-only-after-refusals'],
      keyOf: ({ keys }) => cheapest(keys).label,
    },
    {
      id: 'load-ban-after-429',
      requirement: 'ban.only-repeated',
      sends: 'The same requests.',
      laws: ['ban-only-after-refusals', 'quota-429-status'],
      keyOf: (plan) => banKeyOf(plan).label,
    },
    {
      id: 'load-ban-ends',
      requirement: 'ban.ends',
      sends:
        'One request with the hammered key when its Retry-After has elapsed; at most three times.',
      laws: ['ban-temporary', 'retry-after-each-served'],
      keyOf: (plan) => banKeyOf(plan).label,
      unless: ({ counts }) => (counts.banned === 0 ? 'no ban was seen' : undefined),
    },
    {
      id: 'load-ban-look',
      requirement: 'gap.ban-look',
      sends: 'The same requests.',
      records: 'After how many refusals the ban came.',
      observe: (_seen, { plan, figures }) => describeBan(banKeyOf(plan).label, figures),
    },
  ],
})

// Bans: never on a first refusal, on no other key, and over some time. None at all is legal.
import type { Needs, Question } from '../kit/check.ts'
import { check, observe } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { statusOf } from '../kit/exchange.ts'
import { told, violate } from '../kit/expect.ts'
import { Inapplicable, Suspicion, Untested } from '../kit/outcome.ts'
import { exhausted, refusalsIn, refusedRound } from './exhausted.ts'
import { askedWith, mayBeSpent } from './isolation.ts'
import type { Knocks } from './knocks.ts'
import { knocked, knocksMost, lookOf } from './knocks.ts'
import { fromMs, isRefused, isServed, isShutOut, toMs, waitOf } from './reading.ts'
import { retried, waitableMs } from './retry.ts'
import { answered, cheapest, short } from './round.ts'

/** Nobody who is not banned needs more silence than this (ruling 17). */
const silenceMs = 75_000

const aftermath: Needs = {
  stage: 'bans',
  keyed: 0,
  anonymous: 0,
  allow: ['exhaust', 'ban'],
  banKey: true,
}

const noBan = (knocks: Knocks): never => {
  throw new Inapplicable(`no ban was seen: ${lookOf(knocks)}`)
}

const tellsLong = (refusal: Answered): boolean => {
  const wait = waitOf(refusal)
  return isShutOut(refusal) && 'ms' in wait && wait.ms > silenceMs
}

/** A refusal that tells a long wait may be a ban; a key that may be banned asks before it ends. */
const askEarly = async (context: Context): Promise<void> => {
  const { limits, allow } = context
  if (!limits.banKey || !allow.includes('ban')) {
    const message = 'the wait is longer than a minute; only a key that may be banned can ask early'
    throw new Untested(limits.banKey ? 'permission' : 'key', message)
  }
  const [refusal, ...more] = refusalsIn(await exhausted(context, limits.banKey))
  if (!refusal) throw new Untested('blocked', 'the key for bans could not be exhausted')
  if (more.length > 0) throw new Suspicion('its burst was refused more than once', [refusal])
  await limits.pass(silenceMs)
  const answer = await answered(limits.insist(limits.banKey.label, short))
  if (isServed(answer)) return
  if (limits.shared) throw new Suspicion('others use the key', [refusal, answer])
  const expected = `a request served ${silenceMs / 1000} s after a first refusal`
  violate(expected, told(answer), refusal, answer)
}

const notFirst = check(
  'ban-not-first',
  'ban.only-repeated',
  { stage: 'bans', keyed: 0, anonymous: 0, allow: ['exhaust'] },
  async (context) => {
    const round = await refusedRound(context)
    if (refusalsIn(round).some(tellsLong)) return askEarly(context)
    const { refusal, tries } = await retried(context)
    const last = tries.at(-1) as Answered
    if (tries.some(tellsLong)) return askEarly(context)
    if (isServed(last)) return
    if (isRefused(last) || context.limits.shared) {
      throw new Suspicion('whether it is a ban or a wait that is not true is not told', [
        refusal,
        last,
      ])
    }
    violate('no ban after one refusal and the wait it told', told(last), refusal, last)
  },
)

const look = observe(
  'ban-look',
  'gap.ban-look',
  { ...aftermath, keyed: 62 + knocksMost },
  async (context) => lookOf(await knocked(context)),
)

const ownKey = check(
  'ban-own-key',
  'ban.own-key',
  { ...aftermath, keyed: 1, keys: 1 },
  async (context) => {
    const knocks = await knocked(context)
    const key = cheapest(context.limits)
    const answer = await askedWith(context, key)
    const latest = knocks.ban ?? knocks.knocks.at(-1) ?? knocks.refusal
    if (!isServed(answer)) {
      if (!isShutOut(answer) || mayBeSpent(context.limits, key, answer)) {
        throw new Suspicion(`key ${key.label} may itself be spent`, [latest, answer])
      }
      violate(`key ${key.label} served beside a banned key`, told(answer), latest, answer)
    }
    if (!knocks.ban) noBan(knocks)
    const wait = waitOf(latest)
    if ('ms' in wait && fromMs(answer) > toMs(latest) + wait.ms) {
      throw new Suspicion('the ban was over by then', [latest, answer])
    }
  },
)

const retryAfter = check('ban-retry-after', 'ban.retry-after', aftermath, async (context) => {
  const knocks = await knocked(context)
  const { ban } = knocks
  if (!ban) return noBan(knocks)
  const wait = waitOf(ban)
  if ('fault' in wait) violate('Retry-After on the answers of a ban', wait.fault, ban)
})

/** A wait that nobody outlives is no temporary one. */
const lifeMs = 10 * 365 * 86_400_000
const triesMost = 3
/** Where nothing is told, the waits are doubled, within a day or two minutes and a half. */
const untoldMs = { first: 60_000, instant: 86_400_000, real: 75_000 }

interface Ending {
  readonly tries: readonly Answered[]
  /** How long the key had been silent in all. */
  readonly silentMs: number
}

const wantsWait = (answer: Answered): boolean => {
  const wait = waitOf(answer)
  return 'ms' in wait && wait.ms > 0
}

/** Waits as the latest answer tells, or longer each time, until the key is served. */
const waitOut = async (context: Context, from: Answered, label: string): Promise<Ending> => {
  const { limits } = context
  const mostMs = limits.instant ? untoldMs.instant : untoldMs.real
  const tries: Answered[] = []
  let latest = from
  let silentMs = 0
  for (let untold = untoldMs.first, broken = 0; broken < triesMost && untold <= mostMs; ) {
    const isTold = wantsWait(latest)
    const ms = isTold ? waitableMs(limits, latest) + 50 : untold
    await limits.pass(ms)
    silentMs += ms
    latest = await answered(limits.insist(label, short))
    tries.push(latest)
    if (!isShutOut(latest)) break
    if (isTold) broken += 1
    else untold *= 2
  }
  return { tries, silentMs }
}

const ended = (context: Context): Promise<Ending> =>
  context.once('the ban waited out', async () => {
    const { ban, knocks, refusal, key } = await knocked(context)
    return waitOut(context, ban ?? knocks.at(-1) ?? refusal, key.label)
  })

const expectEnd = (context: Context, knocks: Knocks, { tries, silentMs }: Ending) => {
  const last = tries.at(-1) as Answered
  if (!isShutOut(last)) return
  const evidence = [knocks.refusal, ...tries]
  if (!wantsWait(last) || context.limits.shared) {
    const seconds = Math.round(silentMs / 1000)
    throw new Suspicion(
      `the key is still refused after ${seconds} s; a longer wait decides`,
      evidence,
    )
  }
  const times = `${tries.length} times`
  violate(
    'a ban that ends when it says',
    `waited as told ${times}, and got ${told(last)}`,
    ...evidence,
  )
}

const ends = check('ban-ends', 'ban.ends', { ...aftermath, keyed: triesMost }, async (context) => {
  const knocks = await knocked(context)
  const latest = knocks.ban ?? knocks.knocks.at(-1) ?? knocks.refusal
  const wait = waitOf(latest)
  if ('ms' in wait && wait.ms > lifeMs) {
    violate('a temporary ban', `one of ${Math.round(wait.ms / 86_400_000)} days`, latest)
  }
  const ending = await ended(context)
  expectEnd(context, knocks, ending)
  if (!knocks.ban && ending.tries.length === 1) noBan(knocks)
})

const duration = observe('ban-duration', 'gap.ban-duration', aftermath, async (context) => {
  const { ban } = await knocked(context)
  if (!ban) return 'no ban seen'
  const wait = waitOf(ban)
  return 'ms' in wait ? `${Math.round(wait.ms / 1000)} s, as told` : `not told (${statusOf(ban)})`
})

export const ban: readonly Question[] = [notFirst, look, ownKey, retryAfter, ends, duration]

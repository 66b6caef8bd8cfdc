// Faults of bans: too soon, for ever, on others, without a word of how long.
import type { Plan } from '../../../spec/plans.ts'
import type { Variant } from '../../compose.ts'
import type { KeyRecord } from '../../keys.ts'
import type { Decision } from '../../limiter.ts'
import type { ApiResponse } from '../../message.ts'
import type { Mutant } from '../../mutant.ts'
import type { Parts } from '../../parts.ts'

interface Shutting {
  /** This many refusals of one key shut out whoever it hits. */
  readonly afterRefusals: number
  readonly lastsMs: number
  readonly hits: (offender: KeyRecord, caller: KeyRecord) => boolean
  /** Whether the answers of a ban tell how long it lasts. */
  readonly isTold: boolean
}

/** Bans of another kind, beside which the usual ones are not noticed. */
const shutting = ({ afterRefusals, lastsMs, hits, isTold }: Shutting): Variant => ({
  parts: ({ charge }: Parts) => {
    const refusals = new Map<string, number>()
    const bans: { offender: KeyRecord; untilMs: number }[] = []
    return {
      charge: (key, request, nowMs): Decision => {
        const ban = bans.find(({ offender, untilMs }) => nowMs < untilMs && hits(offender, key))
        const decision = charge(key, request, nowMs)
        if (ban) {
          const retryAfterMs = isTold ? ban.untilMs - nowMs : (decision.retryAfterMs ?? 1_000)
          return { ...decision, granted: false, remaining: 0, retryAfterMs, banned: true }
        }
        if (decision.granted) return decision
        const times = (refusals.get(key.key) ?? 0) + 1
        refusals.set(key.key, times % afterRefusals)
        if (times >= afterRefusals) bans.push({ offender: key, untilMs: nowMs + lastsMs })
        return decision
      },
    }
  },
})

/** What the answers of a ban become. */
const banned = (change: (answer: ApiResponse) => ApiResponse): Variant => ({
  handle: (honest) => async (request) => {
    const answer = await honest(request)
    return answer.status === 429 && answer.body.includes('key_banned') ? change(answer) : answer
  },
})

/** The refusal itself is that of the ban. */
const banningAtOnce = (lastsMs: number): Variant => ({
  parts: ({ charge }: Parts) => {
    const until = new Map<KeyRecord, number>()
    return {
      charge: (key, request, nowMs): Decision => {
        const decision = charge(key, request, nowMs)
        if (!decision.granted && !until.has(key)) until.set(key, nowMs + lastsMs)
        const untilMs = until.get(key) ?? 0
        if (nowMs < untilMs) {
          return { ...decision, granted: false, remaining: 0, retryAfterMs: untilMs - nowMs }
        }
        until.delete(key)
        return decision
      },
    }
  },
})

const own = (offender: KeyRecord, caller: KeyRecord) => offender === caller
const samePlan = (offender: KeyRecord, caller: KeyRecord) => offender.plan === caller.plan
const anyone = () => true

const forEverMs = 1_000 * 365 * 86_400_000

const told: Omit<Shutting, 'hits'> = { afterRefusals: 3, lastsMs: 90_000, isTold: true }

const pro: { keys: readonly Plan[] } = { keys: ['pro'] }

const whom: readonly Mutant[] = [
  {
    id: 'ban-at-first-refusal',
    breaks: 'ban.only-repeated',
    caughtBy: 'ban-not-first',
    fault: 'The first refusal puts the key on a list of blocked ones, whatever Retry-After says.',
    ...shutting({ afterRefusals: 1, lastsMs: 300_000, hits: own, isTold: true }),
    ...banned((answer) => ({ ...answer, status: 403, body: answer.body.replace('429', '403') })),
  },
  {
    id: 'ban-at-first-refusal-as-429',
    breaks: 'ban.only-repeated',
    caughtBy: 'ban-not-first',
    fault: 'The first refusal already bans the key, for five minutes, and says so.',
    ...banningAtOnce(300_000),
  },
  {
    id: 'ban-at-first-refusal-untold',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'The first refusal speaks of the minute, and bans the key for one and a half.',
    ...shutting({ afterRefusals: 1, lastsMs: 90_000, hits: own, isTold: true }),
  },
  {
    id: 'ban-of-the-address',
    breaks: 'ban.own-key',
    caughtBy: 'ban-own-key',
    fault: 'The ban is on the address, and hits every key.',
    ...pro,
    ...shutting({ ...told, hits: anyone }),
  },
  {
    id: 'ban-of-the-plan',
    breaks: 'ban.own-key',
    caughtBy: 'ban-own-key',
    fault: 'All keys of the plan are banned with one of them.',
    ...shutting({ ...told, hits: samePlan }),
  },
  {
    id: 'ban-for-ever',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'Somebody has to lift a ban by hand.',
    ...shutting({ ...told, lastsMs: forEverMs, hits: own, isTold: false }),
  },
  {
    id: 'ban-for-ever-and-told',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'A ban lasts until somebody lifts it, and says a thousand years.',
    ...shutting({ ...told, lastsMs: forEverMs, hits: own }),
  },
  {
    id: 'ban-longer-than-told',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'The answers of a ban speak of the minute, and the ban lasts ten.',
    ...shutting({ ...told, lastsMs: 600_000, hits: own, isTold: false }),
  },
]

const how: readonly Mutant[] = [
  {
    id: 'ban-without-rate-headers',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'A banned key is refused by the firewall, which knows no rate limit.',
    ...banned(({ headers, ...answer }) => {
      const kept = Object.entries(headers).filter(([name]) => !name.startsWith('X-RateLimit'))
      return { ...answer, headers: Object.fromEntries(kept) }
    }),
  },
  {
    id: 'ban-without-retry-after',
    breaks: 'ban.retry-after',
    caughtBy: 'ban-retry-after',
    fault: 'A ban is answered 403, without a word of how long.',
    ...banned((answer) => {
      const { 'Retry-After': _wait, ...headers } = answer.headers
      return { ...answer, status: 403, headers, body: answer.body.replace('429', '403') }
    }),
  },
]

export const banMutants: readonly Mutant[] = [...whom, ...how]

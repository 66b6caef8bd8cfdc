// Faults in whose calls are counted together: a key's in several counts, or several keys' in one.
import type { Variant } from '../../compose.ts'
import type { KeyRecord } from '../../keys.ts'
import type { ApiRequest } from '../../message.ts'
import { splitTarget } from '../../message.ts'
import type { Mutant } from '../../mutant.ts'
import type { Parts } from '../../parts.ts'
import { operationOf } from '../over.ts'
import { countedAs } from './over.ts'
import { charging } from './races.ts'

/** One count for each of something that a request has, beside its key. */
const countedPer = (thingOf: (request: ApiRequest, parts: Parts) => string): Variant => ({
  parts: (honest) => ({
    charge: ({ key, quota }, request, nowMs) =>
      honest.limiter.take(`${key} ${thingOf(request, honest)}`, quota, nowMs),
  }),
})

/** Numbers the connections as they come. */
const numbered = (count: number) => {
  const numbers = new WeakMap<object, number>()
  let met = 0
  return (connection: object): string => {
    if (!numbers.has(connection)) numbers.set(connection, met++ % count)
    return String(numbers.get(connection))
  }
}

/** One count for each of so many replicas, to which connections are dealt in turn. */
const replicated = (replicas: number): Variant => ({
  parts: (honest) => {
    const numberOf = numbered(replicas)
    const take = ({ key, quota }: KeyRecord, { connection }: ApiRequest, nowMs: number) =>
      honest.limiter.take(`${key} ${numberOf(connection)}`, quota, nowMs)
    return { charge: take }
  },
})

const counts: readonly Mutant[] = [
  {
    id: 'count-per-operation',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-operations',
    fault: 'Each route has a limiter of its own.',
    ...countedPer((request, parts) => operationOf(request, parts) ?? ''),
  },
  {
    id: 'count-per-method',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-operations',
    fault: 'Reads and writes are counted apart.',
    ...countedPer(({ method }) => method),
  },
  {
    id: 'count-per-path',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-operations',
    fault: 'The path is part of the name of the counter.',
    ...countedPer(({ target }) => splitTarget(target).path),
  },
  {
    id: 'count-per-query',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-queries',
    fault: 'The whole target is part of the name of the counter.',
    ...countedPer(({ target }) => splitTarget(target).query),
  },
  {
    id: 'count-per-connection',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-connections',
    fault: 'The counter hangs on the connection.',
    ...replicated(1_000_000),
  },
  {
    id: 'count-per-replica',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-connections',
    fault: 'Two replicas share nothing, and connections are dealt to them in turn.',
    ...replicated(2),
  },
  {
    id: 'count-per-scheme-spelling',
    breaks: 'limits.one-count',
    caughtBy: 'count-whatever-scheme-case',
    fault: 'The whole header Authorization is the name of the counter.',
    ...countedPer(({ header }) => header('authorization') ?? ''),
  },
  {
    id: 'long-lists-count-twice',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-queries',
    fault: 'A list of more than 50 pets is charged as two pages.',
    ...charging(({ target }) => (target.includes('limit=100') ? 2 : 1)),
  },
  {
    id: 'count-per-forwarded-for',
    breaks: 'limits.one-count',
    caughtBy: 'count-whatever-forwarded-for',
    fault: 'X-Forwarded-For is trusted, and part of the name of the counter.',
    ...countedPer(({ header }) => header('x-forwarded-for') ?? ''),
  },
]

/** While one key has to wait, those of other plans do. */
const waitingForOthers: Variant = {
  parts: ({ charge }) => {
    const waits = new Map<string, number>()
    return {
      charge: (key, request, nowMs) => {
        const untilMs = Math.max(0, ...[...waits].map(([plan, at]) => (plan === key.plan ? 0 : at)))
        const decision = charge(key, request, nowMs)
        if (!decision.granted) waits.set(key.plan, nowMs + (decision.retryAfterMs ?? 0))
        if (nowMs >= untilMs) return decision
        return { ...decision, granted: false, remaining: 0, retryAfterMs: untilMs - nowMs }
      },
    }
  },
}

/** The latest valid key, of a connection or of all of them, pays for a request without one. */
const chargedToLatest = (whose: (request: ApiRequest) => object): Variant => ({
  parts: ({ authenticate, limiter, clock }) => {
    const latest = new WeakMap<object, KeyRecord>()
    return {
      authenticate: (request) => {
        const found = authenticate(request)
        if (found) latest.set(whose(request), found)
        const pays = found ? undefined : latest.get(whose(request))
        if (pays) limiter.take(pays.key, pays.quota, clock.now())
        return found
      },
    }
  },
})

const everybody = {}

const keys: readonly Mutant[] = [
  {
    id: 'count-per-address',
    breaks: 'auth.per-key',
    caughtBy: 'isolation-same-plan-served',
    fault: 'The counter is that of the address.',
    ...countedAs(() => ''),
  },
  {
    id: 'count-per-plan',
    breaks: 'auth.per-key',
    caughtBy: 'isolation-same-plan-served',
    fault: 'All keys of a plan share its numbers.',
    ...countedAs(({ plan }) => plan),
  },
  {
    id: 'refusal-closes-the-address',
    breaks: 'auth.per-key',
    caughtBy: 'isolation-other-plan-served',
    fault: 'While one key of an address has to wait, the gateway refuses the plans of the others.',
    keys: ['pro'],
    ...waitingForOthers,
  },
  {
    id: 'invalid-keys-charge-connection',
    breaks: 'auth.per-key',
    caughtBy: 'isolation-invalid-key-free',
    fault: 'A request without a valid key is charged to the last one of its connection.',
    ...chargedToLatest(({ connection }) => connection),
  },
  {
    id: 'invalid-keys-charge-address',
    breaks: 'auth.per-key',
    caughtBy: 'isolation-invalid-key-free',
    fault: 'A request without a valid key is charged to the address, and so to its keys.',
    ...chargedToLatest(() => everybody),
  },
]

export const nameMutants: readonly Mutant[] = [...counts, ...keys]

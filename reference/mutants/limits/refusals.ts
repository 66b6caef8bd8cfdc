// Faults of a refusal: its Retry-After, its status, its headers, its body, its side effects; and of
// bans: too soon, for ever, of other keys, or without saying how long.
import type { KeyRecord } from '../../issued-keys.ts'
import { clockWindow, createLimiter, type Decision } from '../../limiter.ts'
import { each, family, type Parts, type Variant } from '../../variant.ts'
import {
  type Change,
  duringBans,
  findOperation,
  onStatus,
  rateLimitNames,
  readQuery,
  replacedBy,
  where,
  withBody,
  withHeaders,
  without,
  withStatus,
} from '../../wrappers/middleware.ts'
import {
  deciding,
  decidingFor,
  neverServedAfter,
  refusedFor,
  waiting,
} from '../../wrappers/rate-limiting.ts'
import { keepingRefused } from '../create/bodies.ts'

/** A number of seconds as a header has it: whole, and at least 1. */
const whole = (seconds: number): string => String(Math.max(1, Math.ceil(seconds)))

const retryAfterSeconds = family(
  (seconds: (waitMs: number, nowMs: number) => number) =>
    waiting((waitMs, nowMs) => whole(seconds(waitMs, nowMs))),
  'Retry-After',
)

const refusals = family((change: Change) => onStatus(429, change), 'A 429')

const otherStatus = family(
  (status: number) => onStatus(429, replacedBy(status, 'busy', 'Please try again later.')),
  'Beyond the quota the status is',
)

const page = '<!doctype html><title>429 Too Many Requests</title><h1>Too Many Requests</h1>'

export const refusalMutants = [
  ...refusals.caughtBy('retry-after-present', {
    'retry-after-missing': ['has no Retry-After', without('Retry-After')],
    'retry-after-twice': ['has two of Retry-After', withHeaders({ 'retry-after': '1' })],
  }),
  ...family(waiting, 'Retry-After').caughtBy('retry-after-present', {
    'retry-after-empty': ['is empty', () => ''],
    'retry-after-zero': ['is always 0', () => '0'],
    'retry-after-negative': ['is negative', (waitMs) => `-${whole(waitMs / 1000)}`],
    'retry-after-decimal': ['has decimals', (waitMs) => (waitMs / 1000).toFixed(3)],
    'retry-after-with-unit': ['has a unit', (waitMs) => `${whole(waitMs / 1000)}s`],
    'retry-after-past-date': ['is past', (_, nowMs) => new Date(nowMs - 60_000).toUTCString()],
  }),
  ...retryAfterSeconds.caughtBy('retry-after-each-served', {
    'retry-after-in-minutes': ['is in minutes', (waitMs) => waitMs / 60_000],
    'retry-after-a-second-short': ['is a second or two short', (waitMs) => waitMs / 1000 - 2],
  }),
  ...retryAfterSeconds.caughtBy('retry-after-not-excessive', {
    'retry-after-milliseconds': ['is in milliseconds', (waitMs) => waitMs],
    'retry-after-epoch': ['is a Unix time', (waitMs, nowMs) => (nowMs + waitMs) / 1000],
    'retry-after-hour': ['is always an hour', () => 3_600],
  }),
  ...each({
    'refusal-wait-of-one-when-repeated @ retry-after-each-served': [
      'A repeated refusal has Retry-After: 1, whatever the first one said.',
      decidingFor(
        () => ({ isRefused: false }),
        (decision, _nowMs, latest) => {
          const isRepeated = latest.isRefused && !decision.granted && !decision.banned
          latest.isRefused = !decision.granted
          return isRepeated ? { ...decision, retryAfterMs: 1_000 } : decision
        },
      ),
    ],
    'over-limit-invalid-shows-whole-minute @ limit-not-early': [
      'Beyond the limit invalid requests are refused as such, with a whole minute in the headers.',
      onStatus(429, (refusal, request, parts) => {
        const operation = findOperation(request, parts)
        const isInvalid = operation === 'createPet' && 'refusal' in parts.readNewPet(request)
        if (operation !== 'getPet' && !isInvalid) return refusal
        const remaining = { 'X-RateLimit-Remaining': refusal.headers['X-RateLimit-Limit'] ?? '' }
        const shown = withHeaders(remaining)(without('Retry-After')(refusal))
        return isInvalid
          ? replacedBy(400, 'invalid_body', 'categoryId is required.')(shown)
          : replacedBy(404, 'not_found', 'There is no such pet.')(shown)
      }),
    ],
    'over-limit-bad-limit-served @ limit-not-late': [
      'Beyond the limit a list with an invalid limit is served.',
      where(
        ({ status }, request) => status === 429 && readQuery(request).get('limit') === '0',
        (refusal) => ({ ...without('Retry-After')(refusal), status: 200, body: '[]' }),
      ),
    ],
    'refusal-says-all-remain @ refusal-remaining-zero': [
      'X-RateLimit-Remaining of a 429 is the full limit.',
      deciding((decision) =>
        decision.granted ? decision : { ...decision, remaining: decision.limit },
      ),
    ],
    'refusal-reset-hours-ahead @ refusal-reset-ahead': [
      'X-RateLimit-Reset of a 429 for the quota is three hours too late.',
      deciding((decision) =>
        decision.granted || decision.banned
          ? decision
          : { ...decision, resetAtMs: decision.resetAtMs + 10_800_000 },
      ),
    ],
    'refused-creation-stored @ create-refused-no-trace': [
      'POST /pets beyond the quota gets 429, and the pet is stored anyway.',
      keepingRefused(429),
    ],
  }),
  ...otherStatus.caughtBy('quota-free', {
    'excess-answered-200-with-error': ['200, with an error in the body', 200],
  }),
  ...otherStatus.caughtBy('quota-429-status', {
    'excess-answered-503': ['503, the default of the proxy', 503],
    'excess-answered-401': ['401', 401, { loadVerdicts: ['load-burst-excess-429'] }],
    'excess-answered-403': ['403', 403, { loadVerdicts: ['load-ban-after-429'] }],
  }),
  ...refusals.each({
    'excess-answered-200-with-nothing @ quota-free': [
      'is replaced by a 200 with an empty list',
      (refusal) => ({ ...refusal, status: 200, body: '[]' }),
    ],
    'refusal-without-remaining @ header-remaining-present': [
      'has no X-RateLimit-Remaining',
      without('X-RateLimit-Remaining'),
    ],
    'refusal-without-reset @ header-reset-present': ['has no Reset', without('X-RateLimit-Reset')],
    'refusal-below-zero @ header-remaining-integer': [
      'says that -1 remain',
      withHeaders({ 'X-RateLimit-Remaining': '-1' }),
    ],
    'refusal-as-page @ body-media-type-json': ['is an HTML page', withBody('text/html', page)],
  }),
]

interface BanDesign {
  /** Whose refusals are counted together, and whom the ban hits; by default each key. */
  readonly counts: (key: KeyRecord) => string
  readonly hits: (key: KeyRecord) => string
  /** This many refusals cause a ban; some may have come before the run. */
  readonly afterRefusals: number
  readonly refusalsBefore: number
  /** By how many bans there were, this one included. */
  readonly lastsMs: (bans: number) => number
  /** Whether the refusal that causes the ban is already one of it. */
  readonly isAtOnce: boolean
  /** A pause after which they are. */
  readonly forgetsMs: number
  /** Whether responses during a ban do not say how long it lasts. */
  readonly hidesEnd: boolean
  /** Whether each request restarts the ban, and its response states that, or the old end. */
  readonly isProlonged: 'stated' | 'unstated' | false
}

const keyAlone = ({ key }: KeyRecord) => key

const usual: BanDesign = {
  ...{ counts: keyAlone, hits: keyAlone, afterRefusals: 3, refusalsBefore: 0 },
  lastsMs: () => 90_000,
  forgetsMs: Number.POSITIVE_INFINITY,
  ...{ isAtOnce: false, hidesEnd: false, isProlonged: false },
}

/** Counts a refusal, and says whether it causes a ban. */
const countRefusals = (design: BanDesign) => {
  const { counts, afterRefusals, refusalsBefore, forgetsMs } = design
  const refusals = new Map<string, { readonly times: number; readonly lastMs: number }>()
  return (key: KeyRecord, nowMs: number): boolean => {
    const last = refusals.get(counts(key)) ?? { times: refusalsBefore, lastMs: nowMs }
    const times = (nowMs - last.lastMs > forgetsMs ? 0 : last.times) + 1
    const isBan = times >= afterRefusals
    refusals.set(counts(key), { times: isBan ? 0 : times, lastMs: nowMs })
    return isBan
  }
}

const banned = (leftMs: number, decision: Decision, hidesEnd: boolean, nowMs: number): Decision => {
  const { retryAfterMs = hidesEnd ? decision.resetAtMs - nowMs : 0 } = decision
  const statedMs = hidesEnd ? retryAfterMs : Math.max(leftMs, retryAfterMs)
  return { ...refusedFor(statedMs, decision), banned: true }
}

const charging = (design: BanDesign): Parts['charge'] => {
  const { hits, lastsMs, isAtOnce, isProlonged, hidesEnd } = design
  const limiter = createLimiter(clockWindow)
  const isTooMuch = countRefusals(design)
  const bans = new Map<string, { number: number; untilMs: number }>()
  return (key, _request, nowMs) => {
    const decision = limiter.take(key.key, key.quota, nowMs)
    const ban = bans.get(hits(key)) ?? { number: 0, untilMs: 0 }
    bans.set(hits(key), ban)
    const oldMs = ban.untilMs - nowMs
    const isNew = oldMs <= 0
    if (isNew && (decision.granted || !isTooMuch(key, nowMs))) return decision
    ban.number += Number(isNew)
    if (isNew || isProlonged) ban.untilMs = nowMs + lastsMs(ban.number)
    if (isNew && !isAtOnce) return decision
    const leftMs = isNew || isProlonged === 'stated' ? ban.untilMs - nowMs : oldMs
    return banned(leftMs, decision, hidesEnd, nowMs)
  }
}

/** Bans in place of those of the reference. The windows are those of the clock. */
export const banning = (own: Partial<BanDesign>): Variant => ({
  parts: () => ({ charge: charging({ ...usual, ...own }) }),
})

const anyone = () => 'anyone'

const fiveMinutes = () => 300_000
const addingUp = { afterRefusals: 5, lastsMs: fiveMinutes, isAtOnce: true }

const forEver = () => 1_000 * 365 * 86_400_000

const as403 = duringBans(withStatus(403))

export const banMutants = each({
  'ban-count-of-all-keys @ ban-only-after-refusals': [
    'Refusals of all keys share one count, and the fifth bans whichever key caused it.',
    { ...banning({ ...addingUp, counts: anyone }), ...as403 },
    { suite: 'both', keys: ['business', 'enterprise'] },
  ],
  'ban-for-ever-and-told @ ban-temporary': [
    'A ban lasts a thousand years, and says so.',
    banning({ lastsMs: forEver }),
  ],
  'ban-without-rate-headers @ header-limit-present': [
    'Responses during a ban have no rate-limit headers.',
    duringBans(without(...rateLimitNames)),
  ],
  'ban-without-retry-after @ ban-retry-after': [
    'A ban gets 403 without Retry-After.',
    duringBans((response) => withStatus(403)(without('Retry-After')(response))),
  ],
  'ban-retry-after-zero @ retry-after-present': [
    'Responses during a ban have Retry-After: 0.',
    duringBans(withHeaders({ 'Retry-After': '0' })),
  ],
  'ban-at-first-refusal @ retry-after-each-served': [
    'The first refusal bans the key, whatever its Retry-After says.',
    { ...banning({ afterRefusals: 1, lastsMs: fiveMinutes }), ...as403 },
  ],
  'ban-for-ever @ retry-after-each-served': [
    'A ban never ends: someone has to lift it by hand.',
    banning({ lastsMs: forEver, hidesEnd: true }),
    { loadVerdicts: ['load-ban-ends'] },
  ],
  'ban-prolonged-untold @ retry-after-each-served': [
    'Each request during a ban restarts it, while the response still states the old end.',
    banning({ isProlonged: 'unstated' }),
  ],
  'ban-leaves-no-quota @ retry-after-each-served': [
    'After a ban the counter of the key never expires.',
    neverServedAfter(({ banned }) => banned === true),
  ],
  'ban-of-the-address @ ban-own-key': [
    'A ban blocks the client address, and so every key.',
    banning({ hits: anyone }),
    { keys: ['pro'], loadVerdicts: ['load-ban-own-key'] },
  ],
})

// What petvet reports for each library, check by check, and why. A check in no
// table passes or is observed.
import type { RunFile } from '../../engine/check/run-file.ts'
import type { MountName } from './mounts.ts'

/** The ids of checks, each with the reason in the library's own terms. */
export type Reasons = Readonly<Record<string, string>>

export interface Said {
  readonly fail: Reasons
  readonly warn: Reasons
  readonly untested: Reasons
  /** What depends on the moment: these may pass as well. */
  readonly byChance?: Reasons
}

const nothing: Said = { fail: {}, warn: {}, untested: {} }

const each = (ids: readonly string[], reason: string): Reasons =>
  Object.fromEntries(ids.map((id) => [id, reason]))

const present = ['header-limit-present', 'header-remaining-present', 'header-reset-present']

const behindAuthentication = each(
  present,
  'The limiter is behind the authentication, so a 401 has no headers of it.',
)

const elsewhere: Reasons = {
  'headers-elsewhere-present': 'A 401 at another address has no headers of the limiter either.',
}

const oneWindow = each(
  ['day-quota', 'limit-not-late'],
  'It counts in one window, the minute; nothing counts the calls of a day.',
)

const textBody = each(
  ['body-media-type-json', 'body-strict-json'],
  'Its 429 carries a line of text (its default message, or that of its README).',
)

const expressRateLimit: Said = {
  fail: { ...behindAuthentication, ...textBody, ...oneWindow },
  warn: elsewhere,
  untested: {},
}

const fastifyRateLimit: Said = {
  fail: {
    ...each(
      present,
      'The plugin is a hook of each route: 401 comes before it, and 405 has no route.',
    ),
    'header-reset-unix-seconds': 'x-ratelimit-reset is the seconds that are left (ttlInSeconds).',
    ...oneWindow,
  },
  warn: {
    'headers-elsewhere-present': 'An address without a route does not reach the plugin.',
    'error-shape-elsewhere': 'The router refuses a parameter of over 100 characters by itself.',
  },
  untested: { 'header-reset-ahead': 'What is no time does not lie ahead or behind.' },
}

const lateDates = each(
  ['limit-not-late', 'day-quota'],
  'Node keeps the text of Date for a second, in which the clock is moved.',
)

const decimalWait = 'The README divides milliseconds by 1,000, which leaves a fraction.'

const rateLimiterFlexible: Said = {
  fail: {
    'retry-after-present': decimalWait,
    ...behindAuthentication,
    ...textBody,
    ...oneWindow,
  },
  warn: elsewhere,
  untested: { 'retry-after-not-excessive': decimalWait },
  byChance: {
    'retry-after-not-excessive': 'A wait may be whole seconds.',
    ...lateDates,
  },
}

const honoRateLimiter: Said = {
  fail: {
    ...each(present, 'It knows the headers of two drafts (RateLimit-*), and no X-RateLimit-*.'),
    ...textBody,
    ...oneWindow,
  },
  warn: { 'headers-elsewhere-present': 'As on the paths of the interface.' },
  untested: {
    ...each(
      [
        'header-limit-integer',
        'header-remaining-integer',
        'header-reset-integer',
        'header-limit-of-plan',
        'header-remaining-bounds',
        'header-remaining-counts',
        'header-reset-unix-seconds',
        'header-reset-ahead',
        'count-of-any-call',
        'keys-in-turn',
        'calls-share-one-count',
        'refills-within-limit',
        'remaining-falls-by-one',
        'remaining-rises-at-reset',
        'reset-not-moved-back',
        'limit-not-early',
        'retry-after-not-excessive',
      ],
      'There are no such headers to be judged.',
    ),
  },
  byChance: lateDates,
}

export const said: Readonly<Record<MountName, Said>> = {
  'express-rate-limit': expressRateLimit,
  'express-rate-limit, conformant': nothing,
  '@fastify/rate-limit': fastifyRateLimit,
  '@fastify/rate-limit, conformant': nothing,
  'rate-limiter-flexible': rateLimiterFlexible,
  'rate-limiter-flexible, conformant': nothing,
  'rate-limiter-flexible over Redis': rateLimiterFlexible,
  'rate-limiter-flexible over Redis, conformant': nothing,
  'hono-rate-limiter': honoRateLimiter,
  'hono-rate-limiter, conformant': nothing,
}

/**
 * The designs that petvet may observe: all four have the same, which headers and waits that a
 * client can keep always show; without them it depends on when the calls came.
 */
export const designsOf = (name: MountName): readonly string[] => {
  const isShown =
    isConformant(name) || said[name] === expressRateLimit || said[name] === fastifyRateLimit
  return ['fixed window from the first request', ...(isShown ? [] : ['inconclusive'])]
}

export const names = Object.keys(said) as MountName[]

export const isConformant = (name: MountName): boolean => name.endsWith(', conformant')

/**
 * How a run differs from the expected report, one line each.
 * @param outcomes those that are compared
 */
export const unlike = (
  run: RunFile,
  expected: Said,
  outcomes: readonly ('fail' | 'warn' | 'untested')[],
): string[] => {
  const outcomeOf = new Map(run.checks.map(({ id, outcome }) => [id, outcome]))
  const isByChance = (id: string) =>
    id in (expected.byChance ?? {}) && ['pass', 'untested'].includes(outcomeOf.get(id) ?? '')
  const surprises = run.checks.flatMap(({ id, outcome, detail }) => {
    const known = outcomes.find((each) => each === outcome)
    if (outcome !== 'error' && (known === undefined || id in expected[known])) return []
    return isByChance(id) ? [] : [`${outcome} ${id}: ${detail}`]
  })
  const missing = outcomes.flatMap((outcome) =>
    Object.keys(expected[outcome])
      .filter((id) => outcomeOf.get(id) !== outcome && !isByChance(id))
      .map((id) => `${outcomeOf.get(id) ?? 'no'} ${id}, not ${outcome}`),
  )
  return [...surprises, ...missing, ...(run.impossible === null ? [] : [run.impossible])]
}

// What petvet reports for each library, check by check. A check in no table passes or is observed.
import type { RunFile } from '../../engine/check/run-file.ts'
import { type MountName, mounts } from './mounts.ts'

/** Ids of checks; docs/internals/real-limiters.md has the reasons. */
export interface Said {
  readonly fail: readonly string[]
  readonly warn: readonly string[]
  readonly untested: readonly string[]
  /** What depends on the moment: these may pass as well. */
  readonly byChance?: readonly string[]
}

const nothing: Said = { fail: [], warn: [], untested: [] }

const present = ['header-limit-present', 'header-remaining-present', 'header-reset-present']
const elsewhere = ['headers-elsewhere-present']
const oneWindow = ['day-quota', 'limit-not-late']
const textBody = ['body-media-type-json', 'body-strict-json']

// Where this machine halts for a moment no Date is believed, and then a day without headers is not
// judged: in virtual time tests/virtual/odd-targets.test.ts is sure of it.
const expressRateLimit: Said = {
  fail: [...present, ...textBody, ...oneWindow],
  warn: elsewhere,
  untested: [],
  byChance: oneWindow,
}

const fastifyRateLimit: Said = {
  fail: [...present, 'header-reset-unix-seconds', ...oneWindow],
  // Its router refuses a parameter of over 100 characters by itself.
  warn: [...elsewhere, 'error-shape-elsewhere'],
  untested: ['header-reset-ahead'],
  byChance: oneWindow,
}

// Node keeps the text of Date for a second, in which the clock is moved: a day is by chance.
const rateLimiterFlexible: Said = {
  fail: ['retry-after-present', ...present, ...textBody, ...oneWindow],
  warn: elsewhere,
  untested: ['retry-after-not-excessive'],
  byChance: ['retry-after-not-excessive', ...oneWindow],
}

const honoRateLimiter: Said = {
  fail: [...present, ...textBody, ...oneWindow],
  warn: elsewhere,
  untested: [
    ...['header-limit-integer', 'header-remaining-integer', 'header-reset-integer'],
    ...['header-limit-of-plan', 'header-remaining-bounds', 'header-remaining-counts'],
    ...['header-reset-unix-seconds', 'header-reset-ahead', 'count-of-any-call', 'keys-in-turn'],
    'count-of-unlike-calls',
    ...['calls-share-one-count', 'refills-within-limit', 'remaining-falls-by-one'],
    ...['remaining-rises-at-reset', 'reset-not-moved-back', 'limit-not-early'],
    'retry-after-not-excessive',
  ],
  byChance: oneWindow,
}

const libraries: Readonly<Record<string, Said>> = {
  'express-rate-limit': expressRateLimit,
  '@fastify/rate-limit': fastifyRateLimit,
  'rate-limiter-flexible': rateLimiterFlexible,
  'hono-rate-limiter': honoRateLimiter,
}

export const names = Object.keys(mounts) as MountName[]

export const isConformant = (name: MountName): boolean => name.endsWith(', conformant')

export const saidOf = (name: MountName): Said =>
  (isConformant(name) ? undefined : libraries[name.replace(' over Redis', '')]) ?? nothing

/** What petvet may observe of all four: a slow machine shows less, and so do missing headers. */
export const designs: readonly string[] = ['fixed window from the first request', 'inconclusive']

/** Laws that may be untested besides: a slow machine spreads calls over more windows. */
const mostUntested = 4

/**
 * How a run differs from the expected report, one line each. What is tested depends on the speed
 * of this machine as well; in virtual time the net is sure of it.
 * @param outcomes those that are compared
 */
export const unlike = (
  run: RunFile,
  expected: Said,
  outcomes: readonly ('fail' | 'warn' | 'untested')[],
): string[] => {
  const outcomeOf = new Map(run.checks.map(({ id, outcome }) => [id, outcome]))
  const isByChance = (id: string) =>
    expected.byChance?.includes(id) && ['pass', 'untested'].includes(outcomeOf.get(id) ?? '')
  const surprises = run.checks.flatMap(({ id, outcome, detail }) => {
    const known = outcomes.find((each) => each === outcome)
    if (outcome !== 'error' && (known === undefined || expected[known].includes(id))) return []
    return isByChance(id) ? [] : [`${outcome} ${id}: ${detail}`]
  })
  const missing = outcomes.flatMap((outcome) =>
    expected[outcome]
      .filter((id) => outcomeOf.get(id) !== outcome && !isByChance(id))
      .map((id) => `${outcomeOf.get(id) ?? 'no'} ${id}, not ${outcome}`),
  )
  const slow = surprises.filter((line) => line.startsWith('untested '))
  const excused = slow.length <= mostUntested ? slow : []
  return [
    ...surprises.filter((line) => !excused.includes(line)),
    ...missing,
    ...(run.impossible === null ? [] : [run.impossible]),
  ]
}

// Legal refusals beyond the quota: their Retry-After, body and delay.
import { setTimeout as sleep } from 'node:timers/promises'
import { usualBan, withBans } from '../bans.ts'
import type { Variant } from '../compose.ts'
import { createLimiter, type MakeMeter } from '../limiter.ts'
import { legalMeters } from '../limiters.ts'
import type { LegalVariant } from '../mutant.ts'
import { onStatus, withHeaders } from '../seams/responses.ts'
import { forms, notMore } from './limit-checks.ts'

const notError = ['refusal-body', 'error-shape', 'body-strict-json'] as const

/** Retry-After as a date, `laterMs` after the end of the wait. */
const dated = (laterMs: number, makeMeter: MakeMeter): Variant => ({
  parts: ({ httpDate }) => ({
    limiter: withBans(createLimiter(makeMeter), usualBan),
    retryAfter: (waitMs, nowMs) =>
      httpDate(Math.ceil((nowMs + waitMs + laterMs) / 1000 + 1) * 1000),
  }),
})

const waiting = (secondsOf: (seconds: number) => number): Variant => ({
  parts: () => ({
    retryAfter: (waitMs) => String(secondsOf(Math.max(1, Math.ceil(waitMs / 1000)))),
  }),
})

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Such as `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 9110, 5.6.7). */
const oldDate = (ms: number): string => {
  const [, day = '', month = '', year = '', time = ''] = new Date(ms).toUTCString().split(' ')
  return `${weekdays[new Date(ms).getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`
}

const withBody = (body: string): Variant => onStatus(429, (response) => ({ ...response, body }))

/** A delay that looks random: mostly 1 ms, otherwise up to 29 ms. */
const someMs = (position: number): number => (position % 4 === 0 ? (position * 17) % 30 : 1)

export const refusalVariants: readonly LegalVariant[] = [
  {
    id: 'retry-after-some-seconds-later',
    does: 'Retry-After is five seconds longer than needed.',
    exercises: ['retry-after-not-excessive', ...forms],
    ...waiting((seconds) => seconds + 5),
  },
  {
    id: 'retry-after-jittered',
    does: 'Retry-After is jittered by some seconds.',
    exercises: ['retry-after-not-excessive', ...forms],
    parts: () => {
      let refusals = 0
      return {
        retryAfter: (waitMs) => String(Math.ceil(waitMs / 1000) + 1 + ((refusals++ * 7) % 11)),
      }
    },
  },
  {
    id: 'retry-after-full-minute',
    does: 'Retry-After is never less than a minute.',
    exercises: ['retry-after-not-excessive', ...forms],
    ...waiting((seconds) => Math.max(60, seconds)),
  },
  {
    id: 'retry-after-with-zeros',
    does: 'Retry-After has leading zeros.',
    exercises: forms,
    parts: ({ retryAfter }) => ({
      retryAfter: (waitMs, nowMs) => retryAfter(waitMs, nowMs).padStart(5, '0'),
    }),
  },
  {
    id: 'retry-after-date-of-rfc-850',
    does: 'Retry-After is an HTTP-date in the obsolete RFC 850 form, which recipients must accept.',
    exercises: forms,
    parts: () => ({
      retryAfter: (waitMs, nowMs) => oldDate(Math.ceil((nowMs + waitMs) / 1000 + 1) * 1000),
    }),
  },
  {
    id: 'retry-after-date-of-log',
    does: 'A log, and Retry-After as a date.',
    exercises: forms,
    ...dated(0, legalMeters['log-reset-oldest']),
  },
  {
    id: 'retry-after-date-of-bucket',
    does: 'A token bucket, and Retry-After as a date some seconds later than needed.',
    exercises: forms,
    ...dated(4_000, legalMeters['bucket-reset-next']),
  },
  {
    id: 'refusal-body-of-one-word',
    does: 'The body of a refusal is a JSON string.',
    exercises: notError,
    ...withBody('"slow down"'),
  },
  {
    id: 'refusal-body-of-other-members',
    does: 'The body of a refusal is an object that is not an Error.',
    exercises: notError,
    ...withBody('{"error":{"type":"quota","retryable":true}}'),
  },
  {
    id: 'refusal-body-empty-object',
    does: 'The body of a refusal is an empty object.',
    exercises: notError,
    ...withBody('{}'),
  },
  {
    id: 'refusal-with-draft-headers',
    does: 'A refusal also has the headers of the newer draft.',
    exercises: ['retry-after-present', 'header-limit-integer'],
    ...onStatus(429, (response) => ({
      ...response,
      headers: {
        ...response.headers,
        'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
        RateLimit: `"minute";r=0;t=${response.headers['Retry-After']}`,
        'Cache-Control': 'no-store',
      },
    })),
  },
  {
    id: 'answers-all-with-retry-after',
    does: 'Every response has Retry-After: the seconds until Reset.',
    exercises: ['retry-after-served', 'ban-look'],
    handle:
      (honest, { clock }) =>
      async (request) => {
        const response = await honest(request)
        const resetMs = Number(response.headers['X-RateLimit-Reset']) * 1000
        const seconds = String(Math.max(1, Math.ceil((resetMs - clock.now()) / 1000)))
        return { ...response, headers: { 'Retry-After': seconds, ...response.headers } }
      },
  },
  {
    id: 'refusal-closes-connection',
    does: 'The connection is closed after a refusal.',
    exercises: ['quota-excess-429', 'quota-free-not-more', 'ban-look'],
    ...onStatus(429, withHeaders({ Connection: 'close' })),
  },
  {
    id: 'answers-late-by-chance',
    does: 'Responses take up to 30 ms, and overtake each other.',
    exercises: ['remaining-falls-by-one', 'limit-not-early', ...notMore],
    handle: (honest) => {
      let responses = 0
      return async (request) => {
        const response = await honest(request)
        await sleep(someMs(responses++))
        return response
      }
    },
  },
  {
    id: 'requests-late-by-chance',
    does: 'Requests are delayed by up to 30 ms.',
    exercises: ['remaining-falls-by-one', 'limit-not-early', ...notMore],
    handle: (honest) => {
      let requests = 0
      return async (request) => {
        await sleep(someMs(requests++))
        return honest(request)
      }
    },
  },
  {
    id: 'refusals-slow',
    does: 'A refusal takes 120 ms.',
    exercises: ['quota-excess-429', 'retry-after-served', 'retry-after-present'],
    handle: (honest) => async (request) => {
      const response = await honest(request)
      if (response.status === 429) await sleep(120)
      return response
    },
  },
]

// Faults of a refusal: its Retry-After, its status, its headers, its body, and its side effects.
import type { Variant } from '../../compose.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { refusingWith } from '../../seams/limits.ts'
import {
  onOperation,
  onStatus,
  replacedBy,
  withBody,
  withHeaders,
  without,
} from '../../seams/responses.ts'

/** Another value of Retry-After, from the wait in milliseconds and the time. */
const saying = (value: (waitMs: number, nowMs: number) => string): Variant => ({
  parts: () => ({ retryAfter: value }),
})

const seconds = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000))

/** Retry-After as a number of seconds, at least 1. */
const stating = (value: (waitMs: number, nowMs: number) => number): Variant =>
  saying((waitMs, nowMs) => String(Math.max(1, Math.ceil(value(waitMs, nowMs)))))

/** Another status in place of 429. */
const answering = (status: number): Variant =>
  onStatus(429, replacedBy(status, 'busy', 'Please try again later.'))

const page = '<!doctype html><title>429 Too Many Requests</title><h1>Too Many Requests</h1>'

/** A refused creation is stored before its refusal is answered. */
const storing: Variant = onOperation('createPet', (answer, request, { readNewPet, store }) => {
  const reading = readNewPet(request)
  if (answer.status === 429 && 'value' in reading) store.add(reading.value)
  return answer
})

export const refusalMutants: readonly Mutant[] = [
  ...caughtBy('retry-after-present', [
    [
      'retry-after-missing',
      'The library leaves Retry-After to whoever uses it.',
      onStatus(429, without('Retry-After')),
    ],
    [
      'retry-after-missing-on-creations',
      'Writes are refused in front of the code that says how long to wait.',
      onOperation('createPet', (answer, request, parts) =>
        answer.status === 429 ? without('Retry-After')(answer, request, parts) : answer,
      ),
    ],
    ['retry-after-empty', 'The time was not ready when it was printed.', saying(() => '')],
    [
      'retry-after-zero',
      'The counter is looked up without its prefix, and has no end.',
      saying(() => '0'),
    ],
    [
      'retry-after-negative',
      'The window is subtracted the wrong way round.',
      saying((waitMs) => String(-seconds(waitMs))),
    ],
    [
      'retry-after-decimal',
      'Milliseconds are divided, and not rounded.',
      saying((waitMs) => (waitMs / 1000).toFixed(3)),
    ],
    [
      'retry-after-with-unit',
      'The unit is written beside the number.',
      saying((waitMs) => `${seconds(waitMs)}s`),
    ],
    ['retry-after-in-words', 'It is told to people.', saying(() => 'in a minute')],
    [
      'retry-after-iso',
      'The date is written as JSON has it.',
      saying((waitMs, nowMs) => new Date(nowMs + waitMs).toISOString()),
    ],
    [
      'retry-after-with-sign',
      'A library for numbers writes the sign.',
      saying((waitMs) => `+${seconds(waitMs)}`),
    ],
    [
      'retry-after-past-date',
      'The date is when the window began.',
      saying((waitMs, nowMs) => new Date(nowMs + waitMs - 120_000).toUTCString()),
    ],
    [
      'retry-after-date-in-other-zone',
      'A local time, three hours behind, is labelled GMT.',
      saying((waitMs, nowMs) => new Date(nowMs + waitMs - 3 * 3_600_000).toUTCString()),
    ],
    [
      'retry-after-twice',
      'The gateway and the service both send it, and not the same.',
      onStatus(429, (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'retry-after': '1' },
      })),
    ],
  ]),
  ...caughtBy('retry-after-served', [
    ['retry-after-constant-one', 'Retry-After is always 1.', stating(() => 1)],
    [
      'retry-after-half-the-wait',
      'Half the wait is said, to spread the callers.',
      stating((waitMs) => Math.floor(waitMs / 2_000)),
    ],
    [
      'retry-after-in-minutes',
      'The wait is rounded up to minutes, and said without a unit.',
      stating((waitMs) => Math.ceil(waitMs / 60_000)),
    ],
    [
      'retry-after-a-second-short',
      'The wait is rounded down, and counted from the second that has begun.',
      stating((waitMs) => Math.floor(waitMs / 1000) - 1),
    ],
    [
      'retry-after-two-seconds-short',
      'Two seconds are subtracted for the time on the network.',
      stating((waitMs) => Math.ceil(waitMs / 1000) - 2),
    ],
    [
      'retry-after-ten-seconds-short',
      'The time of the cache in between is subtracted.',
      stating((waitMs) => Math.floor(waitMs / 1000) - 10),
    ],
  ]),
  ...caughtBy('retry-after-not-excessive', [
    ['retry-after-milliseconds', 'The wait is in milliseconds.', stating((waitMs) => waitMs)],
    [
      'retry-after-epoch',
      'The time of the reset is written, in Unix seconds.',
      { shownBy: 'whole run', ...stating((waitMs, nowMs) => (nowMs + waitMs) / 1000) },
    ],
    [
      'retry-after-year',
      'A constant of some library stands for `later`: a year.',
      { shownBy: 'whole run', ...stating(() => 31_536_000) },
    ],
    ['retry-after-hour', 'Every refusal asks for an hour.', stating(() => 3_600)],
  ]),
  {
    id: 'retry-after-zero-in-last-second',
    caughtBy: 'retry-after-last-second',
    fault: 'A wait of less than a second is shown as none.',
    ...saying((waitMs) => String(waitMs < 1_000 ? 0 : Math.ceil(waitMs / 1_000))),
  },
  ...caughtBy('quota-excess-429', [
    [
      'excess-answered-503',
      'The proxy in front refuses with 503, as it does unless told otherwise.',
      answering(503),
    ],
    [
      'excess-answered-401',
      'A spent key is taken for an invalid one.',
      {
        loadVerdicts: ['load-burst-excess-429'],
        ...answering(401),
      },
    ],
    ['excess-answered-418', 'The joke was never replaced.', answering(418)],
    [
      'excess-answered-200-with-error',
      'The refusal stands in the body of an answer 200.',
      answering(200),
    ],
    [
      'excess-answered-302',
      'Who is over the limit is sent to the page that sells more.',
      onStatus(429, (answer) => ({
        ...answer,
        status: 302,
        headers: { ...answer.headers, Location: '/pricing' },
      })),
    ],
  ]),
  ...caughtBy('quota-429-status', [
    [
      'excess-answered-403',
      'The quota is taken for a right that is missing.',
      {
        loadVerdicts: ['load-ban-after-429'],
        ...answering(403),
      },
    ],
    ['excess-answered-400', 'Every refusal of the gateway is a 400.', answering(400)],
    ['excess-answered-500', 'The exception of the limiter is caught by nobody.', answering(500)],
    [
      'excess-answered-200-with-nothing',
      'Who is over the limit gets an empty list.',
      onStatus(429, (answer) => ({ ...answer, status: 200, body: '[]' })),
    ],
  ]),
  {
    id: 'refusal-without-limit',
    caughtBy: 'header-limit-present',
    fault: 'The proxy that refuses does not know the three headers.',
    ...onStatus(429, without('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset')),
  },
  {
    id: 'refusal-without-remaining',
    caughtBy: 'header-remaining-present',
    fault: 'Nothing remains, so nothing is said.',
    ...onStatus(429, without('X-RateLimit-Remaining')),
  },
  {
    id: 'refusal-without-reset',
    caughtBy: 'header-reset-present',
    fault: 'Retry-After says it, so Reset is left out.',
    ...onStatus(429, without('X-RateLimit-Reset')),
  },
  {
    id: 'refusal-below-zero',
    caughtBy: 'header-remaining-integer',
    fault: 'The refused call is subtracted too.',
    ...onStatus(429, withHeaders({ 'X-RateLimit-Remaining': '-1' })),
  },
  {
    id: 'refusal-as-page',
    caughtBy: 'body-media-type-json',
    fault: 'The proxy that refuses writes a page.',
    ...onStatus(429, withBody('text/html', page)),
  },
  ...caughtBy('refusal-remaining-zero', [
    [
      'refusal-says-one-remains',
      'Remaining is read from a copy that is a call behind.',
      refusingWith((refusal) => ({ ...refusal, remaining: 1 })),
    ],
    [
      'refusal-says-all-remain',
      'A refusal shows the plan, and not the count.',
      refusingWith((refusal) => ({ ...refusal, remaining: refusal.limit })),
    ],
  ]),
  {
    id: 'refused-creation-stored',
    caughtBy: 'refused-creation-no-effect',
    fault: 'The limiter runs after the handler, and takes the answer alone.',
    ...storing,
  },
]

// Faults of headers that a single response shows, and of Date.
import { gzipSync } from 'node:zlib'
import type { Variant } from '../../compose.ts'
import { splitTarget } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import {
  dated,
  everyResponse,
  inCoding,
  onErrors,
  onOperation,
  onStatus,
  rewritingHeader,
  without,
} from '../../seams/responses.ts'

const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

/** A second header line of the same name, as a gateway adds one. */
const sentTwice = (name: string): Variant =>
  everyResponse((answer) => {
    const value = answer.headers[name] ?? ''
    return { ...answer, headers: { ...answer.headers, [name.toLowerCase()]: value } }
  })

export const headerMutants: readonly Mutant[] = [
  ...caughtBy('header-limit-present', [
    [
      'headers-missing-on-401',
      'The guard answers before the limiter has run.',
      onStatus(401, without(...names)),
    ],
    [
      'headers-missing-on-405',
      'The router answers 405 by itself.',
      onStatus(405, without(...names)),
    ],
    [
      'headers-missing-on-fetch',
      'The deprecated operation was left out.',
      onOperation('getPet', without(...names)),
    ],
    [
      'headers-missing-on-success',
      'The headers are only sent where they matter to somebody.',
      everyResponse((answer, request, parts) =>
        answer.status < 400 ? without(...names)(answer, request, parts) : answer,
      ),
    ],
    [
      'headers-renamed',
      'The library sends the names of the newer draft.',
      {
        parts: ({ rateLimitHeaders }) => ({
          rateLimitHeaders: (decision) => {
            const [limit = '', remaining = '', reset = ''] = Object.values(
              rateLimitHeaders(decision),
            )
            return {
              'RateLimit-Limit': limit,
              'RateLimit-Remaining': remaining,
              'RateLimit-Reset': reset,
            }
          },
        }),
      },
    ],
  ]),
  ...caughtBy('header-remaining-present', [
    [
      'headers-missing-on-404',
      'An exception in the handler loses the headers that were set.',
      onStatus(404, without(...names)),
    ],
    [
      'headers-missing-on-creation',
      'Only reads pass the limiter.',
      onOperation('createPet', without(...names)),
    ],
  ]),
  ...caughtBy('header-reset-present', [
    [
      'headers-missing-on-400',
      'The validator answers in front of the limiter.',
      onStatus(400, without(...names)),
    ],
    [
      'header-reset-missing',
      'Limit and Remaining are sent, and Reset is not.',
      everyResponse(without('X-RateLimit-Reset')),
    ],
  ]),
  {
    id: 'headers-missing-elsewhere',
    caughtBy: 'headers-elsewhere-present',
    fault: 'An address without a route never reaches the limiter.',
    ...onErrors((answer, request, parts) => {
      const { path } = splitTarget(request.target)
      return path.startsWith('/v1/pets') ? answer : without(...names)(answer, request, parts)
    }),
  },
  {
    id: 'answer-compressed-unasked',
    caughtBy: 'body-coding-identity',
    fault: 'The proxy compresses every body and never looks at Accept-Encoding.',
    ...everyResponse(inCoding('gzip', gzipSync)),
  },
  ...caughtBy('header-limit-integer', [
    [
      'header-limit-of-both-windows',
      'Limit lists the minute and the day.',
      rewritingHeader('Limit', (limit) => `${limit}, 1000`),
    ],
    [
      'header-limit-with-window',
      'Limit says its window too, as the draft has it.',
      rewritingHeader('Limit', (limit) => `${limit};w=60`),
    ],
    [
      'header-limit-doubled',
      'The gateway and the service both send it.',
      sentTwice('X-RateLimit-Limit'),
    ],
  ]),
  ...caughtBy('header-remaining-integer', [
    [
      'header-remaining-decimal',
      'A bucket that refills evenly is shown with its fractions.',
      rewritingHeader('Remaining', (remaining) => (remaining + 0.25).toFixed(2)),
    ],
    [
      'header-remaining-negative',
      'To who has no key, less than nothing remains.',
      onStatus(401, (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'X-RateLimit-Remaining': '-1' },
      })),
    ],
    [
      'header-remaining-null',
      'A counter that is not there yet is printed.',
      rewritingHeader('Remaining', (remaining) => (remaining === 59 ? 'null' : String(remaining))),
    ],
  ]),
  ...caughtBy('header-reset-integer', [
    [
      'header-reset-iso',
      'Reset is written as an ISO date.',
      rewritingHeader('Reset', (reset) => new Date(reset * 1000).toISOString()),
    ],
    [
      'header-reset-decimal',
      'Reset keeps the fraction of its second.',
      rewritingHeader('Reset', (reset) => `${reset}.412`),
    ],
  ]),
]

const hourMs = 3_600_000

const onceMade = () => {
  let first: number | undefined
  return (nowMs: number) => {
    first ??= nowMs
    return first
  }
}

const doubled = () => {
  let first: number | undefined
  return (nowMs: number) => {
    first ??= nowMs
    return nowMs + (nowMs - first)
  }
}

const byTurns = () => {
  const hours = [0, 5, -3, 1, -7]
  let responses = 0
  return (nowMs: number) => nowMs + (hours[responses++ % hours.length] ?? 0) * hourMs
}

/** The clock of the machine, whatever the test clock says. */
const ofMachine = () => () => Date.now()

export const dateMutants: readonly Mutant[] = caughtBy('date-advances', [
  [
    'date-stands-still',
    'The text of Date is made once, when the first response is written.',
    dated(onceMade),
  ],
  ['date-twice-as-fast', 'What passed since the start is added to Date twice.', dated(doubled)],
  [
    'date-runs-wild',
    'Each worker writes Date by the time zone that its machine happens to have.',
    dated(byTurns),
  ],
  [
    'date-of-another-clock',
    'The proxy in front writes Date, and the test clock does not reach it.',
    dated(ofMachine),
  ],
])

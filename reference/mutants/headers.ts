// Faults of the rate-limit headers, as far as any one answer shows them.
import { gzipSync } from 'node:zlib'
import type { Variant } from '../compose.ts'
import { splitTarget } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import {
  everyAnswer,
  inCoding,
  onErrors,
  onOperation,
  onStatus,
  rewritingHeader,
  without,
} from './over.ts'

const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

const missing: readonly Mutant[] = [
  {
    id: 'headers-missing-on-401',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'The guard answers before the limiter has run.',
    ...onStatus(401, without(...names)),
  },
  {
    id: 'headers-missing-on-404',
    breaks: 'headers.remaining',
    caughtBy: 'header-remaining-present',
    fault: 'An exception in the handler loses the headers that were set.',
    ...onStatus(404, without(...names)),
  },
  {
    id: 'headers-missing-on-400',
    breaks: 'headers.reset',
    caughtBy: 'header-reset-present',
    fault: 'The validator answers in front of the limiter.',
    ...onStatus(400, without(...names)),
  },
  {
    id: 'headers-missing-on-405',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'The router answers 405 by itself.',
    ...onStatus(405, without(...names)),
  },
  {
    id: 'headers-missing-on-creation',
    breaks: 'headers.remaining',
    caughtBy: 'header-remaining-present',
    fault: 'Only reads pass the limiter.',
    ...onOperation('createPet', without(...names)),
  },
  {
    id: 'headers-missing-on-fetch',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'The deprecated operation was left out.',
    ...onOperation('getPet', without(...names)),
  },
  {
    id: 'headers-missing-on-success',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'The headers are only sent where they matter to somebody.',
    ...everyAnswer((answer, request, parts) =>
      answer.status < 400 ? without(...names)(answer, request, parts) : answer,
    ),
  },
  {
    id: 'header-reset-missing',
    breaks: 'headers.reset',
    caughtBy: 'header-reset-present',
    fault: 'Limit and Remaining are sent, and Reset is not.',
    ...everyAnswer(without('X-RateLimit-Reset')),
  },
  {
    id: 'headers-renamed',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'The library sends the names of the newer draft.',
    parts: ({ rateLimitHeaders }) => ({
      rateLimitHeaders: (decision) => {
        const [limit = '', remaining = '', reset = ''] = Object.values(rateLimitHeaders(decision))
        return {
          'RateLimit-Limit': limit,
          'RateLimit-Remaining': remaining,
          'RateLimit-Reset': reset,
        }
      },
    }),
  },
  {
    id: 'headers-missing-elsewhere',
    breaks: 'headers.elsewhere',
    caughtBy: 'headers-elsewhere-present',
    fault: 'An address without a route never reaches the limiter.',
    ...onErrors((answer, request, parts) => {
      const { path } = splitTarget(request.target)
      return path.startsWith('/v1/pets') ? answer : without(...names)(answer, request, parts)
    }),
  },
]

/** A second header line of the same name, as a gateway adds one. */
const doubled = (name: string): Variant =>
  everyAnswer((answer) => {
    const value = answer.headers[name] ?? ''
    return { ...answer, headers: { ...answer.headers, [name.toLowerCase()]: value } }
  })

const form: readonly Mutant[] = [
  {
    id: 'answer-compressed-unasked',
    breaks: 'service.coding',
    caughtBy: 'body-coding-identity',
    fault: 'The proxy compresses every body and never looks at Accept-Encoding.',
    ...everyAnswer(inCoding('gzip', gzipSync)),
  },
  {
    id: 'header-limit-of-both-windows',
    breaks: 'headers.form',
    caughtBy: 'header-limit-integer',
    fault: 'Limit lists the minute and the day.',
    ...rewritingHeader('Limit', (limit) => `${limit}, 1000`),
  },
  {
    id: 'header-limit-with-window',
    breaks: 'headers.form',
    caughtBy: 'header-limit-integer',
    fault: 'Limit says its window too, as the draft has it.',
    ...rewritingHeader('Limit', (limit) => `${limit};w=60`),
  },
  {
    id: 'header-limit-doubled',
    breaks: 'headers.form',
    caughtBy: 'header-limit-integer',
    fault: 'The gateway and the service both send it.',
    ...doubled('X-RateLimit-Limit'),
  },
  {
    id: 'header-remaining-decimal',
    breaks: 'headers.form',
    caughtBy: 'header-remaining-integer',
    fault: 'A bucket that refills evenly is shown with its fractions.',
    ...rewritingHeader('Remaining', (remaining) => (remaining + 0.25).toFixed(2)),
  },
  {
    id: 'header-remaining-negative',
    breaks: 'headers.form',
    caughtBy: 'header-remaining-integer',
    fault: 'To who has no key, less than nothing remains.',
    ...onStatus(401, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'X-RateLimit-Remaining': '-1' },
    })),
  },
  {
    id: 'header-remaining-null',
    breaks: 'headers.form',
    caughtBy: 'header-remaining-integer',
    fault: 'A counter that is not there yet is printed.',
    ...rewritingHeader('Remaining', (remaining) => (remaining === 59 ? 'null' : String(remaining))),
  },
  {
    id: 'header-reset-iso',
    breaks: 'headers.form',
    caughtBy: 'header-reset-integer',
    fault: 'Reset is written as an ISO date.',
    ...rewritingHeader('Reset', (reset) => new Date(reset * 1000).toISOString()),
  },
  {
    id: 'header-reset-decimal',
    breaks: 'headers.form',
    caughtBy: 'header-reset-integer',
    fault: 'Reset keeps the fraction of its second.',
    ...rewritingHeader('Reset', (reset) => `${reset}.412`),
  },
]

export const headerMutants: readonly Mutant[] = [...missing, ...form]

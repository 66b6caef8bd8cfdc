// Other legal times: a Date that is wrong or cached, and the moment when GET by id is removed.

import { type LegalVariant, legal } from '../mutant.ts'
import { dateMutants } from '../mutants/headers/headers.ts'
import type { Variant } from '../variant.ts'
import { dated } from '../wrappers/middleware.ts'
import { onResponse } from '../wrappers/pet-store.ts'
import { numbers } from './limit-checks.ts'

const gone = ['get-after-removal-gone', 'version-deprecated-until-removal'] as const

const hourMs = 3_600_000

/** The text is updated only when it is this old. */
const keptFor = (ms: number) => () => {
  let kept = Number.NEGATIVE_INFINITY
  return (nowMs: number) => {
    if (nowMs >= kept + ms) kept = nowMs
    return kept
  }
}

export const dateVariants: readonly LegalVariant[] = [
  // Servers with a wrong Date violate only that should.
  ...dateMutants.map(
    ({ id, caughtBy, fault, handle }): LegalVariant => ({
      id: `${id}-alone`,
      does: fault,
      exercises: [...numbers, 'date-advances', 'retry-after-served'],
      warns: [caughtBy],
      ...(handle && { handle }),
    }),
  ),
  ...legal({
    'date-hours-behind': [
      'Date is seven hours behind.',
      [...numbers, 'date-advances'],
      dated(() => (nowMs) => nowMs - 7 * hourMs),
    ],
    'date-minutes-ahead': [
      'Date is four minutes ahead.',
      [...numbers, 'date-advances'],
      dated(() => (nowMs) => nowMs + hourMs / 15),
    ],
    'date-kept-for-two-seconds': [
      'Date is updated every two seconds.',
      [...numbers, 'date-advances', 'window-not-shorter'],
      dated(keptFor(2_000)),
    ],
    'date-kept-for-eight-seconds': [
      'Date is updated every eight seconds.',
      [...numbers, 'date-advances', 'window-not-shorter'],
      dated(keptFor(8_000)),
    ],
  }),
]

const removedAt = (removalAtMs: number): Variant => ({ parts: () => ({ removalAtMs }) })

/** The removed operation gets this status. */
const removedAs = (status: number): Variant =>
  onResponse('getPet', 410, (_response, { error }) =>
    error(status, 'gone', 'There is nothing here.'),
  )

export const legalRemovals = legal({
  'removed-404': ['The removed operation gets 404.', gone, removedAs(404)],
  'removed-501': ['The removed operation gets 501.', [...gone, 'answer-no-5xx'], removedAs(501)],
  'removed-with-announcements': [
    'After the removal the response has none of its headers.',
    [...gone, 'get-sunset-header-date', 'get-deprecation-header-date'],
    onResponse('getPet', 410, ({ status, body }) => ({ status, headers: {}, body })),
  ],
  'removed-at-the-end-of-the-day': [
    'The operation works until the end of its removal day.',
    [...gone, 'get-last-evening-200'],
    removedAt(Date.UTC(2030, 11, 5, 23, 59, 59)),
  ],
  'removed-at-noon': [
    'The operation is removed at noon of its day.',
    [...gone, 'get-last-evening-200'],
    removedAt(Date.UTC(2030, 11, 5, 12)),
  ],
})

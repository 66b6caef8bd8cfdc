// Other legal times: a Date that is wrong or cached, and the moment when GET by id is removed.

import type { Variant } from '../compose.ts'
import type { LegalVariant } from '../mutant.ts'
import { dateMutants } from '../mutants/headers/headers.ts'
import { onResponse } from '../seams/pets.ts'
import { dated } from '../seams/responses.ts'
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
  {
    id: 'date-hours-behind',
    does: 'Date is seven hours behind.',
    exercises: [...numbers, 'date-advances'],
    ...dated(() => (nowMs) => nowMs - 7 * hourMs),
  },
  {
    id: 'date-minutes-ahead',
    does: 'Date is four minutes ahead.',
    exercises: [...numbers, 'date-advances'],
    ...dated(() => (nowMs) => nowMs + hourMs / 15),
  },
  {
    id: 'date-kept-for-two-seconds',
    does: 'Date is updated every two seconds.',
    exercises: [...numbers, 'date-advances', 'window-not-shorter'],
    ...dated(keptFor(2_000)),
  },
  {
    id: 'date-kept-for-eight-seconds',
    does: 'Date is updated every eight seconds.',
    exercises: [...numbers, 'date-advances', 'window-not-shorter'],
    ...dated(keptFor(8_000)),
  },
]

const removedAt = (removalAtMs: number): Variant => ({ parts: () => ({ removalAtMs }) })

export const legalRemovals: readonly LegalVariant[] = [
  ...([404, 501] as const).map(
    (status): LegalVariant => ({
      id: `removed-${status}`,
      does: `The removed operation gets ${status}.`,
      exercises: [...gone, ...(status === 501 ? ['answer-no-5xx'] : [])],
      ...onResponse('getPet', 410, (_response, { error }) =>
        error(status, 'gone', 'There is nothing here.'),
      ),
    }),
  ),
  {
    id: 'removed-with-announcements',
    does: 'After the removal the response has none of its headers.',
    exercises: [...gone, 'get-sunset-header-date', 'get-deprecation-header-date'],
    ...onResponse('getPet', 410, ({ status, body }) => ({ status, headers: {}, body })),
  },
  {
    id: 'removed-at-the-end-of-the-day',
    does: 'The operation works until the end of its removal day.',
    exercises: [...gone, 'get-last-evening-200'],
    ...removedAt(Date.UTC(2030, 11, 5, 23, 59, 59)),
  },
  {
    id: 'removed-at-noon',
    does: 'The operation is removed at noon of its day.',
    exercises: [...gone, 'get-last-evening-200'],
    ...removedAt(Date.UTC(2030, 11, 5, 12)),
  },
]

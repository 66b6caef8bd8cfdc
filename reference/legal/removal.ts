// Removals that keep every sentence in another way: the answer after it, and its moment.
import type { Variant } from '../compose.ts'
import type { LegalVariant } from '../mutant.ts'
import { onAnswer } from '../mutants/over-animals.ts'

const removedAt = (removalAtMs: number): Variant => ({ parts: () => ({ removalAtMs }) })

export const legalRemovals: readonly LegalVariant[] = [
  ...([404, 501] as const).map(
    (status): LegalVariant => ({
      id: `removed-${status}`,
      does: `The removed operation is answered ${status}.`,
      ...onAnswer('getPet', 410, (_answer, { error }) =>
        error(status, 'gone', 'There is nothing here.'),
      ),
    }),
  ),
  {
    id: 'removed-with-announcements',
    does: 'After the removal its headers are gone too.',
    ...onAnswer('getPet', 410, ({ status, body }) => ({ status, headers: {}, body })),
  },
  {
    id: 'removed-at-the-end-of-the-day',
    does: 'The operation works through the day of its removal.',
    ...removedAt(Date.UTC(2030, 11, 5, 23, 59, 59)),
  },
  {
    id: 'removed-at-noon',
    does: 'The operation goes at noon of its day.',
    ...removedAt(Date.UTC(2030, 11, 5, 12)),
  },
]

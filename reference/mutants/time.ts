// Faults around the removal of the fetch by id: when it happens, and what goes with it.

import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import type { Mutant } from '../mutant.ts'
import { answering, onAnswer } from './over-animals.ts'

const dayMs = 86_400_000

/** Removes the operation at another time than it announces. */
const removedAt = (removalAtMs: number): Variant => ({
  parts: ({ deprecationHeaders, removalAtMs: announcedMs }) => ({
    removalAtMs,
    deprecationHeaders: () => deprecationHeaders(announcedMs),
  }),
})

const endOfRemovalDay = Date.UTC(2030, 11, 6)

const whenGone: readonly Mutant[] = [
  {
    id: 'removed-a-day-early',
    breaks: 'get.until-removal',
    caughtBy: 'get-last-evening-200',
    fault: 'The date of the removal is taken for the first day without the operation, less one.',
    ...removedAt(Date.UTC(2030, 11, 4)),
  },
  {
    id: 'removed-in-november',
    breaks: 'get.until-removal',
    caughtBy: 'get-last-evening-200',
    fault: 'Months are counted from 0.',
    ...removedAt(Date.UTC(2030, 10, 5)),
  },
  {
    id: 'never-removed',
    breaks: 'get.removed',
    caughtBy: 'get-after-removal-gone',
    fault: 'The removal was forgotten.',
    ...removedAt(Date.UTC(2999, 0, 1)),
  },
  {
    id: 'removed-a-week-late',
    breaks: 'version.deprecated-works',
    caughtBy: 'version-deprecated-until-removal',
    fault: 'The removal waits for the next release.',
    ...removedAt(Date.UTC(2030, 11, 5) + 7 * dayMs),
  },
  {
    id: 'removed-by-a-western-clock',
    breaks: 'get.removed',
    caughtBy: 'get-after-removal-gone',
    fault: 'The day ends by the local time of the server, eight hours behind.',
    ...removedAt(endOfRemovalDay + dayMs / 3),
  },
  {
    id: 'removed-answers-403',
    breaks: 'get.removed',
    caughtBy: 'get-after-removal-gone',
    fault: 'The removed operation is forbidden, as if another key could use it.',
    ...onAnswer('getPet', 410, (_answer, { error }) =>
      error(403, 'gone', 'This operation must not be used.'),
    ),
  },
  {
    id: 'removed-redirects',
    breaks: 'version.deprecated-works',
    caughtBy: 'version-deprecated-until-removal',
    fault: 'The removed operation redirects to the list.',
    ...onAnswer('getPet', 410, () => ({
      status: 301,
      headers: { Location: '/v1/pets' },
      body: '',
    })),
  },
]

/** Past the removal, or from some hours before it on. */
const isPast = (nowMs: number, beforeMs: number) => nowMs >= Date.UTC(2030, 11, 5) - beforeMs

const refusingFilter = (beforeMs: number, untilMs: number): Variant => ({
  parts: ({ readStatus, clock }) => ({
    readStatus: (values) =>
      values.length > 0 && isPast(clock.now(), beforeMs) && clock.now() < untilMs
        ? refuse(410, 'gone', 'This was removed.')
        : readStatus(values),
  }),
})

const refusingCreation = (beforeMs: number, untilMs: number): Variant =>
  answering('createPet', (answer, { nowMs }, { error }) =>
    isPast(nowMs, beforeMs) && nowMs < untilMs
      ? error(405, 'method_not_allowed', 'This was removed.')
      : answer,
  )

const withIt: readonly Mutant[] = [
  {
    id: 'filter-removed-too',
    breaks: 'get.replacement',
    caughtBy: 'list-after-removal-200',
    fault: 'The filter is removed along with the fetch it replaces.',
    ...refusingFilter(0, Number.POSITIVE_INFINITY),
  },
  {
    id: 'filter-off-the-evening-before',
    breaks: 'get.replacement',
    caughtBy: 'list-last-evening-200',
    fault: 'The filter is off while the removal is prepared.',
    ...refusingFilter(dayMs, Date.UTC(2030, 11, 5)),
  },
  {
    id: 'creation-removed-too',
    breaks: 'get.replacement',
    caughtBy: 'create-after-removal-201',
    fault: 'Creations are removed along with the fetch of what they create.',
    ...refusingCreation(0, Number.POSITIVE_INFINITY),
  },
  {
    id: 'creation-off-the-evening-before',
    breaks: 'get.replacement',
    caughtBy: 'create-last-evening-201',
    fault: 'The service is read-only while the removal is prepared.',
    ...refusingCreation(dayMs, Date.UTC(2030, 11, 5)),
  },
]

export const timeMutants: readonly Mutant[] = [...whenGone, ...withIt]

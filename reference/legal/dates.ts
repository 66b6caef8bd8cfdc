// A Date that is not the time at the target, and may be so: off by hours, or kept for a while.
import type { LegalVariant } from '../mutant.ts'
import { dated, wrongDateVariants } from '../mutants/dates.ts'

const hourMs = 3_600_000

/** The text is made anew only when it is so old. */
const keptFor = (ms: number) => () => {
  let kept = Number.NEGATIVE_INFINITY
  return (nowMs: number) => {
    if (nowMs >= kept + ms) kept = nowMs
    return kept
  }
}

export const dateVariants: readonly LegalVariant[] = [
  ...wrongDateVariants,
  {
    id: 'date-hours-behind',
    does: 'The machine that writes Date has a clock seven hours behind.',
    ...dated(() => (nowMs) => nowMs - 7 * hourMs),
  },
  {
    id: 'date-minutes-ahead',
    does: 'The machine that writes Date has a clock four minutes ahead.',
    ...dated(() => (nowMs) => nowMs + hourMs / 15),
  },
  {
    id: 'date-kept-for-two-seconds',
    does: 'The text of Date is made anew every two seconds.',
    ...dated(keptFor(2_000)),
  },
  {
    id: 'date-kept-for-eight-seconds',
    does: 'The text of Date is made anew every eight seconds.',
    ...dated(keptFor(8_000)),
  },
]

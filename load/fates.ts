// What became of a request. Each is exactly one fate; a ban is told from a spent quota by what the
// key was told before.
import type { Fate } from '../engine/load-figures.ts'
import type { Sample } from './load-form.ts'

/** A wait that ends so much later than the first one told is not that of the window any more. */
const laterMs = 5_000

interface Refused {
  /** When the first refusal came, and when the wait that it told is over. */
  readonly atMs: number
  readonly endsMs: number | undefined
}

const endOf = (sample: Sample) => sample.sentMs + sample.ms

/** @param waitMs the wait that a refusal tells, from its answer on */
export const createFates = (
  waitMs: (sample: Sample) => number | undefined,
): ((sample: Sample) => Fate) => {
  const refusedOf = new Map<string, Refused>()

  const refuse = (sample: Sample): Fate => {
    const before = refusedOf.get(sample.key)
    const told = waitMs(sample)
    const endsMs = told === undefined ? undefined : endOf(sample) + told
    if (!before) {
      refusedOf.set(sample.key, { atMs: endOf(sample), endsMs })
      return 'refused'
    }
    if (before.endsMs === undefined) return 'refused'
    return endsMs === undefined || endsMs > before.endsMs + laterMs ? 'banned' : 'refused'
  }

  const serve = ({ key, sentMs }: Sample): Fate => {
    // What was under way together with the refusal says nothing of what came after it.
    const before = refusedOf.get(key)
    if (before && sentMs > before.atMs) refusedOf.delete(key)
    return 'served'
  }

  return (sample) => {
    const { key, status, lost } = sample
    if (lost !== null) return lost
    if (status >= 200 && status < 300) return serve(sample)
    if (status === 429) return refuse(sample)
    if (refusedOf.has(key) && (status === 401 || status === 403)) return 'banned'
    return status >= 500 ? 'serverError' : 'otherClientError'
  }
}

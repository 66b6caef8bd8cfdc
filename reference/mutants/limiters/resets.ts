// Faults that show from one answer to the next: Reset moves back, counts are lost or held.
import type { Variant } from '../../compose.ts'
import { clockWindow, createLimiter, type Limiter } from '../../limiter.ts'
import type { ApiResponse } from '../../message.ts'
import type { Mutant } from '../../mutant.ts'
import { rewritingHeader } from '../over.ts'
import { limitedBy } from './over.ts'

/** All counts are lost after so many calls, of whatever key. */
const losingCounts = (afterCalls: number) => (): Limiter => {
  let current = createLimiter(clockWindow)
  let calls = 0
  return {
    take: (key, quota, nowMs) => {
      calls += 1
      if (calls % afterCalls === 0) current = createLimiter(clockWindow)
      return current.take(key, quota, nowMs)
    },
  }
}

const heldMs = 10_000

/** A list that was answered within the last ten seconds is answered again, with its headers. */
const cachingLists: Variant = {
  handle: (honest, { clock }) => {
    const held = new Map<string, { answer: ApiResponse; untilMs: number }>()
    return async (request) => {
      const nowMs = clock.now()
      const name = `${request.header('authorization')} ${request.target}`
      const known = request.method === 'GET' ? held.get(name) : undefined
      if (known && nowMs < known.untilMs) return known.answer
      const answer = await honest(request)
      if (answer.status === 200) held.set(name, { answer, untilMs: nowMs + heldMs })
      return answer
    }
  },
}

/** Reset is so many seconds later, from one answer to the next. */
const byTurns = (laterSeconds: readonly number[]): Variant => {
  let answers = 0
  const later = () => laterSeconds[answers++ % laterSeconds.length] ?? 0
  return rewritingHeader('Reset', (reset) => String(reset + later()))
}

export const resetMutants: readonly Mutant[] = [
  {
    id: 'reset-of-several-workers',
    breaks: 'headers.reset.kept',
    caughtBy: 'reset-not-moved-back',
    fault: 'Each worker tells when its own last window ends, and they were started apart.',
    ...byTurns([0, 35, 15, 50]),
  },
  {
    id: 'counts-lost-in-a-restart',
    breaks: 'limits.not-late',
    caughtBy: 'limit-not-late',
    fault: 'The counts are kept in a process that is started anew every forty calls.',
    ...limitedBy(losingCounts(40)),
  },
  {
    id: 'lists-from-a-cache',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'A cache in front answers lists, with the headers that they had, for ten seconds.',
    ...cachingLists,
  },
]

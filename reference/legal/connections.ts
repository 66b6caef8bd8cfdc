// Other legal manners with requests in flight at the same time, and with what went before.
import type { Handle } from '../message.ts'
import type { LegalVariant } from '../mutant.ts'
import { coercing } from '../mutants/over-animals.ts'

/** Each answer takes as many turns of the event loop as come out, so that none keeps its place. */
const outOfOrder = (honest: Handle): Handle => {
  let count = 0
  return async (request) => {
    count += 1
    for (let turn = (count * 37) % 60; turn > 0; turn -= 1) {
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    return honest(request)
  }
}

const oneAtATime = (honest: Handle): Handle => {
  let last: Promise<unknown> = Promise.resolve()
  return (request) => {
    const answer = last.then(() => honest(request))
    last = answer.catch(() => {})
    return answer
  }
}

const inTurn = ['sold', 'pending', 'available']

export const connectionVariants: readonly LegalVariant[] = [
  {
    id: 'responses-out-of-order',
    does: 'Requests in flight are answered in another order than they came.',
    suite: 'both',
    handle: outOfOrder,
  },
  {
    id: 'requests-one-at-a-time',
    does: 'Requests in flight are served one after another.',
    handle: oneAtATime,
  },
  {
    id: 'status-default-in-turn',
    does: 'Where no status is given, each of the three is taken in turn.',
    parts: (honest) => {
      let count = 0
      const next = (status: unknown) => {
        if (status !== undefined) return status
        count += 1
        return inTurn[(count - 1) % inTurn.length]
      }
      return coercing('status', next).parts?.(honest) ?? {}
    },
  },
]

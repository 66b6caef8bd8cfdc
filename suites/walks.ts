// The walk: a random sequence of requests of every kind, with any key or none, and of moves of the
// test clock.
import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import type { KeyHandle } from '../engine/check/key-handle.ts'
import { expectAllRead, listPets } from '../engine/check/requests.ts'
import { shortestWalk, usualWalk, walkPerKey } from '../engine/check/spendable-keys.ts'
import { withKey } from '../history/exchange.ts'
import { Untested } from '../history/outcome.ts'
import { manyPets } from './get/list.ts'
import { drawSteps, maxTogether, requestsAfterMove } from './walks/draw-steps.ts'
import { type Step, walk } from './walks/walk.ts'

/** How many are drawn for each that is sent: a run that may not write leaves out the others. */
const drawnPerSent = 3

/** With the keys alone that have calls to spare, as nothing waits for the others. */
const withSpareKeys = (context: Context): Context => ({
  ...context,
  limits: {
    ...context.limits,
    get keys() {
      return context.limits.keys.filter((key) => key.spare() >= maxTogether)
    },
  },
})

/**
 * The walk of a run without a test clock: at its end, of what nothing else needs of a minute.
 * @throws Untested where next to nothing is left
 */
const walkRest = async (context: Context): Promise<number> => {
  const { limits } = context
  const spareOf = (key: KeyHandle) => Math.min(walkPerKey, key.spare())
  const keys = limits.keys.filter((key) => spareOf(key) > 0)
  // After a reset a response has to say how many calls there are.
  for (const { label } of keys) await context.call(withKey(listPets({ limit: 1 }), label))
  const most = keys.reduce((sum, key) => sum + spareOf(key), 0)
  if (most < shortestWalk)
    throw new Untested('budget', 'next to nothing of the minute was to spare')
  const steps = drawSteps(context.seedOf('walk'), drawnPerSent * most)
  return walk(withSpareKeys(context), steps, most)
}

/** How often a walk of the usual length moves the clock. */
const usualMoves = 17

/** A sliding counter takes two days to forget the calls of a spent one. */
const twoDays: Step = { kind: 'move', ms: 2 * 86_400_000 }

const walkByClock = (context: Context): Promise<number> => {
  const moves = Math.ceil((usualMoves * context.walk) / usualWalk)
  const count = context.walk - moves * requestsAfterMove
  return walk(context, [twoDays, ...drawSteps(context.seedOf('walk'), count, moves)])
}

/** Each status that is not due is reported of the walk; what responses contain, by clauses. */
export const walks: readonly AnyCheck[] = [
  check({
    ...{ id: 'walk-statuses', requirement: 'service.operations' },
    needs: { stage: 'rest', getPet: true, pets: manyPets },
    sends:
      'With the test clock: a walk of 200 requests (`--walk` sets the number), drawn by ' +
      'the seed: valid or with one fault, with any key or none, one at a time or together, on ' +
      'kept and fresh connections, and 17 moves of the clock by seconds to a year, up to ' +
      'November 2029, after which each status is listed and two pets are fetched. Without a ' +
      'test clock: what nothing else needs of the minute of each key, at most 60 requests ' +
      'each, and no moves; reads alone unless creations are allowed.',
    fails: 'A status that is not due. Clauses judge what the responses contain.',
    inconclusive:
      'a valid request is not served (blocked). Inapplicable without a test clock where next to ' +
      'nothing is left',
    run: async (context) => {
      await context.control(context.allow.includes('write') ? 'create' : 'list')
      if ((await (context.walk > 0 ? walkByClock : walkRest)(context)) > 0) return
      // Where no pet is known no id can be drawn.
      expectAllRead(context.knownPets)
      throw new Untested('blocked', 'the walk received no response')
    },
  }),
]

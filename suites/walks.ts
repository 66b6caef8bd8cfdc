// The walk: a random sequence of requests of every kind, with any key or none, and of moves of the
// test clock.
import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import type { KeyHandle } from '../engine/check/key-handle.ts'
import { expectAllRead, listPets } from '../engine/check/requests.ts'
import { usualWalk } from '../engine/check/spendable-keys.ts'
import { moveTo } from '../engine/run/send-row.ts'
import { withKey } from '../history/exchange.ts'
import { Untested } from '../history/outcome.ts'
import { dayMs } from '../history/rate-headers.ts'
import { manyPets } from './get/list.ts'
import { afterRemoval } from './rate-limit/bursts.ts'
import { Choice } from './walks/choose.ts'
import { drawSteps, maxTogether, requestsAfterMove, type Step } from './walks/draw-steps.ts'
import { walk } from './walks/walk.ts'

/** What it spends of the minute of each key at most, where nothing else needs it. */
const walkPerKey = 60

/** Fewer show nothing. */
const shortestWalk = 10

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
  const seed = context.seedOf('walk')
  const choice = new Choice(seed)
  return walk(withSpareKeys(context), choice, drawSteps(seed, most), most)
}

/** What of it is sent before the removal, and how often the clock is moved there. */
const usualBefore = 208
const usualMoves = 6
/** Three times: behind the removal, a month later and a year later. */
const perStretch = 16

/** A sliding counter takes two days to forget the calls of a spent one. */
const twoDays: Step = { kind: 'move', ms: 2 * 86_400_000 }

/** Of the usual walk it is so much in this one. */
const shareOf = ({ walk }: Context, usual: number): number => Math.ceil((usual * walk) / usualWalk)

const walkByClock = (context: Context): Promise<number> => {
  const moves = shareOf(context, usualMoves)
  const count = shareOf(context, usualBefore) - moves * requestsAfterMove
  const seed = context.seedOf('walk')
  const choice = new Choice(seed)
  return walk(context, choice, [twoDays, ...drawSteps(seed, count, moves)])
}

const late = (ms: number): Step => ({ kind: 'move', ms, isLate: true })

const walkAfterRemoval = async (context: Context): Promise<unknown> => {
  await moveTo(context, afterRemoval)
  const draws = Array<Step>(shareOf(context, perStretch)).fill({ kind: 'draw', size: 1 })
  const steps = [...draws, late(30 * dayMs), ...draws, late(366 * dayMs), ...draws]
  return walk(context, new Choice(context.seedOf('walk after removal')), steps)
}

/** Each status that is not due is reported of the walk; what responses contain, by clauses. */
export const walks: readonly AnyCheck[] = [
  check({
    ...{ id: 'walk-statuses', requirement: 'service.operations' },
    needs: { stage: 'rest', getPet: true, pets: manyPets },
    sends:
      'With the test clock: 208 of the 256 requests of walks (`--walk` sets the number), drawn ' +
      'by the seed: valid or with one fault, with any key or none, one at a time or together, on ' +
      'kept and fresh connections, so that as many kinds as possible follow each other for the ' +
      'first time; and 6 moves of the clock by seconds to a year, up to ' +
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

export const walkLate: AnyCheck = check({
  ...{ id: 'walk-after-removal', requirement: 'service.operations' },
  needs: { stage: 'removal', clock: true },
  sends:
    'With the test clock, 16 requests on 6 December 2030, and as many a month and a year later: ' +
    'of all kinds, so that as many as possible follow each other for the first time.',
  fails: 'A status that is not due. Clauses judge what the responses contain.',
  run: async (context) => {
    await walkAfterRemoval(context)
  },
})

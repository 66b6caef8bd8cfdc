// Walks that move the test clock far: over years, and past the removal of `GET /pets/{petId}`.

import type { Context } from '../engine/check/context.ts'
import { type Check, check } from '../engine/check/declare.ts'
import { usualWalk } from '../engine/check/spendable-keys.ts'
import { faultDecks, longListDeck, validDecks } from './walks/decks.ts'
import { anyMove, drawSteps, growing } from './walks/draw-steps.ts'
import { report } from './walks/report.ts'
import type { Step } from './walks/scene.ts'
import { requestsAfterMove, walk } from './walks/walk.ts'

const needs = { anonymous: 0, clock: true, allow: ['write'], getPet: true } as const

/** Of the 600 requests of walks. */
const timeShare = { keyed: 100, anonymous: 0 }
const longMoves = 9
/** A sliding counter takes two days to forget the calls of a spent one. */
const twoDaysMs = 2 * 86_400_000

const timeSteps = (context: Context): readonly Step[] => {
  const times = context.walk / usualWalk
  const moved = Math.ceil(longMoves * times)
  const count = Math.floor(timeShare.keyed * times) - moved * requestsAfterMove - growing.length
  // Only now are there more pets than any list may hold.
  const decks = [...validDecks, ...faultDecks, longListDeck]
  const drawn = { decks, seed: context.seed, count, moves: moved, move: anyMove }
  return [...growing, ...drawSteps(drawn)]
}

/** Moves the clock on every scale, so it comes after all that needs a certain time. */
export const timeWalk: Check = check({
  id: 'walk-years-kept',
  requirement: 'pet.stays',
  needs: {
    ...needs,
    stage: 'time',
    ...timeShare,
    walk: true,
    made: 'crowd',
    shares: 'a walk of years',
  },
  sends:
    'With the test clock: a walk of 100 requests (`--walk` multiplies them), valid or with one ' +
    'fault, and 9 moves of the clock by hours, days, months or a year, up to November 2029. ' +
    'After each one every status is listed, and two pets are fetched.',
  fails:
    'A valid request gets another status than before, a pet is missing or changed, or that of a ' +
    'refused creation is there. The sequence is shrunk.',
  inconclusive:
    'the clock is past October 2029 (clock), or a valid request is not served (blocked)',
  run: async (context) => {
    await context.control('create')
    const walked = await walk(context, timeSteps(context), { restMs: twoDaysMs })
    await report(context, walked, ['valid', 'store', 'trace'])
  },
})

/** Of them too: on the last evening, and from the first second without the operation on. */
const requestsEach = { before: 10, after: 12 }

/** Its second move, so that no step comes at the same second as those of other checks. */
const stepMs = 3_600_000

const removalSteps = (context: Context, aheadMs: number): readonly Step[] => {
  const own = { decks: validDecks, moves: 0, move: anyMove }
  const seed = context.seedOf('a walk past the removal')
  return [
    ...drawSteps({ ...own, seed, count: requestsEach.before }),
    { kind: 'move', ms: aheadMs },
    ...drawSteps({ ...own, seed: seed + 1, count: requestsEach.after }),
    { kind: 'move', ms: stepMs },
  ]
}

/** @param toLastEvening moves the clock to when the operation must still work */
export const removalWalk = (
  toLastEvening: (context: Context) => Promise<void>,
  removed: string,
): Check =>
  check({
    id: 'walk-past-removal',
    requirement: 'version.deprecated-works',
    needs: {
      ...needs,
      stage: 'removal',
      keyed: requestsEach.before + requestsEach.after + 2 * requestsAfterMove,
    },
    sends:
      'With the test clock 10 valid requests on 4 December 2030, and 12 from the first second ' +
      'of 6 December on; then, and an hour later, every status is listed and two pets are fetched.',
    fails:
      'A valid request that is not served, but GET by id from 6 December on; that one is served ' +
      'then; a pet is missing or changed.',
    inconclusive:
      'the clock is past 4 December 2030 (clock), or a valid request is not served (blocked)',
    run: async (context) => {
      await context.control('create')
      await context.control('get')
      await toLastEvening(context)
      const aheadMs = Date.parse(removed) - (await context.clock.now())
      const how = { untilMs: Number.POSITIVE_INFINITY }
      const walked = await walk(context, removalSteps(context, aheadMs), how)
      await report(context, walked, ['valid', 'store', 'trace', 'id', 'removed'])
    },
  })

// Walks: random sequences of requests of every kind, with any key or none, and of moves of the test
// clock, each response judged by one model of the service.
import type { Context, LimitKey } from '../engine/check/context.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import { shortestWalk, usualWalk, walkPerKey } from '../engine/check/spendable-keys.ts'
import { report } from '../engine/run/shrink-walk.ts'
import { type Step, type Walked, walk } from '../engine/run/walk.ts'
import { withKey } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { Untested } from '../history/outcome.ts'
import type { DuePart } from '../model/due.ts'
import type { Judged } from '../model/judge.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { manyPets } from './get/list.ts'
import { listPets } from './pets/requests.ts'
import { drawSteps, maxTogether, requestsAfterMove } from './walks/draw-steps.ts'

/** How many are drawn for each that is sent: a run that may not write leaves out the others. */
const drawnPerSent = 3

/** With the keys alone that have calls to spare, as nothing waits for the others. */
const withSpareKeys = (context: Context): Context => ({
  ...context,
  limits: {
    ...context.limits,
    get keys() {
      return context.limits.keys.filter(({ label }) => context.limits.spare(label) >= maxTogether)
    },
  },
})

/**
 * The walk of a run without a test clock: at its end, of what nothing else needs of a minute.
 * @throws Untested where next to nothing is left
 */
const walkRest = async (context: Context): Promise<Walked> => {
  const { limits } = context
  const spareOf = ({ label }: LimitKey) => Math.min(walkPerKey, limits.spare(label))
  const keys = limits.keys.filter((key) => spareOf(key) > 0)
  // After a reset a response has to say how many calls there are.
  for (const { label } of keys) await context.call(withKey(listPets({ limit: 1 }), label))
  const most = keys.reduce((sum, key) => sum + spareOf(key), 0)
  if (most < shortestWalk)
    throw new Untested('budget', 'next to nothing of the minute was to spare')
  const steps = drawSteps(context.seedOf('walk'), drawnPerSent * most)
  // How it ends says nothing of the target: it takes what there is.
  return { ...(await walk(withSpareKeys(context), steps, { most })), ended: undefined }
}

/** How often a walk of the usual length moves the clock. */
const usualMoves = 17

/** A sliding counter takes two days to forget the calls of a spent one. */
const twoDays: Step = { kind: 'move', ms: 2 * 86_400_000 }

const walkByClock = (context: Context): Promise<Walked> => {
  const moves = Math.ceil((usualMoves * context.walk) / usualWalk)
  const count = context.walk - moves * requestsAfterMove
  return walk(context, [twoDays, ...drawSteps(context.seedOf('walk'), count, moves)])
}

const walksOf = new WeakMap<History, Promise<Walked>>()

/** The walk of a run, which all its checks share; none takes requests without a test clock. */
const walked = (context: Context): Promise<Walked> => {
  const { history } = context
  const known = walksOf.get(history) ?? (context.walk > 0 ? walkByClock : walkRest)(context)
  walksOf.set(history, known)
  return known
}

const oneWalk =
  'With the test clock: a walk of 200 requests (`--walk` sets the number), drawn by the seed: ' +
  'valid or with one fault, with any key or none, one at a time or together, on kept and fresh ' +
  'connections, and 17 moves of the clock by seconds to a year, up to November 2029, after which ' +
  'each status is listed and two pets are fetched. All checks of it share it. Without a test ' +
  'clock: what nothing else needs of the minute of each key, at most 60 requests each, and no ' +
  'moves; reads alone unless creations are allowed. '

type Entry = readonly [
  id: string,
  requirement: BindingRequirementId,
  about: readonly Judged[],
  judged: string,
]

/** What of one part is judged by a check of its own. */
const of = (
  part: DuePart,
  requirement: BindingRequirementId,
  id: string,
  judged: string,
): Entry => [id, requirement, [part], `each ${judged}`]

const years = 'years-kept'

const entries: readonly Entry[] = [
  ['valid-served', 'service.operations', ['valid', 'store'], 'the valid requests'],
  [years, 'pet.stays', ['valid', 'store', 'trace'], 'the valid requests, also years later'],
  of('body', 'errors.400', 'invalid-body-400', '`POST /pets` with one fault in its body'),
  of(
    'lenient',
    'create.strict-json',
    'broken-json-refused',
    '`POST /pets` with what a lenient parser takes for JSON',
  ),
  [
    'refused-no-trace',
    'create.refused-no-trace',
    ['trace'],
    'whether lists show refused creations',
  ],
  of('id', 'get.id-parameter', 'other-id-refused', 'GET of an unknown id, or of no id'),
  of('prefix', 'get.id-prefix', 'id-prefix-refused', 'GET of an id with text after it'),
  of(
    'method',
    'service.method',
    'other-method-refused',
    'request with another method, and to a group',
  ),
  of('key', 'service.key', 'without-key-401', 'request without a valid key'),
]

/** Parts that only a run which creates pets has requests of. */
const ofCreations: readonly Judged[] = ['body', 'lenient', 'trace']

export const walks: readonly AnyCheck[] = entries.map(([id, requirement, about, judged]) =>
  check({
    ...{ id: `walk-${id}`, requirement },
    needs: {
      ...{ stage: 'rest', getPet: true, pets: manyPets },
      ...(id === years && { clock: true }),
      ...(about.some((part) => ofCreations.includes(part)) && { allow: ['write'] }),
    },
    sends: `${oneWalk}Judged: ${judged}.`,
    fails:
      'A status that is not due, or what contradicts all that was sent and received before: a ' +
      'pet that is missing, changed, not asked for or never created, an id given twice, too ' +
      'many pets. The sequence is shrunk.',
    inconclusive:
      'a valid request is not served (blocked). Inapplicable without a test clock where next ' +
      'to nothing is left, or no such request was drawn',
    run: async (context) => {
      await context.control(context.allow.includes('write') ? 'create' : 'list')
      await report(
        context.walk > 0 ? context : withSpareKeys(context),
        await walked(context),
        about,
      )
    },
  }),
)

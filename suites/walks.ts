// Walks: random sequences of requests of every kind, with any key or none, and of moves of the test
// clock, each response judged by one model of the service.
import type { Context, LimitKey } from '../engine/check/context.ts'
import { type AnyCheck, check, type Needs } from '../engine/check/declare.ts'
import { shortestWalk, usualWalk, walkPerKey } from '../engine/check/spendable-keys.ts'
import { report } from '../engine/run/shrink-walk.ts'
import { type Step, type Walked, walk } from '../engine/run/walk.ts'
import { withKey } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { Untested } from '../history/outcome.ts'
import { requirementOf } from '../model/due.ts'
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

const stepsByClock = ({ walk: requests, seedOf }: Context): readonly Step[] => {
  const moves = Math.ceil((usualMoves * requests) / usualWalk)
  const count = requests - moves * requestsAfterMove
  return [twoDays, ...drawSteps(seedOf('walk'), count, moves)]
}

/** Whether there is a test clock to move. */
const isTimed = ({ walk: requests }: Context): boolean => requests > 0

const startWalk = (context: Context): Promise<Walked> => {
  if (!isTimed(context)) return walkRest(context)
  return walk(context, stepsByClock(context))
}

const walksOf = new WeakMap<History, Promise<Walked>>()

/** The walk of a run, which all its checks share. */
const walked = ({ history, ...others }: Context): Promise<Walked> => {
  const known = walksOf.get(history) ?? startWalk({ history, ...others })
  walksOf.set(history, known)
  return known
}

const oneWalk =
  'With the test clock: a walk of 400 requests (`--walk` sets the number), drawn by the seed: ' +
  'valid or with one fault, with any key or none, one at a time or together, on kept and fresh ' +
  'connections, and 17 moves of the clock by seconds to a year, up to November 2029, after which ' +
  'each status is listed and two pets are fetched. All checks of it share it. Without a test ' +
  'clock: what nothing else needs of the minute of each key, at most 60 requests each, and no ' +
  'moves; reads alone unless creations are allowed. '

const needs: Needs = { stage: 'rest', getPet: true, pets: manyPets }

type Entry = readonly [
  id: string,
  requirement: BindingRequirementId,
  about: readonly Judged[],
  what: string,
  fails: string,
  own?: Partial<Needs>,
]

/** What of the walk is judged by a check of its own. */
const entries: readonly Entry[] = [
  [
    'valid-served',
    requirementOf.valid,
    ['valid', 'store'],
    'the valid requests',
    'A response that contradicts all that was sent and received before: another status, a pet ' +
      'that is missing, changed or not asked for, an id given twice, too many pets',
  ],
  [
    'years-kept',
    'pet.stays',
    ['valid', 'store', 'trace'],
    'the valid requests, hours to years later',
    'As `walk-valid-served`, and `walk-refused-no-trace`',
    { clock: true, allow: ['write'] },
  ],
  [
    'invalid-body-400',
    requirementOf.body,
    ['body'],
    'each `POST /pets` with one fault in its body',
    'Any status other than 400; where the interface leaves it open, a 5xx',
  ],
  [
    'broken-json-refused',
    requirementOf.lenient,
    ['lenient'],
    'each `POST /pets` with a text that a lenient parser takes for JSON',
    'Any status other than 4xx. It is a should',
  ],
  [
    'refused-no-trace',
    'create.refused-no-trace',
    ['trace'],
    'every list and GET',
    'A pet that has the name of a refused creation, or the category that only it had',
  ],
  [
    'other-id-refused',
    requirementOf.id,
    ['id'],
    'each GET of an id that no pet has, or of text that is no id',
    'Any status other than 404 for an int64, or than 4xx for another text',
  ],
  [
    'id-prefix-refused',
    requirementOf.prefix,
    ['prefix'],
    'each GET of the id of a pet with text after it',
    'Any status other than 4xx. It is a should',
  ],
  [
    'other-method-refused',
    requirementOf.method,
    ['method'],
    'each request with another method, and to a group without endpoints',
    'Neither 4xx nor 501; to HEAD and OPTIONS, a 5xx',
  ],
  [
    'without-key-401',
    requirementOf.key,
    ['key'],
    'each request without a valid key, whatever else is wrong with it',
    'Any status other than 401; at another spelling of an address, a pet',
  ],
]

export const walks: readonly AnyCheck[] = entries.map(
  ([id, requirement, about, what, fails, own]) =>
    check({
      ...{ id: `walk-${id}`, requirement, needs: { ...needs, ...own } },
      sends: `${oneWalk}Judged: ${what}.`,
      fails: `${fails}. The sequence is shrunk.`,
      inconclusive:
        'a valid request is not served (blocked). Inapplicable without a test clock where next ' +
        'to nothing is left, or no such request was drawn',
      run: async (context) => {
        await context.control(context.allow.includes('write') ? 'create' : 'list')
        const own = isTimed(context) ? context : withSpareKeys(context)
        await report(own, await walked(context), about)
      },
    }),
)

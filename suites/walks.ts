// Walks: random sequences of requests of every kind, with any key or none, and of moves of the test
// clock, each response judged by one model of the service.
import type { Context, LimitKey } from '../engine/check/context.ts'
import { type AnyCheck, type Check, check, type Needs } from '../engine/check/declare.ts'
import { withKey } from '../engine/check/exchange.ts'
import { Untested } from '../engine/check/outcome.ts'
import { allKeys, shortestWalk, usualWalk, walkPerKey } from '../engine/check/spendable-keys.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { listPets } from './pets/requests.ts'
import { faultDecks, keylessDecks, validDecks } from './walks/decks.ts'
import {
  type Drawing,
  drawSteps,
  growing,
  maxTogether,
  mingled,
  shortMoves,
} from './walks/draw-steps.ts'
import { report } from './walks/report.ts'
import type { Step } from './walks/scene.ts'
import type { Judged } from './walks/service-model.ts'
import { requestsAfterMove, type Walked, walk } from './walks/walk.ts'

/** How many are drawn for each that is sent: a run that may not write leaves out the others. */
const drawnPerSent = 3
/** Requests with a key for each without one. */
const keyedPerKeyless = 5

/** A key that was banned is left alone. */
const keysOf = ({ allow, limits }: Context): readonly LimitKey[] =>
  allow.includes('ban') ? limits.keys : allKeys(limits)

/** With the keys alone that have calls to spare, as nothing waits for the others. */
const withSpareKeys = (context: Context): Context => ({
  ...context,
  limits: {
    ...context.limits,
    get keys() {
      return keysOf(context).filter(({ label }) => context.limits.spare(label) >= maxTogether)
    },
  },
})

const stepsFor = (seed: number, most: number): readonly Step[] => {
  const count = drawnPerSent * most
  const own: Omit<Drawing, 'decks'> = { seed, count, moves: 0 }
  const keyless = { ...own, decks: keylessDecks, count: Math.ceil(count / keyedPerKeyless) }
  return mingled(drawSteps({ ...own, decks: [...validDecks, ...faultDecks] }), drawSteps(keyless))
}

/**
 * The walk of a run without a test clock: at its end, of what nothing else needs of a minute.
 * @throws Untested where next to nothing is left
 */
const walkRest = async (context: Context): Promise<Walked> => {
  const { limits } = context
  const spareOf = ({ label }: LimitKey) => Math.min(walkPerKey, limits.spare(label))
  const keys = keysOf(context).filter((key) => spareOf(key) > 0)
  // After a reset a response has to say how many calls there are.
  for (const { label } of keys) await context.call(withKey(listPets({ limit: 1 }), label))
  const most = keys.reduce((sum, key) => sum + spareOf(key), 0)
  if (most < shortestWalk)
    throw new Untested('budget', 'next to nothing of the minute was to spare')
  const steps = stepsFor(context.seedOf('walk'), most)
  // How it ends says nothing of the target: it takes what there is.
  return { ...(await walk(withSpareKeys(context), steps, { most })), ended: undefined }
}

/** Of the 600 requests that a run with a test clock walks. */
const share = { keyed: 378, anonymous: 90 }
const moves = 12

const stepsOf = (context: Context): readonly Step[] => {
  const seed = context.seedOf('walk')
  const times = context.walk / usualWalk
  const own = { seed, move: shortMoves }
  const moved = Math.ceil(moves * times)
  const count = Math.floor(share.keyed * times) - moved * requestsAfterMove - growing.length
  const keyed = drawSteps({
    ...own,
    decks: [...validDecks, ...faultDecks],
    count,
    moves: moved,
  })
  const anonymous = Math.floor(share.anonymous * times)
  const keyless = drawSteps({ ...own, decks: keylessDecks, count: anonymous, moves: 0 })
  return [...growing, ...mingled(keyed, keyless)]
}

const shared: Needs = {
  stage: 'creations',
  ...share,
  walk: true,
  allow: ['write'],
  getPet: true,
  shares: 'a walk',
  made: 'crowd',
}

/** Whether there is a test clock to move. */
const isTimed = ({ walk: requests }: Context): boolean => requests > 0

const walked = (context: Context): Promise<Walked> =>
  context.once('a walk', () =>
    isTimed(context) ? walk(context, stepsOf(context)) : walkRest(context),
  )

interface Row {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly parts: readonly Judged[]
  readonly what: string
  readonly fails: string
}

const oneWalk =
  'With the test clock: a walk of 468 requests (`--walk` multiplies them), drawn by the seed: ' +
  'valid or with one fault, with any key or none, one at a time or together, on kept and fresh ' +
  'connections, and moves of the clock by up to 70 minutes, after which each status is listed. ' +
  'All checks of it share it. Without a test clock: what nothing else needs of the minute of ' +
  'each key, at most 60 requests each, and no moves; reads alone unless creations are allowed. '

const rows: readonly Row[] = [
  {
    id: 'walk-valid-served',
    requirement: 'service.operations',
    parts: ['valid', 'store'],
    what: 'Judged: the valid requests.',
    fails:
      'A response that contradicts all that was sent and received before: another status, a pet ' +
      'that is missing, changed or not asked for, an id given twice, too many pets. The ' +
      'sequence is shrunk.',
  },
  {
    id: 'walk-invalid-body-400',
    requirement: 'errors.400',
    parts: ['body'],
    what: 'Judged: each `POST /pets` with one fault in its body.',
    fails: 'Any status other than 400; where the interface leaves it open, a 5xx.',
  },
  {
    id: 'walk-broken-json-refused',
    requirement: 'create.strict-json',
    parts: ['lenient'],
    what: 'Judged: each `POST /pets` with a text that a lenient parser takes for JSON.',
    fails: 'Any status other than 4xx. It is a should.',
  },
  {
    id: 'walk-refused-no-trace',
    requirement: 'create.refused-no-trace',
    parts: ['trace'],
    what: 'Judged: every list and GET.',
    fails: 'A pet that has the name of a refused creation, or the category that only it had.',
  },
  {
    id: 'walk-other-id-refused',
    requirement: 'get.id-parameter',
    parts: ['id'],
    what: 'Judged: each GET of an id that no pet has, or of text that is no id.',
    fails: 'Any status other than 404 for an int64, or than 4xx for another text.',
  },
  {
    id: 'walk-id-prefix-refused',
    requirement: 'get.id-prefix',
    parts: ['prefix'],
    what: 'Judged: each GET of the id of a pet with text after it.',
    fails: 'Any status other than 4xx. It is a should.',
  },
  {
    id: 'walk-other-method-refused',
    requirement: 'service.method',
    parts: ['method'],
    what: 'Judged: each request with another method, and to a group without endpoints.',
    fails: 'Neither 4xx nor 501; to HEAD and OPTIONS, a 5xx.',
  },
  {
    id: 'walk-without-key-401',
    requirement: 'service.key',
    parts: ['key'],
    what: 'Judged: each request without a valid key, whatever else is wrong with it.',
    fails: 'Any status other than 401; at another spelling of an address, a pet.',
  },
]

const judging = ({ id, requirement, parts, what, fails }: Row): Check =>
  check({
    id,
    requirement,
    needs: shared,
    sends: `${oneWalk}${what}`,
    fails,
    inconclusive:
      'a valid request is not served (blocked). Inapplicable without a test clock where next to ' +
      'nothing is left, or no such request was drawn',
    run: async (context) => {
      await context.control(context.allow.includes('write') ? 'create' : 'list')
      const own = isTimed(context) ? context : withSpareKeys(context)
      await report(own, await walked(context), parts)
    },
  })

export const walks: readonly AnyCheck[] = rows.map(judging)

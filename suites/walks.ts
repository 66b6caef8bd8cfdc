// Walks: random sequences of requests of every kind, with any key or none, and of moves of the test
// clock, each response judged by one model of the service.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, type Check, check, type Needs } from '../engine/check/declare.ts'
import { usualWalk } from '../engine/check/spendable-keys.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { shortMoves } from './walks/clock-moves.ts'
import { faultDecks, keylessDecks, validDecks } from './walks/decks.ts'
import { drawSteps } from './walks/draw-steps.ts'
import { growing } from './walks/growing-store.ts'
import { report } from './walks/report.ts'
import type { Step } from './walks/scene.ts'
import type { Judged } from './walks/service-model.ts'
import { requestsAfterMove, type Walked, walk } from './walks/walk.ts'

/** Of the 600 requests that a run with a test clock walks. */
const share = { keyed: 378, anonymous: 90 }
const moves = 12

/** Without a test clock. */
const shortLength = 16

/** The second steps at even distances among the first. */
const mingled = (steps: readonly Step[], others: readonly Step[]): readonly Step[] =>
  steps.flatMap((step, at) => {
    const placeOf = (place: number) => Math.floor((place * others.length) / steps.length)
    return [step, ...others.slice(placeOf(at), placeOf(at + 1))]
  })

const stepsOf = (context: Context): readonly Step[] => {
  const seed = context.seedOf('walk')
  const isShort = context.walk === 0
  const times = context.walk / usualWalk
  const own = { seed, move: shortMoves }
  if (isShort) {
    const count = shortLength - growing.length
    return [...growing, ...drawSteps({ ...own, decks: validDecks, count, moves: 0 })]
  }
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
  keyed: shortLength,
  walk: share,
  anonymous: 0,
  allow: ['write'],
  getPet: true,
  shares: 'a walk',
  made: 'crowd',
}

const walked = (context: Context): Promise<Walked> =>
  context.once('a walk', () => walk(context, stepsOf(context)))

interface Row {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly parts: readonly Judged[]
  readonly what: string
  readonly fails: string
  readonly needs?: Partial<Needs>
}

const oneWalk =
  'With the test clock: a walk of 468 requests (`--walk` multiplies them), drawn by the seed: ' +
  'valid or with one fault, with any key or none, one at a time or together, on kept and fresh ' +
  'connections, and moves of the clock by up to 70 minutes, after which each status is listed. ' +
  'All checks of it share it. '

const rows: readonly Row[] = [
  {
    id: 'walk-valid-served',
    requirement: 'service.operations',
    parts: ['valid', 'store'],
    what: 'Judged: the valid requests. Without a test clock 16 of them alone.',
    fails:
      'A response that contradicts all that was sent and received before: another status, a pet ' +
      'that is missing, changed or not asked for, an id given twice, too many pets. The ' +
      'sequence is shrunk.',
  },
]

const rest: readonly Row[] = [
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

const judging = ({ id, requirement, parts, what, fails, needs }: Row): Check =>
  check({
    id,
    requirement,
    needs: { ...shared, ...needs },
    sends: `${oneWalk}${what}`,
    fails,
    inconclusive: 'a valid request is not served (blocked)',
    run: async (context) => {
      await context.control('create')
      await report(context, await walked(context), parts)
    },
  })

export const walks: readonly AnyCheck[] = [
  ...rows.map(judging),
  ...rest.map((row) => judging({ ...row, needs: { clock: true } })),
]

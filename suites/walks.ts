// Walks: random sequences of requests of every kind, with any key or none, and of moves of the test
// clock, each response judged by one model of the service.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, type Check, check, type Needs } from '../engine/check/declare.ts'
import { Collected } from '../engine/check/findings.ts'
import { Untested } from '../engine/check/outcome.ts'
import { usualWalk } from '../engine/check/spendable-keys.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { createPet, getPet, listPets } from './pets/requests.ts'
import { anyMove, shortMoves } from './walks/clock-moves.ts'
import { faultDecks, keylessDecks, validDecks } from './walks/decks.ts'
import type { Judged } from './walks/model.ts'
import type { MakeRequest, Step } from './walks/scene.ts'
import { shrunk } from './walks/shrink.ts'
import { drawSteps } from './walks/steps.ts'
import { type Found, requestsAfterMove, type Walked, walk } from './walks/walk.ts'

/** Of the 600 requests that a run with a test clock walks. */
const share = { keyed: 400, anonymous: 90 }
const moves = 12

/** Without a test clock. */
const shortLength = 16

const creation =
  (status: string | undefined): MakeRequest =>
  ({ context }) =>
    createPet(context.newPet(status === undefined ? {} : { status }))

const fetchOf =
  (nth: number): MakeRequest =>
  ({ created }) => {
    const id = created.at(nth)
    return id === undefined ? undefined : getPet(id)
  }

const send = (...requests: readonly MakeRequest[]): Step => ({ kind: 'send', requests })

/** Comes first: caches and replicas may return a list as it was before it grew. */
const growing: readonly Step[] = [
  send(creation('sold')),
  send(() => listPets({ status: 'sold', limit: 1 })),
  send(creation('sold')),
  send(() => listPets({ status: 'sold', limit: 100 })),
  send(creation(undefined)),
  send(fetchOf(-1)),
  send(creation('pending')),
  send(fetchOf(0)),
]

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

/** Requests that may be sent to shrink a failing walk. */
const maxForShrinking = 150

const kindOf = ({ violation: { wrong } }: Found): string =>
  [wrong.aspect, wrong.name, wrong.kind].join('|')

/** What occurs most comes first. */
const byKind = (found: readonly Found[]): readonly Found[] =>
  [...Map.groupBy(found, kindOf).values()].toSorted((a, b) => b.length - a.length).flat()

/** @throws Violation with the shortest sequence that shows what was found about these parts */
const report = async (context: Context, walked: Walked, parts: readonly Judged[]) => {
  const found = byKind(walked.found.filter(({ part }) => parts.includes(part)))
  const judged = parts.reduce((sum, part) => sum + (walked.judged.get(part) ?? 0), 0)
  const [first, ...others] = found
  if (first) {
    const { violation, steps } = await shrunk(context, first, maxForShrinking)
    const collected = new Collected()
    for (const each of [violation, ...others.map((one) => one.violation)]) collected.add(each)
    throw collected.violation(Math.max(judged, found.length), 'responses', steps)
  }
  if (walked.ended) throw walked.ended
  if (judged === 0) throw new Untested('blocked', 'no such response was received')
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
  'With the test clock: a walk of 490 requests (`--walk` multiplies them), drawn by the seed: ' +
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

/** Of the 600 requests too. */
const timeShare = { keyed: 110, anonymous: 0 }
const longMoves = 12

const timeSteps = (context: Context): readonly Step[] => {
  const times = context.walk / usualWalk
  const moved = Math.ceil(longMoves * times)
  const count = Math.floor(timeShare.keyed * times) - moved * requestsAfterMove - growing.length
  const decks = [...validDecks, ...faultDecks]
  const drawn = { decks, seed: context.seed, count, moves: moved, move: anyMove }
  return [...growing, ...drawSteps(drawn)]
}

/** Moves the clock on every scale, so it comes after all that needs a certain time. */
export const timeWalk: Check = check({
  id: 'walk-years-kept',
  requirement: 'pet.stays',
  needs: {
    ...shared,
    stage: 'time',
    keyed: timeShare.keyed,
    walk: timeShare,
    clock: true,
    shares: 'a walk of years',
  },
  sends:
    'With the test clock: a walk of 110 requests (`--walk` multiplies them), valid or with one ' +
    'fault, and 12 moves of the clock by hours, days, months or a year, up to November 2029. ' +
    'After each one every status is listed, and two pets are fetched.',
  fails:
    'A valid request gets another status than before, a pet is missing or changed, or that of a ' +
    'refused creation is there. The sequence is shrunk.',
  inconclusive:
    'the clock is past October 2029 (clock), or a valid request is not served (blocked)',
  run: async (context) => {
    await context.control('create')
    await report(context, await walk(context, timeSteps(context)), ['valid', 'store', 'trace'])
  },
})

export const walks: readonly AnyCheck[] = [
  ...rows.map(judging),
  ...rest.map((row) => judging({ ...row, needs: { clock: true } })),
]

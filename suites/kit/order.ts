// The order of the work: by stage, and what needs no key while the keys rest.

import type { Check, Observation, Question, Stage } from './check.ts'
import { stages } from './check.ts'
import type { Room } from './quota/key-work.ts'

/** A question that sends requests of its own. */
export type Asked = Check | Observation

export const isAsked = (question: Question): question is Asked => question.kind !== 'invariant'

/** Those whose requests are not already sent for another one before them. */
export const unshared = (questions: readonly Asked[]): readonly Asked[] => {
  const met = new Set<string>()
  return questions.filter(({ needs: { shares } }) => {
    const isMet = shares !== undefined && met.has(shares)
    if (shares !== undefined) met.add(shares)
    return !isMet
  })
}

/** In these a question builds on what another one of the same stage did only where it says so. */
const free: readonly Stage[] = ['strangers', 'refusals', 'reads']

const mayComeFirst = ({ needs }: Asked): boolean =>
  free.includes(needs.stage) && needs.made !== needs.stage

/** Within a stage the order of the catalogue holds, but for those that are to come first. */
const byStage = (questions: readonly Question[], first: ReadonlySet<string>): Asked[] =>
  questions
    .filter(isAsked)
    .map((question, position) => ({
      question,
      position: first.has(question.id) && mayComeFirst(question) ? -1 : position,
      stage: stages.indexOf(question.needs.stage),
    }))
    .sort((a, b) => a.stage - b.stage || a.position - b.position)
    .map(({ question }) => question)

/** A question that sends nothing judges what others sent, so it keeps its place. */
const spendsNoKey = ({ needs }: Asked) => needs.keyed === 0 && needs.anonymous > 0

/** What the schedule asks of the governor; times are those of the target. */
export interface Outlook {
  /** How long a request with a key would have to wait now. */
  readonly waitMs: () => number
  /** Undefined where the answers do not tell. */
  readonly room: () => Room | undefined
  /** What keys grant in a minute that are not exhausted; null where there is no second key. */
  readonly idlePerMinute: number | null
}

/** What becomes of its creations is judged later, so that it cannot wait for a rest. */
const creates = ({ needs }: Asked) => needs.allow?.includes('write') ?? false

const stageOf = ({ needs }: Asked): number => stages.indexOf(needs.stage)
const limits = stages.indexOf('limits')
/** What leaves a key or the target as nothing else can use it. */
const last = stages.indexOf('days')
/** A little older than this a window still counts as one that has just begun. */
const freshMs = 51_000
/** Calls of which the declared costs know nothing. */
const reserve = 2

const keyedSum = (questions: readonly Asked[]): number =>
  questions.reduce((total, { needs }) => total + needs.keyed, 0)

/**
 * The work around a silence: its key has to spend a minute before, which other questions do as
 * well, and has most of one left after it. So of the questions that may come late as many come
 * before as fill whole minutes, and the others after.
 */
function* aroundSilence(
  ordered: readonly Asked[],
  { room, idlePerMinute }: Outlook,
): Generator<Asked> {
  const silence = ordered.findIndex(({ needs }) => needs.holds === 'silence')
  const mayMove = (question: Asked, at: number) =>
    question.needs.stage === 'reads' ||
    (question.needs.stage === 'limits' && question.needs.keyed > 0 && at < silence)
  const movable = silence < 0 ? [] : ordered.filter(mayMove)
  const fixed = ordered.filter((question) => !movable.includes(question))
  yield* fixed.filter((question) => stageOf(question) < limits)
  const held = fixed.filter((question) => stageOf(question) >= limits && stageOf(question) < last)
  const after =
    reserve + keyedSum(held.filter(({ needs }) => !needs.holds || needs.holds === 'retry'))
  const isAlone = idlePerMinute === null
  while (movable.length > 0) {
    const now = room()
    const fitting = now && isAlone ? movable.findIndex(({ needs }) => needs.keyed < now.left) : 0
    const isFresh = now !== undefined && now.left > 0 && now.resetInMs >= freshMs
    // Several keys are better used after than before; one spends its minute before in any case.
    const isTime = isFresh && (fitting < 0 || !isAlone)
    if (isTime && keyedSum(movable) + after <= now.perMinute + (idlePerMinute ?? 0)) break
    yield movable.splice(Math.max(0, fitting), 1)[0] as Asked
  }
  yield* held
  // What one key has to do goes before what any key can.
  yield* movable.toSorted((a, b) => stageOf(b) - stageOf(a))
  yield* fixed.filter((question) => stageOf(question) >= last)
}

/**
 * Yields the questions in order. While the next one would have to wait in real time for a key's
 * quota, those that need no key come first.
 * @param first what comes first in its stage, where nothing there builds on anything else
 */
export function* schedule(
  questions: readonly Question[],
  instant: boolean,
  outlook: Outlook,
  first: ReadonlySet<string>,
): Generator<Asked> {
  const ordered = byStage(questions, first)
  if (instant) {
    yield* ordered
    return
  }
  const isFiller = (question: Asked) =>
    spendsNoKey(question) && !creates(question) && stageOf(question) < last
  const fillers = ordered.filter(isFiller)
  const keyed = ordered.filter((each) => !isFiller(each))
  for (const question of aroundSilence(keyed, outlook)) {
    const isLate = stageOf(question) >= last
    while (fillers.length > 0 && (isLate || (question.needs.keyed > 0 && outlook.waitMs() > 0))) {
      yield fillers.shift() as Asked
    }
    yield question
  }
  yield* fillers
}

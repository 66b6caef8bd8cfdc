// The order of the work: by stage, and what needs no key while the keys rest.

import type { Check, Observation, Question, Stage } from './check.ts'
import { stages } from './check.ts'

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

/** What becomes of its creations is judged later, so that it cannot wait for a rest. */
const creates = ({ needs }: Asked) => needs.allow?.includes('write') ?? false

const stageOf = ({ needs }: Asked): number => stages.indexOf(needs.stage)
/** What leaves a key or the target as nothing else can use it. */
const last = stages.indexOf('days')
/**
 * Yields the questions in order. While the next one would have to wait in real time for a key's
 * quota, those that need no key come first.
 * @param waitMs how long a request with a key would have to wait now
 * @param first what comes first in its stage, where nothing there builds on anything else
 */
export function* schedule(
  questions: readonly Question[],
  instant: boolean,
  waitMs: () => number,
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
  for (const question of keyed) {
    const isLate = stageOf(question) >= last
    while (fillers.length > 0 && (isLate || (question.needs.keyed > 0 && waitMs() > 0))) {
      yield fillers.shift() as Asked
    }
    yield question
  }
  yield* fillers
}

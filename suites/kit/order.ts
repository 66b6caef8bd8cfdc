// The order of the work: by stage, and what needs no key while the keys rest.
import type { Check, Observation, Question } from './check.ts'
import { stages } from './check.ts'

/** A question that sends requests of its own. */
export type Asked = Check | Observation

export const isAsked = (question: Question): question is Asked => question.kind !== 'invariant'

/** Within a stage the order of the catalogue holds. */
const byStage = (questions: readonly Question[]): Asked[] =>
  questions
    .filter(isAsked)
    .map((question, position) => ({
      question,
      position,
      stage: stages.indexOf(question.needs.stage),
    }))
    .sort((a, b) => a.stage - b.stage || a.position - b.position)
    .map(({ question }) => question)

/** A question that sends nothing judges what others sent, so it keeps its place. */
const spendsNoKey = ({ needs }: Asked) => needs.keyed === 0 && needs.anonymous > 0

/**
 * Yields the questions in order. While the next one would have to wait in real time for a key's
 * quota, those that need no key come first.
 * @param waitMs how long a request with a key would have to wait now
 */
export function* schedule(
  questions: readonly Question[],
  instant: boolean,
  waitMs: () => number,
): Generator<Asked> {
  const ordered = byStage(questions)
  if (instant) {
    yield* ordered
    return
  }
  const last = stages.indexOf('time')
  const isFiller = (question: Asked) =>
    spendsNoKey(question) && stages.indexOf(question.needs.stage) < last
  const fillers = ordered.filter(isFiller)
  for (const question of ordered.filter((each) => !isFiller(each))) {
    const isLate = stages.indexOf(question.needs.stage) >= last
    while (fillers.length > 0 && (isLate || (question.needs.keyed > 0 && waitMs() > 0))) {
      yield fillers.shift() as Asked
    }
    yield question
  }
  yield* fillers
}

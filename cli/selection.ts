// Which questions a run asks: globs over the ids of checks and sentences, and the suites' names.
import { matchesGlob } from 'node:path'
import type { Question } from '../engine/check.ts'
import { smokeId } from '../engine/smoke.ts'
import { withSetUp } from '../suites/fill.ts'
import { didYouMean } from './nearest.ts'
import { UsageError } from './usage-error.ts'

export interface Selection {
  readonly only: readonly string[] | undefined
  readonly skip: readonly string[] | undefined
}

/** The smoke call begins each run, so that it is no question here, and may be asked for alone. */
export const select = (
  all: readonly Question[],
  suiteOf: (question: Question) => string,
  { only, skip }: Selection,
): readonly Question[] => {
  const namesOf = (question: Question) => [question.id, question.requirement, suiteOf(question)]
  const matches = (question: Question, globs: readonly string[]) =>
    globs.some((glob) => namesOf(question).some((name) => matchesGlob(name, glob)))
  const asksSmoke = only?.some((glob) => matchesGlob(smokeId, glob)) ?? false
  const isIdle = (glob: string) => !all.some((question) => matches(question, [glob]))
  const idle =
    only?.find((glob) => isIdle(glob) && !matchesGlob(smokeId, glob)) ?? skip?.find(isIdle)
  if (idle !== undefined) refuse(idle, [smokeId, ...all.flatMap(namesOf)])
  const kept = all.filter((question) => skip === undefined || !matches(question, skip))
  if (only === undefined && kept.length > 0) return kept
  const chosen = kept.filter((question) => only !== undefined && matches(question, only))
  // What is to be left out is not brought back as a set-up of something else.
  if (chosen.length > 0 || asksSmoke) return withSetUp(kept, chosen)
  throw new UsageError('--only and --skip leave nothing to run')
}

const refuse = (glob: string, names: readonly string[]): never => {
  if (matchesGlob(smokeId, glob)) {
    throw new UsageError(`"${glob}" is the call that begins each run: it cannot be left out`)
  }
  const hint = didYouMean(glob, names, 'petvet list prints all')
  throw new UsageError(`"${glob}" matches no check, sentence or suite${hint}`)
}

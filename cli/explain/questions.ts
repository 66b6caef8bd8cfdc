// A question of the suites explained: its words, with the servers that it is proven on.

import type { Question } from '../../engine/check.ts'
import { bearsOn } from '../../reference/legal/bears-on.ts'
import type { Mutant } from '../../reference/mutant.ts'
import { legalVariants, mutants } from '../../reference/mutants.ts'
import { catalogue } from '../../suites/index.ts'
import type { AskerKind, ExplainedAsker, ExplainedLegal } from './explained.ts'
import { costInWords, needsInWords, whenInWords } from './needs-in-words.ts'
import { seeMutant } from './seeing.ts'
import { explainSentence } from './sentences.ts'

const kindOf = (question: Question): AskerKind => {
  if (question.kind === 'check') return 'runs' in question.needs ? 'property' : 'check'
  return question.kind === 'observe' ? 'observation' : 'invariant'
}

/** The legal variants that were built for one of these checks. */
const legalFor = (ids: readonly string[]): readonly ExplainedLegal[] =>
  legalVariants
    .filter(({ id }) => bearsOn[id]?.some((check) => ids.includes(check)))
    .map(({ id, does }) => ({ id, does }))

const mutantsFor = (question: Question) =>
  mutants
    .filter(({ caughtBy }) => caughtBy === question.id)
    .map((mutant: Mutant) => ({
      id: mutant.id,
      fault: mutant.fault,
      see: seeMutant(mutant, question),
    }))

/** An invariant judges what others caused: asked alone, it has nothing to look at. */
const runOf = ({ kind, id }: Question): string => {
  const whole = 'petvet check BASE-URL --key PLAN=KEY'
  return kind === 'invariant' ? whole : `${whole} --only ${id}`
}

const howOf = (question: Question): ExplainedAsker['how'] => ({
  asks: question.kind === 'invariant' ? question.judges : question.sends,
  finds: question.kind === 'observe' ? question.records : question.fails,
  open: question.inconclusive ?? null,
})

const explainQuestion = (question: Question): ExplainedAsker => ({
  kind: kindOf(question),
  id: question.id,
  sentence: explainSentence(question.requirement),
  how: howOf(question),
  costs: costInWords(question),
  needs: 'needs' in question ? needsInWords(question.needs) : [],
  when: 'needs' in question ? whenInWords(question.needs) : null,
  run: runOf(question),
  legal: legalFor([question.id]),
  mutants: mutantsFor(question),
})

export const explainQuestions = (): readonly ExplainedAsker[] => catalogue.map(explainQuestion)

// The work of `petvet explain`: a sentence or a check, its level, and how it is judged.
import { count } from '../reports/verdict-line.ts'
import { type RequirementId, requirement, requirementIds } from '../spec/requirements.ts'
import type { Level } from '../spec/sentence.ts'
import { catalogue } from '../suites/index.ts'
import type { Needs, Question } from '../suites/kit/check.ts'
import { explainLoad } from './explain-load.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

export const runExplain = async ({ id }: { id: string }): Promise<number> => {
  const lines = explainLoad(id) ?? explain(id, catalogue)
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

export const explain = (id: string, questions: readonly Question[]): string[] => {
  const question = questions.find((each) => each.id === id)
  if (question) {
    return [
      `${id}, a check of this sentence:`,
      ...tellSentence(question.requirement),
      ...tellQuestion(question),
    ]
  }
  const sentence = requirementIds.find((each) => each === id)
  if (sentence) {
    const own = questions.filter((each) => each.requirement === sentence)
    const checks = own.flatMap((each) => [each.id, ...tellQuestion(each)])
    return [...tellSentence(sentence), ...checks]
  }
  const meant = nearest(id, [...questions.map((each) => each.id), ...requirementIds])
  const hint = meant ? `did you mean ${meant}?` : 'petvet list tells what there is'
  throw new UsageError(`"${id}" is neither a sentence nor a check; ${hint}`)
}

const breaches: Readonly<Record<Level, string>> = {
  must: 'the document says so; a breach is a fail',
  should: 'HTTP or prudence says so, not the document; a breach is a warning',
  open: 'the document leaves it unsaid; an answer is recorded, and nothing is a breach',
}

const tellSentence = (id: RequirementId): string[] => {
  const { section, level, says, untestable, planned, shows } = requirement(id)
  return [
    id,
    `  ${says}`,
    `  Section  ${section}`,
    `  Level    ${level}: ${breaches[level]}`,
    ...(untestable ? [`  No check ${untestable}`] : []),
    ...(planned ? [`  Planned  ${planned}`] : []),
    ...(shows ? [`  Shows    ${shows}: petvet domains`] : []),
  ]
}

const kinds: Readonly<Record<Question['kind'], string>> = {
  check: 'asked by requests of its own',
  observe: 'asked by requests of its own; it cannot fail',
  invariant: 'judged over every answer of the run to which it applies; it sends nothing',
}

const tellQuestion = (question: Question): string[] => [
  `  Judged   ${kinds[question.kind]}`,
  ...('needs' in question ? tellNeeds(question.needs) : []),
]

const tellNeeds = (needs: Needs): string[] => {
  const lacks = [
    ...(needs.allow ?? []).map((permission) => `--allow ${permission}`),
    ...(needs.clock ? ["the target's test clock (--clock)"] : []),
    ...(needs.description ? ['the published description (--description)'] : []),
    ...(needs.getPet ? ['a target before its removal date'] : []),
  ]
  const onKeys = `${count(needs.keyed, 'request', 'requests')} on keys`
  return [
    `  Costs    ${onKeys}, ${needs.anonymous} without one`,
    `  Stage    ${needs.stage}`,
    ...(lacks.length > 0 ? [`  Needs    ${lacks.join(', ')}`] : []),
  ]
}

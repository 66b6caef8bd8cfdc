// The explanation that an id asks for: of a check, a verdict, a scenario or a sentence.
import { requirementIds } from '../../spec/requirements.ts'
import { explainDomainChecks } from './domains.ts'
import type { Explained, ExplainedAsker } from './explained.ts'
import { explainScenarios } from './loads.ts'
import { explainQuestions } from './questions.ts'
import { explainSentence } from './sentences.ts'
import { explainSmoke } from './smoke.ts'

/** All that asks about anything, in the order in which a run asks it. */
const explainAskers = (): readonly ExplainedAsker[] => [
  explainSmoke(),
  ...explainQuestions(),
  ...explainScenarios().flatMap(({ askers }) => askers),
  ...explainDomainChecks(),
]

/** Every explanation by its id. A check whose name is that of a sentence does not exist. */
export const explainAll = (): ReadonlyMap<string, Explained> => {
  const askers = explainAskers()
  const bySentence = Map.groupBy(askers, ({ sentence }) => sentence.id)
  return new Map<string, Explained>([
    ...requirementIds.map((id): [string, Explained] => {
      const own = bySentence.get(id) ?? []
      return [id, { kind: 'sentence', sentence: explainSentence(id), askers: own }]
    }),
    ...explainScenarios().map((scenario): [string, Explained] => [scenario.id, scenario]),
    ...askers.map((asker): [string, Explained] => [asker.id, asker]),
  ])
}

/** A report names a check of a domain with its host: `domain-cname@docs.example.com`. */
export const withoutHost = (id: string): string => id.split('@', 1)[0] ?? id

// The verdicts of the load scenarios explained, and the scenarios themselves.

import type { Scenario, Verdict } from '../../load/scenario.ts'
import { scenarios } from '../../load/scenarios.ts'
import type { Mutant } from '../../reference/mutant.ts'
import { loadMutants } from '../../reference/mutants/load.ts'
import { mutantUnderLoad } from '../../reference/mutants/under-load.ts'
import { legalVariants, mutants } from '../../reference/mutants.ts'
import type { ExplainedAsker, ExplainedScenario } from './explained.ts'
import { banKeyInWords, permissionInWords } from './needs-in-words.ts'
import { seeUnderLoad } from './seeing.ts'
import { explainSentence } from './sentences.ts'

const needsOf = ({ needs, named }: Scenario): string[] => [
  ...needs.allow.map(permissionInWords),
  ...(needs.key ? ['1 key'] : []),
  ...(needs.banKey ? [banKeyInWords] : []),
  ...(named ? ['to be named: it runs for long'] : []),
]

const runOf = ({ id }: Scenario): string => `petvet load BASE-URL --key PLAN=KEY --scenario ${id}`

const costs = ['as `petvet load` tells before it begins: by the plans of the keys']

/** The legal limiters are put under every load that judges: `npm run prove` does. */
const legalUnderLoad = (verdict: Verdict<unknown>) =>
  'judge' in verdict
    ? legalVariants.filter(({ suite }) => suite === 'both').map(({ id, does }) => ({ id, does }))
    : []

/** Those that only a load shows, and one of the others where there is none. */
const mutantsOf = (verdict: string): readonly Mutant[] => [
  ...loadMutants.filter(({ caughtBy }) => caughtBy === verdict),
  ...mutants.filter(({ id }) => id === mutantUnderLoad.get(verdict)),
]

const howOf = (verdict: Verdict<unknown>): ExplainedAsker['how'] => ({
  asks: verdict.sends,
  finds: 'judge' in verdict ? verdict.fails : verdict.records,
  open: 'judge' in verdict ? (verdict.inconclusive ?? null) : null,
})

const explainVerdict = (scenario: Scenario, verdict: Verdict<unknown>): ExplainedAsker => ({
  kind: 'judge' in verdict ? 'load verdict' : 'load observation',
  id: verdict.id,
  sentence: explainSentence(verdict.requirement),
  how: howOf(verdict),
  costs,
  needs: needsOf(scenario),
  when: null,
  run: runOf(scenario),
  legal: legalUnderLoad(verdict),
  mutants: mutantsOf(verdict.id).map((mutant) => ({
    id: mutant.id,
    fault: mutant.fault,
    see: seeUnderLoad(mutant, scenario.id),
  })),
})

export const explainScenarios = (): readonly ExplainedScenario[] =>
  scenarios.map((scenario) => ({
    kind: 'load scenario',
    id: scenario.id,
    says: scenario.says,
    needs: needsOf(scenario),
    run: runOf(scenario),
    askers: scenario.verdicts.map((verdict) => explainVerdict(scenario, verdict)),
  }))

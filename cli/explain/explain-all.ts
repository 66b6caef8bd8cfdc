// Every explanation by its id: of requirements, checks, load scenarios and checks of domains. What
// its members mean is described in explained.schema.json.
import { domainChecks } from '../../domains/check/judge/judge-domain.ts'
import { domainMutants } from '../../domains/faults/domain-mutants.ts'
import { domainLegal } from '../../domains/faults/legal-projects.ts'
import type { AnyCheck } from '../../engine/check/declare.ts'
import { smokeId } from '../../engine/run/smoke.ts'
import { explainLaws, type Scenario, type Verdict } from '../../load/scenario.ts'
import { scenarios } from '../../load/scenarios.ts'
import { chooseVetting, makeKeys } from '../../proof/subjects.ts'
import { loadMutants } from '../../reference/mutants/under-load.ts'
import { legalVariants, mutants } from '../../reference/mutants.ts'
import type { Mutant } from '../../reference/variant.ts'
import {
  judgedWith,
  type RequirementId,
  requirement,
  requirementIds,
} from '../../spec/requirements.ts'
import { catalogue } from '../../suites/index.ts'
import { banKeyInWords, needsInWords, permissionInWords, whenInWords } from './needs.ts'

/** A check of a requirement: of the suites, of a load, or of domains. */
export type ExplainedCheck = ReturnType<typeof explainCheck>
export type ExplainedRequirement = ReturnType<typeof explainRequirement>
export type ExplainedScenario = ReturnType<typeof explainScenario>
/** The fault of a mutant. */
export type ExplainedFault = ReturnType<typeof explainFault>
export type Explained = ExplainedCheck | ExplainedRequirement | ExplainedScenario | ExplainedFault

type CheckKind =
  | ('check' | 'observation' | 'clause')
  | ('load verdict' | 'load observation')
  | ('domain check' | 'domain observation')

/** No id is used twice. */
export const explainAll = (): ReadonlyMap<string, Explained> => {
  const loads = scenarios.map(explainScenario)
  // In the order in which a run includes them.
  const all: readonly ExplainedCheck[] = [
    explainSmoke(),
    ...catalogue.map(explainCheck),
    ...loads.flatMap(({ checks }) => checks),
    ...explainDomainChecks(),
  ]
  const judged = all.flatMap((each) =>
    judgedWith(each.requirement.id as RequirementId).map((id) => ({ id, each })),
  )
  const byRequirement = Map.groupBy(judged, ({ id }) => id)
  const requirements = requirementIds.map((id) =>
    explainRequirement(id, byRequirement.get(id)?.map(({ each }) => each) ?? []),
  )
  const explained: Explained[] = [...requirements, ...mutants.map(explainFault), ...loads, ...all]
  return new Map(explained.map((each) => ['id' in each ? each.id : each.requirement.id, each]))
}

/** Reports name a check of a domain with its host: `domain-cname@docs.example.com`. */
export const withoutHost = (id: string): string => id.split('@', 1)[0] ?? id

const factsOf = (id: RequirementId) => {
  const { section, ruling = null, level, says, untestable = null } = requirement(id)
  return { id, section, ruling, level, says, untestable }
}

const explainRequirement = (id: RequirementId, checks: readonly ExplainedCheck[]) => ({
  kind: 'requirement' as const,
  requirement: factsOf(id),
  checks,
})

const anyRun = 'petvet check BASE-URL --key PLAN=KEY'

/** @param check undefined for the smoke call */
const mutantsOf = (id: string, check: AnyCheck | undefined) =>
  mutants
    .filter(({ caughtBy }) => caughtBy === id)
    .map((mutant) => shown(mutant, seeMutant(mutant, check)))

const shown = ({ id, fault }: Mutant, commands: readonly string[]) => ({ id, fault, commands })

const explainFault = (mutant: Mutant) => {
  const check = catalogue.find(({ id }) => id === mutant.caughtBy)
  const violated = check?.requirement ?? smokeRequirement
  return {
    kind: 'mutant' as const,
    ...shown(mutant, seeMutant(mutant, check)),
    requirement: factsOf(violated),
    caughtBy: mutant.caughtBy,
  }
}

const smokeRequirement = 'list.success'

/** The smoke call is part of every run, and in no catalogue. */
const explainSmoke = (): ExplainedCheck => ({
  kind: 'check',
  id: smokeId,
  requirement: factsOf(smokeRequirement),
  sends: 'One `GET /pets` with each key, before anything else; a 429 is waited out, three times.',
  fails:
    'A redirect or a 404: then the rest is untested. Any other wrong response is left to others.',
  inconclusive:
    'there is no response, no TLS connection, or every key is refused: then the run cannot be ' +
    'made (exit 3)',
  needs: [],
  when: 'before all others',
  run: anyRun,
  legalVariants: [],
  mutants: mutantsOf(smokeId, undefined),
})

const kindOf = (check: AnyCheck): CheckKind => {
  if (check.kind === 'check') return 'check'
  return check.kind === 'observe' ? 'observation' : 'clause'
}

const explainCheck = (check: AnyCheck) => {
  const { id } = check
  const needs = 'needs' in check ? check.needs : null
  return {
    kind: kindOf(check),
    id,
    requirement: factsOf(check.requirement),
    sends: check.kind === 'clause' ? check.judges : check.sends,
    fails: check.kind === 'observe' ? check.records : check.fails,
    inconclusive: check.inconclusive ?? null,
    needs: needs ? needsInWords(needs) : [],
    when: needs && whenInWords(needs),
    // A clause judges what others caused: alone it has nothing to judge.
    run: check.kind === 'clause' ? anyRun : `${anyRun} --only ${id}`,
    legalVariants: legalVariants
      .filter(({ exercises }) => exercises.includes(id))
      .map((legal) => ({ id: legal.id, does: legal.does })),
    mutants: mutantsOf(id, check),
  }
}

const explainScenario = (scenario: Scenario) => {
  const { id, says, needs: needed, named } = scenario
  const run = `petvet load BASE-URL --key PLAN=KEY --scenario ${id}`
  const needs = [
    ...needed.allow.map(permissionInWords),
    ...(needed.key ? ['1 key'] : []),
    ...(needed.banKey ? [banKeyInWords] : []),
    ...(named ? ['to be named: it runs for long'] : []),
  ]
  const checks = scenario.verdicts.map(
    (verdict): ExplainedCheck => ({
      ...explainVerdict(id, verdict),
      needs,
      run,
    }),
  )
  return { kind: 'load scenario' as const, id, says, needs, run, checks }
}

const explainVerdict = (scenario: string, verdict: Verdict<unknown>) => {
  const judges = 'laws' in verdict
  const { fails, inconclusive } = judges
    ? explainLaws(verdict)
    : { fails: verdict.records, inconclusive: null }
  // Mutants that only a load shows, and one of the others where there is none.
  const found = [
    ...loadMutants.filter(({ caughtBy }) => caughtBy === verdict.id),
    ...mutants.filter(({ loadVerdicts }) => loadVerdicts?.includes(verdict.id)),
  ]
  // `npm run prove` runs every load that judges on the legal limiters.
  const legal = legalVariants.filter(({ suite }) => judges && suite === 'both')
  return {
    kind: judges ? ('load verdict' as const) : ('load observation' as const),
    id: verdict.id,
    requirement: factsOf(verdict.requirement),
    sends: verdict.sends,
    ...{ fails, inconclusive },
    when: null,
    legalVariants: legal.map(({ id, does }) => ({ id, does })),
    mutants: found.map((mutant) => shown(mutant, seeUnderLoad(mutant, scenario))),
  }
}

/** A fault of the domains file is found by lint, and reported for the check of its requirement. */
const shows = (id: string, violated: string) => (fault: (typeof domainMutants)[number]) =>
  fault.caughtBy === 'lint'
    ? id.startsWith('domains-') && fault.breaks === violated
    : withoutHost(fault.caughtBy) === id

const domainFlags = '--domains FILE --platform-host HOST'

const explainDomainChecks = (): readonly ExplainedCheck[] =>
  domainChecks.map(({ id, requirement: own, sends, fails, inconclusive }) => ({
    kind: requirement(own).level === 'open' ? 'domain observation' : 'domain check',
    id,
    requirement: factsOf(own),
    sends,
    fails,
    inconclusive: inconclusive ?? null,
    needs: ['the file of the domains (--domains) and the platform host (--platform-host)'],
    when: null,
    run: id.startsWith('removed-')
      ? `petvet domains removed ${domainFlags} --host DOMAIN`
      : `petvet domains check ${domainFlags}`,
    legalVariants: domainLegal
      .filter((legal) => legal.exercises.includes(id))
      .map((legal) => ({ id: legal.id, does: legal.says })),
    mutants: domainMutants.filter(shows(id, own)).map((fault) => ({
      id: fault.id,
      fault: fault.says,
      commands: [proofOf(fault.id)],
    })),
  }))

const origin = 'http://127.0.0.1:8080'
const clock = '--clock http://127.0.0.1:8081/clock'

const proofOf = (id: string): string => `petvet mutants --only ${id}`

/** A server with the fault, and what is run against it with the same keys. */
const commandsFor = (
  { id, basePath = '/v1' }: Mutant,
  keys: readonly string[],
  command: string,
  flags: readonly string[],
): readonly string[] => [
  `petvet serve --port 8080 --clock 8081 --keys ${keys.join(',')} --mutant ${id}`,
  [`petvet ${command} ${origin}${basePath}`, ...keys.map((key) => `--key ${key}`), clock]
    .concat(flags)
    .join(' '),
]

/**
 * How a mutant is seen: by its check alone, in a whole run, or only by `petvet mutants`.
 * @param check that catches it; undefined for the smoke call
 */
const seeMutant = (mutant: Mutant, check: AnyCheck | undefined): readonly string[] => {
  // A clause judges what other checks caused.
  const { shownBy = check?.kind === 'clause' ? 'whole run' : 'alone', categories = [] } = mutant
  // No flag gives the numbers of an Enterprise key.
  if (shownBy === 'proof' || mutant.keys?.includes('enterprise')) return [proofOf(mutant.id)]
  // As many keys as the proof has: one of two of a plan is for bans.
  const proven = makeKeys(chooseVetting(mutant.suite ?? 'contract', mutant.keys ?? []))
  const keys = proven.map(({ plan }, at) => `${plan}=key-${at + 1}`)
  const isOfDescription = check && 'needs' in check && check.needs.description
  return commandsFor(mutant, keys, 'check', [
    ...(isOfDescription ? [`--description ${origin}/openapi.json`] : []),
    ...categories.map((category) => `--category ${category}`),
    ...(check && shownBy === 'alone' ? [`--only ${check.id}`] : []),
  ])
}

/** How a fault is seen that a load shows: one of several keys of a plan is for bans. */
const seeUnderLoad = (mutant: Mutant, scenario: string): readonly string[] =>
  commandsFor(mutant, ['free=key-1', 'free=key-2', 'free=key-3'], 'load', [
    `--scenario ${scenario}`,
  ])

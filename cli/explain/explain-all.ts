// Every explanation by its id: of requirements, and of checks, those of loads and domains included.
// What its members mean is described in explained.schema.json.
import { domainChecks } from '../../domains/check/judge/judge-domain.ts'
import { domainLegal, domainMutants } from '../../domains/faults/domain-subjects.ts'
import type { Permission } from '../../engine/check/context.ts'
import type { AnyCheck, Needs } from '../../engine/check/declare.ts'
import { smokeId } from '../../engine/run/smoke.ts'
import type { JudgedVerdict, Scenario } from '../../load/scenario.ts'
import { scenarios } from '../../load/scenarios.ts'
import { loadMutants } from '../../reference/mutants/concurrency/in-flight.ts'
import { legalVariants, mutants } from '../../reference/mutants.ts'
import {
  judgedWith,
  type RequirementId,
  requirement,
  requirementIds,
} from '../../spec/requirements.ts'
import { catalogue } from '../../suites/index.ts'

/** A check of a requirement: of the suites, of a load, or of domains. */
export type ExplainedCheck = ReturnType<typeof explainCheck>
export type ExplainedRequirement = ReturnType<typeof explainRequirement>
export type Explained = ExplainedCheck | ExplainedRequirement

type CheckKind =
  | ('check' | 'observation' | 'clause')
  | ('load verdict' | 'load observation')
  | ('domain check' | 'domain observation')

/** No id is used twice. */
export const explainAll = (): ReadonlyMap<string, Explained> => {
  // In the order in which a run includes them.
  const all: readonly ExplainedCheck[] = [
    explainSmoke(),
    ...catalogue.map(explainCheck),
    ...scenarios.flatMap(explainScenario),
    ...explainDomainChecks(),
  ]
  const judged = all.flatMap((each) =>
    judgedWith(each.requirement.id as RequirementId).map((id) => ({ id, each })),
  )
  const byRequirement = Map.groupBy(judged, ({ id }) => id)
  const requirements = requirementIds.map((id) =>
    explainRequirement(id, byRequirement.get(id)?.map(({ each }) => each) ?? []),
  )
  const explained: Explained[] = [...requirements, ...all]
  return new Map(explained.map((each) => ['id' in each ? each.id : each.requirement.id, each]))
}

/**
 * What a result is of. A check of a domain is named with its host, `domain-cname@docs.example.com`,
 * and a status in recorded traffic with its requirement, `status-due@list.success`.
 */
export const explainedId = (id: string): string => {
  const [check = id, of] = id.split('@')
  return requirementIds.find((each) => each === of) ?? check
}

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

/** Any server of the reference is started in the same way, with a clock of its own. */
const shown = ({ id, fault }: { readonly id: string; readonly fault: string }) => ({
  ...{ id, fault },
  see: `petvet serve --port 8080 --clock 8081 --mutant ${id}`,
})

const described = ({ id, does }: { readonly id: string; readonly does: string }) => ({ id, does })

const mutantsOf = (id: string) => mutants.filter(({ caughtBy }) => caughtBy === id).map(shown)

/** The smoke call is part of every run, and in no catalogue. */
const explainSmoke = (): ExplainedCheck => ({
  kind: 'check',
  id: smokeId,
  requirement: factsOf('list.success'),
  sends: 'One `GET /pets` with each key, before anything else; a 429 is waited out, three times.',
  fails:
    'A redirect or a 404: then the rest is untested. Any other wrong response is left to others.',
  inconclusive:
    'there is no response, no TLS connection, or every key is refused: then the run cannot be ' +
    'made (exit 3)',
  needs: [],
  run: anyRun,
  legalVariants: [],
  mutants: mutantsOf(smokeId),
})

const explainCheck = (check: AnyCheck) => {
  const { id } = check
  const needs = 'needs' in check ? check.needs : null
  return {
    kind: (check.kind === 'observe' ? 'observation' : check.kind) as CheckKind,
    id,
    requirement: factsOf(check.requirement),
    sends: check.kind === 'clause' ? check.judges : check.sends,
    fails: check.kind === 'observe' ? check.records : check.fails,
    inconclusive: check.inconclusive ?? null,
    needs: needs ? needsInWords(needs) : [],
    // A clause judges what others caused: alone it has nothing to judge.
    run: check.kind === 'clause' ? anyRun : `${anyRun} --only ${id}`,
    legalVariants: legalVariants.filter(({ exercises }) => exercises.includes(id)).map(described),
    mutants: mutantsOf(id),
  }
}

const explainLaws = ({ laws }: JudgedVerdict) => {
  const names = laws.map((law) => `\`${typeof law === 'string' ? law : law.id}\``)
  return {
    fails: `What ${names.join(', ')} find about its calls.`,
    inconclusive:
      'no call could have shown it, another client may have used the key, or requests got no ' +
      'response (ambiguous)',
  }
}

const explainScenario = ({ id, needs, named, verdicts }: Scenario): ExplainedCheck[] =>
  verdicts.map((verdict) => {
    const judges = 'laws' in verdict
    return {
      kind: judges ? 'load verdict' : 'load observation',
      id: verdict.id,
      requirement: factsOf(verdict.requirement),
      sends: verdict.sends,
      ...(judges ? explainLaws(verdict) : { fails: verdict.records, inconclusive: null }),
      needs: [
        ...needs.allow.map(permissionInWords),
        '1 key',
        ...(needs.banKey ? [banKeyInWords] : []),
        ...(named ? ['to be named: it runs for long'] : []),
      ],
      run: `petvet load BASE-URL --key PLAN=KEY --scenario ${id}`,
      // `npm run prove` runs every load that judges on the legal limiters.
      legalVariants: legalVariants.filter(({ suite }) => judges && suite === 'both').map(described),
      // Mutants that only a load shows, and one of the others where there is none.
      mutants: [
        ...loadMutants.filter(({ caughtBy }) => caughtBy === verdict.id),
        ...mutants.filter(({ loadVerdicts }) => loadVerdicts?.includes(verdict.id)),
      ].map(shown),
    }
  })

/** A fault of the domains file is found by lint, and reported for the check of its requirement. */
const shows = (id: string, violated: string) => (fault: (typeof domainMutants)[number]) =>
  fault.caughtBy === 'lint'
    ? id.startsWith('domains-') && fault.breaks === violated
    : explainedId(fault.caughtBy) === id

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
    run: id.startsWith('removed-')
      ? `petvet domains removed ${domainFlags} --host DOMAIN`
      : `petvet domains check ${domainFlags}`,
    legalVariants: domainLegal
      .filter((legal) => legal.exercises.includes(id))
      .map((legal) => ({ id: legal.id, does: legal.says })),
    mutants: domainMutants.filter(shows(id, own)).map((fault) => ({
      id: fault.id,
      fault: fault.says,
      see: `petvet mutants --only ${fault.id}`,
    })),
  }))

/** What each permission allows. */
const permitted: Readonly<Record<Permission, string>> = {
  write: 'creates pets, which stay',
  exhaust: "spends a key's minute",
  ban: 'may cause a ban',
  day: "spends a key's day",
  expose: 'sends a valid key outside `Authorization`',
}

const permissionInWords = (permission: Permission): string =>
  `--allow ${permission} (${permitted[permission]})`

const banKeyInWords =
  'a key that may be banned: one with `use: ban` in the configuration file, or else the last key ' +
  'of the cheapest plan that has two or more'

/** What it needs in order to run. */
const needsInWords = ({ allow = [], ...needs }: Needs): string[] => [
  ...allow.map(permissionInWords),
  ...(needs.plan === undefined ? [] : [`a key of the plan ${needs.plan}`]),
  ...(needs.keys ? ['two keys, of any plans (--key free=KEY --key pro=OTHER)'] : []),
  ...(allow.includes('ban') ? [banKeyInWords] : []),
  ...(needs.clock ? ["the target's test clock (--clock URL)"] : []),
  ...(needs.description ? ['the published description (--description URL)'] : []),
  ...(needs.pets === undefined ? [] : [`${needs.pets} pets: run alone, missing ones are created`]),
  ...(needs.getPet ? ['a target before the removal of 5 December 2030'] : []),
]

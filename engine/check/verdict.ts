// The verdict of a run: the first that applies, in the order of the rulings.

import { type Outcome, worst } from '../../history/outcome.ts'
import type { Level } from '../../spec/requirements/requirement.ts'
import { judgedWith, requirement } from '../../spec/requirements.ts'
import type { CheckResult, Finding, RequirementResult, RunFile, Verdict } from './run-file.ts'

/**
 * A requirement takes the worst outcome of its checks; one that is inapplicable counts only where
 * all of them are, as the others have tested the part that the target claims.
 */
const outcomeOf = (own: readonly CheckResult[]): Outcome => {
  const claimed = own.filter(({ outcome }) => outcome !== 'inapplicable')
  return worst((claimed.length > 0 ? claimed : own).map(({ outcome }) => outcome))
}

/** A check with the requirement of one of its findings. */
const ofFinding = (check: CheckResult, { requirement: id }: Finding): readonly CheckResult[] => {
  if (id === undefined || id === check.requirement) return []
  const { level } = requirement(id)
  return [{ ...check, requirement: id, level, outcome: level === 'must' ? 'fail' : 'warn' }]
}

export const rollUp = (checks: readonly CheckResult[]): RequirementResult[] => {
  const all = checks.flatMap((check) => [
    check,
    ...(check.findings ?? []).flatMap((finding) => ofFinding(check, finding)),
  ])
  const judged = all.flatMap((check) => judgedWith(check.requirement).map((id) => ({ id, check })))
  const byRequirement = Map.groupBy(judged, ({ id }) => id)
  return [...byRequirement].map(([id, all]) => {
    const own = all.map(({ check }) => check)
    return {
      id,
      level: requirement(id).level,
      outcome: outcomeOf(own),
      checks: own.map((check) => check.id),
    }
  })
}

const isDecided = ({ outcome }: RequirementResult) => ['pass', 'warn', 'fail'].includes(outcome)

export const isTested = ({ outcome }: CheckResult) =>
  outcome !== 'untested' && outcome !== 'inapplicable'

/** How many requirements of each level were tested, of all that this target claims. */
export const countDecided = (requirements: readonly RequirementResult[]): RunFile['decided'] => {
  const countOf = (level: Level): readonly [number, number] => {
    const claimed = requirements.filter(
      (each) => each.level === level && each.outcome !== 'inapplicable',
    )
    return [claimed.filter(isDecided).length, claimed.length]
  }
  return { must: countOf('must'), should: countOf('should') }
}

/** The musts that make a run undecided. */
export const leftOpen = (checks: readonly CheckResult[], strict: boolean): readonly CheckResult[] =>
  checks.filter(
    ({ level, outcome, because }) =>
      level === 'must' &&
      outcome === 'untested' &&
      (strict || because === 'blocked' || because === 'budget'),
  )

/**
 * @param selected ids of the checks that were selected: without the smoke call, and without
 *   checks that only set up others. If none of them was tested, nothing is said about the target.
 */
export const decideVerdict = (
  checks: readonly CheckResult[],
  impossible: boolean,
  strict: boolean,
  selected?: ReadonlySet<string>,
): Verdict => {
  const requirements = rollUp(checks)
  const musts = requirements.filter(({ level }) => level === 'must')
  if (checks.some(({ outcome, level }) => outcome === 'fail' && level === 'must')) {
    return 'not-conformant'
  }
  if (impossible || checks.some(({ outcome }) => outcome === 'error')) return 'error'
  const asked = checks.filter(({ id }) => !selected?.size || selected.has(id))
  const isOpen = leftOpen(checks, strict).length > 0 || !musts.some(isDecided)
  return isOpen || !asked.some(isTested) ? 'undecided' : 'conformant'
}

/** A run reduced to some of its checks, with their verdict. */
export const reduceRun = (
  run: RunFile,
  isOfPart: (id: string) => boolean,
  strict: boolean,
): RunFile => {
  const checks = run.checks.filter(({ id }) => isOfPart(id))
  const requirements = rollUp(checks)
  return {
    ...run,
    checks,
    requirements,
    verdict: decideVerdict(checks, run.impossible !== null, strict),
    decided: countDecided(requirements),
  }
}

const exitCodes: Record<Verdict, number> = {
  conformant: 0,
  'not-conformant': 1,
  error: 3,
  undecided: 4,
}

/** A violated threshold is a warning, and yet fails the load; an undecided one leaves it open. */
export const decideExitCode = (
  run: Pick<RunFile, 'interrupted' | 'verdict' | 'checks'>,
): number => {
  if (run.interrupted) return 130
  const code = exitCodes[run.verdict]
  if (code !== exitCodes.conformant && code !== exitCodes.undecided) return code
  const { violated, undecided } = failedThresholds(run.checks)
  if (violated.length > 0) return exitCodes['not-conformant']
  return undecided.length > 0 ? exitCodes.undecided : code
}

/** How the id of the result of a threshold begins. */
export const thresholdPrefix = 'load-threshold-'

/** The thresholds of a load that are violated, and those that were not decided. */
export const failedThresholds = (checks: readonly CheckResult[]) => {
  const own = checks.filter(({ id }) => id.startsWith(thresholdPrefix))
  return {
    violated: own.filter(({ outcome }) => outcome === 'warn'),
    undecided: own.filter(({ outcome }) => outcome === 'untested'),
  }
}

// In which order the checks of a run are sent, by what they declare.

import {
  type AnyCheck,
  type SendingCheck,
  type Stage,
  sendsRequests,
  stages,
} from '../check/declare.ts'
import { missingPrerequisite, type PlanOptions } from '../check/spendable-keys.ts'

/** In these a check builds on what another one of the same stage did only where it says so. */
const free: readonly Stage[] = ['unauthenticated', 'refusals', 'reads']

const mayComeFirst = ({ needs, sentBy }: SendingCheck): boolean =>
  free.includes(needs.stage) && sentBy === undefined

/** Without a test clock a spent day is over for good, and would leave nothing for the hazards. */
const stageOrder = (isInstant: boolean): readonly Stage[] =>
  isInstant ? [...stages.filter((stage) => stage !== 'hazards'), 'hazards'] : stages

/** Within a stage the order of the catalogue holds, but for those that are to come first. */
const byStage = (
  checks: readonly AnyCheck[],
  first: ReadonlySet<string>,
  ofStages: readonly Stage[],
): SendingCheck[] =>
  checks
    .filter(sendsRequests)
    .map((check, position) => ({
      check,
      position: first.has(check.id) && mayComeFirst(check) ? -1 : position,
      stage: ofStages.indexOf(check.needs.stage),
    }))
    .sort((a, b) => a.stage - b.stage || a.position - b.position)
    .map(({ check }) => check)

const spendsNoKey = ({ needs }: SendingCheck) => needs.stage === 'unauthenticated'

/** From this stage on checks leave a key or the target in a state that no other check can use. */
const days = stages.indexOf('days')

/** Finds out what a creation may have, which others create without a key too. */
const isProbe = ({ needs }: SendingCheck): boolean =>
  needs.stage === 'probes' && needs.allow?.includes('write') === true

/** A place in the first minute counts where the run ends with it. */
const isEarly = (check: SendingCheck, noWait: boolean, first: ReadonlySet<string>): boolean => {
  const isFirst = first.has(check.id) && (mayComeFirst(check) || check.needs.stage === 'creations')
  const isRanked = noWait && (check.rank !== undefined || isFirst)
  const isFree = spendsNoKey(check) || isProbe(check)
  return stages.indexOf(check.needs.stage) < days && (isFree || isRanked)
}

/** What needs no key comes before all with a rank, and the hazards after them. */
const placeOf = (check: SendingCheck, first: ReadonlySet<string>): number => {
  if (check.needs.stage === 'hazards') return Number.MAX_SAFE_INTEGER
  if (isProbe(check)) return -3
  if (spendsNoKey(check)) return -2
  return first.has(check.id) ? -1 : (check.rank ?? 0)
}

/**
 * The checks in the order of a run. In real time those that need no key come first, as no quota
 * delays them; and where nothing is waited for, then those with a place in the first minute.
 * @param first what comes first in its stage, where nothing there builds on anything else
 */
export const inOrder = (
  checks: readonly AnyCheck[],
  { isInstant, noWait }: { readonly isInstant: boolean; readonly noWait: boolean },
  first: ReadonlySet<string>,
): readonly SendingCheck[] => {
  const ordered = byStage(checks, first, stageOrder(isInstant))
  if (isInstant) return ordered
  const early = ordered.filter((each) => isEarly(each, noWait, first))
  const late = ordered.filter((each) => !isEarly(each, noWait, first))
  return [...early.sort((a, b) => placeOf(a, first) - placeOf(b, first)), ...late]
}

/** The checks that can run with these options. */
export const runnableChecks = (checks: readonly AnyCheck[], options: PlanOptions): SendingCheck[] =>
  checks
    .filter(sendsRequests)
    .filter(({ needs }) => missingPrerequisite(needs, options) === undefined)

/** Checks that send nothing of their own: clauses, and the smoke call that every run makes. */
export const countPassive = (checks: readonly AnyCheck[]): number =>
  checks.filter((check) => !sendsRequests(check)).length + 1

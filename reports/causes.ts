// The likely causes of the failures of a run, as all formats show them.

import { isViolation } from '../engine/outcome.ts'
import { count } from '../engine/record/text.ts'
import type { Cause, CheckResult, RunFile } from '../engine/run-file.ts'
import type { KnownVerdict } from './known.ts'
import { requirementOf } from './requirements.ts'
import { failuresOf } from './summary.ts'

export interface ShownCause {
  readonly cause: Cause
  /** The failure to look at first. */
  readonly show: CheckResult
  /** The other new failures that it explains. */
  readonly others: readonly CheckResult[]
}

/**
 * The causes that explain new failures, in the order of the run file.
 * @returns nothing for a run of an earlier version, a load, or a run without new failures
 */
export const causesOf = (run: RunFile, known: KnownVerdict): ShownCause[] => {
  const failures = new Map(failuresOf(run, known).map((result) => [result.id, result]))
  return (run.causes ?? []).flatMap((cause) => {
    const own = cause.explains.flatMap((id) => failures.get(id) ?? [])
    const show = failures.get(cause.show) ?? own[0]
    if (!show) return []
    return [{ cause, show, others: own.filter(({ id }) => id !== show.id) }]
  })
}

/** New failures that no cause explains: errors of petvet itself, mostly. */
export const withoutCause = (run: RunFile, known: KnownVerdict): CheckResult[] => {
  const explained = new Set(run.causes?.flatMap(({ explains }) => explains))
  return failuresOf(run, known).filter(({ id }) => !explained.has(id))
}

/**
 * `82 failed checks, 8 musts violated: 3 likely causes explain 79 of the checks`; empty where one
 * cause would only repeat the failure.
 */
export const causesLine = (run: RunFile, known: KnownVerdict): string => {
  const shown = causesOf(run, known)
  const likely = shown.filter(({ cause }) => cause.mutant !== null)
  const failures = failuresOf(run, known)
  if (likely.length === 0 || failures.length < 2) return ''
  const violated = failures.filter(({ outcome, level }) => outcome === 'fail' && level === 'must')
  const musts = new Set(violated.map(({ requirement }) => requirement)).size
  const explained = likely.reduce((sum, { others }) => sum + 1 + others.length, 0)
  const causes = count(likely.length, 'likely cause explains', 'likely causes explain')
  const share = explained === failures.length ? 'all of them' : `${explained} of the checks`
  const failed = `${failures.length} failed checks, ${count(musts, 'must', 'musts')} violated`
  return `${failed}: ${causes} ${share}`
}

/**
 * The heading of a cause: what is likely, how sure it is, and how much it explains.
 * @returns nothing for failures of one requirement that no known fault explains: they show it
 */
export const causeTitle = ({ cause, others }: ShownCause): string => {
  const { fault, confidence, mutant, requirement } = cause
  const number = count(others.length + 1, 'failed check', 'failed checks')
  if (mutant !== null) {
    return `Likely cause of ${number} (confidence: ${confidence}): ${fault}`
  }
  const isRequirement = fault === requirementOf({ id: requirement, level: 'must' }).says
  // Where most of what was tested failed, the fault says so, and how much.
  return isRequirement || others.length === 0 ? '' : fault
}

/** The mutants whose faults fit about as well as each other, in one line; empty: only one fits. */
export const alternativesOf = ({ mutant, orElse }: Cause): string => {
  if (mutant === null || orElse.length === 0) return ''
  return `with these faults: ${[mutant, ...orElse].join(', ')} (see petvet explain ID)`
}

export interface CauseChanges {
  /** Of the old run: none of what they explained fails any more, and some of it was tested. */
  readonly fixed: readonly Cause[]
  /** Of the new run: none of what they explain failed before. */
  readonly new: readonly Cause[]
}

const isBad = ({ outcome }: CheckResult): boolean => isViolation(outcome)
const isGood = ({ outcome }: CheckResult): boolean => outcome === 'pass' || outcome === 'observed'

/** The likely causes that are gone, and those that are new, judged by the checks they explain. */
export const causeChanges = (old: RunFile, now: RunFile): CauseChanges => {
  const idsOf = ({ checks }: RunFile, has: (result: CheckResult) => boolean) =>
    new Set(checks.filter(has).map(({ id }) => id))
  const [wasBad, isNowBad, isNowGood] = [idsOf(old, isBad), idsOf(now, isBad), idsOf(now, isGood)]
  const likely = ({ causes = [] }: RunFile) => causes.filter(({ mutant }) => mutant !== null)
  return {
    fixed: likely(old).filter(
      ({ explains }) =>
        explains.every((id) => !isNowBad.has(id)) && explains.some((id) => isNowGood.has(id)),
    ),
    new: likely(now).filter(({ explains }) => explains.every((id) => !wasBad.has(id))),
  }
}

// Why checks were not tested, grouped by what is missing.

import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { leftOpen } from '../engine/check/verdict.ts'
import { type Because, reasons } from '../history/outcome.ts'
import { count } from '../history/quote.ts'

/** What each reason means; the detail of a result says what would test it. */
export const reasonWords: Readonly<Record<Because, string>> = {
  permission: 'Not permitted',
  key: 'A key was missing',
  category: 'A category was missing',
  clock: "The target's time did not allow it",
  budget: 'The request budget was spent',
  blocked: 'The target prevented it',
  ambiguous: 'The responses prove nothing',
  interrupted: 'The run ended early',
}

/** Checks that miss the same thing. */
export type UntestedGroup = ReturnType<typeof untestedGroups>[number]

/** Untested checks by what they miss, the largest group first. */
export const untestedGroups = (checks: readonly CheckResult[]) => {
  const untested = checks.filter(({ outcome }) => outcome === 'untested')
  return reasons
    .flatMap((because) => {
      const own = untested.filter((result) => result.because === because)
      const groups = Map.groupBy(own, ({ detail }) => detail)
      return [...groups].map(([detail, group]) => ({ because, detail, checks: group }))
    })
    .toSorted((a, b) => b.checks.length - a.checks.length)
}

const maxShownGroups = 6

/** Why a run is undecided, in lines: the largest groups of untested checks. */
export const untestedLines = ({ checks }: RunFile, strict: boolean): string[] => {
  const open = leftOpen(checks, strict)
  // If nothing leaves the verdict open, no must was tested, whatever was missing.
  return untestedGroups(open.length > 0 ? open : checks)
    .slice(0, maxShownGroups)
    .map(({ because, detail, checks: own }) => {
      const number = count(own.length, 'check', 'checks')
      return `${number} untested, ${because}: ${detail}`
    })
}

// Why checks were not tested, grouped by what is missing, and what to do about it.

import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { leftOpen } from '../engine/check/verdict.ts'
import { type Because, reasons } from '../history/outcome.ts'
import { count } from '../history/quote.ts'

/** What each reason means, and what the reader can do. */
export const remedies: Readonly<
  Record<Because, { readonly what: string; readonly remedy: string }>
> = {
  permission: {
    what: 'Not permitted',
    remedy: 'Permit it with `--allow`, on a target where that does no harm.',
  },
  key: {
    what: 'A key was missing',
    remedy: 'Add another key with `--key PLAN=KEY`.',
  },
  category: {
    what: 'A category was missing',
    remedy: 'Give ids of categories that exist on the target with `--category`.',
  },
  clock: {
    what: "The target's time did not allow it",
    remedy: 'Give the address of a test clock with `--clock`, or restart the target.',
  },
  budget: {
    what: 'The request budget was spent',
    remedy: 'Raise `--max-requests`, leave out `--no-wait`, or select fewer checks with `--only`.',
  },
  blocked: {
    what: 'The target prevented it',
    remedy: 'Something else failed first, as each reason says: fix that, then run again.',
  },
  ambiguous: {
    what: 'The responses prove nothing',
    remedy: 'Fix what failed, then run again, if you can with keys of your own and a test clock.',
  },
  interrupted: {
    what: 'The run ended early',
    remedy: 'Run without `--bail`, or resume an interrupted run with `--resume`.',
  },
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

/** Why a run is undecided, in lines: the largest groups of untested checks, then the remedies. */
export const untestedLines = ({ checks, interrupted }: RunFile, strict: boolean): string[] => {
  const open = leftOpen(checks, strict)
  // If nothing leaves the verdict open, no must was tested, whatever was missing.
  const groups = untestedGroups(open.length > 0 ? open : checks).slice(0, maxShownGroups)
  const causes = new Set([
    ...(interrupted ? (['interrupted'] as const) : []),
    ...groups.map(({ because }) => because),
  ])
  return [
    ...groups.map(({ because, detail, checks: own }) => {
      const number = count(own.length, 'check', 'checks')
      return `${number} untested, ${because}: ${detail}`
    }),
    ...[...causes].map((because) => remedies[because].remedy),
  ]
}

// Why checks were left untested, in words, and grouped by what would decide them.
import { count } from '../engine/count.ts'
import { type Because, reasons } from '../engine/outcome.ts'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { leftOpen } from '../engine/verdict.ts'

/** What a reader has to give, do or wait for. */
export const deciders: Readonly<
  Record<Because, { readonly what: string; readonly decides: string }>
> = {
  permission: {
    what: 'The run was not allowed to',
    decides: 'Allow it with `--allow`, on a target where that does no harm.',
  },
  key: { what: 'A further key was missing', decides: 'Give one more key with `--key PLAN=KEY`.' },
  category: {
    what: 'A category was missing',
    decides: 'Name categories that the server knows with `--category`.',
  },
  clock: {
    what: 'The time at the target did not allow it',
    decides: 'Give the address of a test clock with `--clock`, or restart the target.',
  },
  budget: {
    what: 'The budget of requests was spent',
    decides: 'Raise `--max-requests`, or ask fewer questions with `--only`.',
  },
  blocked: {
    what: 'The target did not let it be asked',
    decides: 'See the reason of each; run again when the target answers as it usually does.',
  },
  ambiguous: {
    what: 'What was seen has a legal explanation',
    decides: 'Run again, best with keys that nobody else uses and a test clock.',
  },
  interrupted: { what: 'The run ended before its end', decides: 'Run it to its end.' },
}

/** Checks that one thing would decide. */
export interface Lack {
  readonly because: Because
  readonly detail: string
  readonly checks: readonly CheckResult[]
}

/** What is missing, and for which checks; what most of them miss comes first. */
export const lacksOf = (checks: readonly CheckResult[]): Lack[] => {
  const untested = checks.filter(({ outcome }) => outcome === 'untested')
  return reasons
    .flatMap((because) => {
      const own = untested.filter((result) => result.because === because)
      const groups = Map.groupBy(own, ({ detail }) => detail)
      return [...groups].map(([detail, group]) => ({ because, detail, checks: group }))
    })
    .toSorted((a, b) => b.checks.length - a.checks.length)
}

const shownLacks = 6

/** Why a run decided too little, in lines: what was left, the most first, and what decides it. */
export const whatDecides = ({ checks, interrupted }: RunFile, strict: boolean): string[] => {
  const held = leftOpen(checks, strict)
  // Where nothing holds the verdict open, no must was decided, whatever was missing.
  const lacks = lacksOf(held.length > 0 ? held : checks).slice(0, shownLacks)
  const met = new Set([
    ...(interrupted ? (['interrupted'] as const) : []),
    ...lacks.map(({ because }) => because),
  ])
  return [
    ...lacks.map(({ because, detail, checks: own }) => {
      const left = count(own.length, 'check', 'checks')
      return `${left} untested, ${because}: ${detail}`
    }),
    ...[...met].map((because) => deciders[because].decides),
  ]
}

// Sentences that were kept where they were asked, and could not be asked of every plan or part.

import { count } from '../engine/count.ts'
import type { CheckResult, RequirementResult, RunFile } from '../engine/run-file.ts'
import { visible } from './visible.ts'

/** A sentence of which a part is not claimed, and the rest is kept. */
export interface Part {
  readonly passed: number
  /** Why the rest was not asked, each reason once. */
  readonly unasked: readonly string[]
}

/** Undefined: the outcome of the requirement says all there is to say. */
export const partOf = (
  { outcome, checks: ids }: RequirementResult,
  checks: ReadonlyMap<string, CheckResult>,
): Part | undefined => {
  // Before they were left out, the inapplicable checks of a sentence decided its outcome.
  if (outcome !== 'pass' && outcome !== 'inapplicable') return undefined
  const own = ids.flatMap((id) => checks.get(id) ?? [])
  const passed = own.filter((each) => each.outcome === 'pass').length
  const rest = own.filter((each) => each.outcome === 'inapplicable')
  return passed === 0 || rest.length === 0
    ? undefined
    : { passed, unasked: [...new Set(rest.map(({ detail }) => detail))] }
}

/** What such a sentence is called where there is room for a word. */
export const partWord = 'Kept in part'

export const tellPart = ({ passed, unasked }: Part): string =>
  `Kept where it was asked: ${count(passed, 'check', 'checks')} passed. ` +
  `Not asked: ${visible(unasked.join('; '))}.`

/** All of them in a line for each level. */
export const tellParts = (run: RunFile): string[] => {
  const checks = new Map(run.checks.map((result) => [result.id, result]))
  return (['must', 'should'] as const).flatMap((level) => {
    const found = run.requirements
      .filter((each) => each.level === level)
      .flatMap((each) => partOf(each, checks) ?? [])
    if (found.length === 0) return []
    const why = new Set(found.flatMap(({ unasked }) => unasked))
    const sentences = `${count(found.length, level, `${level}s`)}`
    return [
      `Kept where asked, but not asked in full: ${sentences} (${visible([...why].join('; '))})`,
    ]
  })
}

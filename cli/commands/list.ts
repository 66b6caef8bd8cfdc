// `petvet list`: the requirements of the interface, and the checks of each.

import { matchesAny } from '../../config/selection.ts'
import { didYouMean, UsageError } from '../../config/usage-error.ts'
import { count } from '../../engine/check/quote.ts'
import { wrapLine } from '../../reports/visible.ts'
import { command, type Given, texts, toggle } from '../command.ts'
import { explainAll } from '../explain/explain-all.ts'
import type { ExplainedCheck, ExplainedRequirement } from '../explain/explained.ts'
import { readingColumns } from '../output/progress.ts'

const flags = {
  only: texts('glob of the checks, requirements or suites to list'),
  skip: texts('glob of the checks, requirements or suites to leave out'),
  level: { choices: ['must', 'should', 'open'], describe: 'requirements of this level' },
  json: toggle('as JSON'),
} as const

export const list = command(flags, (given) => {
  const requirements = selected(given)
  const columns = readingColumns()
  const lines = () => requirements.flatMap(format).flatMap((line) => wrapLine(line, columns))
  process.stdout.write(
    given.json
      ? `${JSON.stringify(requirements.map(asData), null, 2)}\n`
      : `${lines().join('\n')}\n\n${formatTotal(requirements)}\n`,
  )
  return 0
})

const groupNames = ({ sentence: { id } }: ExplainedRequirement): string[] => [
  id,
  id.slice(0, id.indexOf('.')),
]

const selected = ({ only = [], skip = [], level }: Given<typeof flags>) => {
  const all = [...explainAll().values()].filter((each) => each.kind === 'sentence')
  const names = all.flatMap((each) => [...groupNames(each), ...each.askers.map(({ id }) => id)])
  const unused = [...only, ...skip].find((glob) => !matchesAny([glob], ...names))
  if (unused !== undefined) {
    const hint = didYouMean(unused, names)
    throw new UsageError(`"${unused}" matches no check, requirement or suite${hint}`)
  }
  return all
    .filter(({ sentence }) => level === undefined || sentence.level === level)
    .flatMap((each) => (only.length === 0 ? each : narrowed(each, only, true)))
    .flatMap((each) => (skip.length === 0 ? each : narrowed(each, skip, false)))
}

/**
 * A glob of its own id or suite is about the whole requirement, else about the checks it names.
 * @param keep whether they are kept, or left out
 */
const narrowed = (each: ExplainedRequirement, globs: readonly string[], keep: boolean) => {
  if (matchesAny(globs, ...groupNames(each))) return keep ? [each] : []
  const askers = each.askers.filter(({ id }) => matchesAny(globs, id) === keep)
  // A requirement without checks is left out by its own name alone.
  const isKept = askers.length > 0 || (!keep && each.askers.length === 0)
  return isKept ? [{ ...each, askers }] : []
}

const asData = ({ sentence, askers }: ExplainedRequirement) => ({
  ...sentence,
  checks: askers.map(({ id, kind, costs, needs }) => ({ id, kind, costs, needs })),
})

const format = ({ sentence, askers }: ExplainedRequirement): string[] => [
  `${sentence.id} (${sentence.level})`,
  `  ${sentence.says}`,
  ...askers.map(formatCheck),
  ...(sentence.unasked === null ? [] : [`    no check: ${sentence.unasked}`]),
]

const formatCheck = ({ id, kind, costs, needs }: ExplainedCheck): string => {
  const permissions = needs.flatMap((need) => /^--allow (\w+)/.exec(need)?.[1] ?? []).join(', ')
  const isOfSuites = !kind.startsWith('load') && !kind.startsWith('domain')
  const cost = isOfSuites && kind !== 'invariant' ? `, ${costs[0]}` : ''
  return `    ${id}: ${kind}${cost}${permissions === '' ? '' : `; ${permissions}`}`
}

const formatTotal = (all: readonly ExplainedRequirement[]): string => {
  const requirements = count(all.length, 'requirement', 'requirements')
  const checks = count(all.flatMap(({ askers }) => askers).length, 'check', 'checks')
  const unchecked = all.filter(({ askers }) => askers.length === 0).length
  return `${requirements}, ${checks}; ${unchecked} without a check`
}

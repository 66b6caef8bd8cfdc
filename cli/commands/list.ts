// `petvet list`: the requirements of the interface, and the checks of each.

import { matchesAny } from '../../config/run-settings.ts'
import { didYouMean, UsageError } from '../../config/values.ts'
import { count } from '../../history/quote.ts'
import { wrapLine } from '../../reports/visible.ts'
import { command, type Given, texts, toggle } from '../command.ts'
import {
  type ExplainedCheck,
  type ExplainedRequirement,
  explainAll,
} from '../explain/explain-all.ts'
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

const groupNames = ({ requirement: { id } }: ExplainedRequirement): string[] => [
  id,
  id.slice(0, id.indexOf('.')),
]

const selected = ({ only = [], skip = [], level }: Given<typeof flags>) => {
  const all = [...explainAll().values()].filter((each) => each.kind === 'requirement')
  const names = all.flatMap((each) => [...groupNames(each), ...each.checks.map(({ id }) => id)])
  const unused = [...only, ...skip].find((glob) => !matchesAny([glob], ...names))
  if (unused !== undefined) {
    const hint = didYouMean(unused, names)
    throw new UsageError(`"${unused}" matches no check, requirement or suite${hint}`)
  }
  const isSelected = (...named: readonly string[]) =>
    (only.length === 0 || matchesAny(only, ...named)) && !matchesAny(skip, ...named)
  return all
    .filter(({ requirement }) => level === undefined || requirement.level === level)
    .flatMap((each) => {
      const own = groupNames(each)
      // A requirement without checks is left out by its own name alone.
      if (each.checks.length === 0) return isSelected(...own) ? [each] : []
      const checks = each.checks.filter(({ id }) => isSelected(...own, id))
      return checks.length > 0 ? [{ ...each, checks }] : []
    })
}

const asData = ({ requirement, checks }: ExplainedRequirement) => ({
  ...requirement,
  checks: checks.map(({ id, kind, needs }) => ({ id, kind, needs })),
})

const format = ({ requirement, checks }: ExplainedRequirement): string[] => [
  `${requirement.id} (${requirement.level})`,
  `  ${requirement.says}`,
  ...checks.map(formatCheck),
  ...(requirement.untestable === null ? [] : [`    no check: ${requirement.untestable}`]),
]

const formatCheck = ({ id, kind, needs }: ExplainedCheck): string => {
  const permissions = needs.flatMap((need) => /^--allow (\w+)/.exec(need)?.[1] ?? []).join(', ')
  return `    ${id}: ${kind}${permissions === '' ? '' : `; ${permissions}`}`
}

/** The command that runs it: `petvet load`. */
const commandOf = ({ run }: ExplainedCheck): string => run.split(' ', 2).join(' ')

const formatTotal = (all: readonly ExplainedRequirement[]): string => {
  const requirements = count(all.length, 'requirement', 'requirements')
  const checks = [...new Set(all.flatMap((each) => each.checks))]
  const byCommand = Map.groupBy(checks, commandOf)
  const parts = [...byCommand].map(([name, own]) => `${own.length} of ${name}`)
  const of = parts.length > 1 ? ` (${parts.join(', ')})` : ''
  const unchecked = all.filter((each) => each.checks.length === 0).length
  const total = `${count(checks.length, 'check', 'checks')}${of}`
  return `${requirements}, ${total}; ${unchecked} requirements without a check`
}

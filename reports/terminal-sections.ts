// The checks of a run by section of the interface: a table of outcomes, or a tree of all checks.
import { count } from '../engine/record/text.ts'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { checksByHeading, requirementOfCheck } from './requirements.ts'
import { outcomeTotals } from './summary.ts'
import { visible, wrapped } from './visible.ts'

const numberOf = (checks: readonly CheckResult[], outcome: CheckResult['outcome']): number =>
  checks.filter((result) => result.outcome === outcome).length

const sectionName = 'Section of the interface'
/** Wide enough for each heading of the interface. */
const maxNameLength = 34

/** Shorter than in a sentence, so that the table fits 80 columns. */
const columnNames: Readonly<Record<string, string>> = { error: 'error', inapplicable: 'n/a' }

/** Columns without a single check are left out; passed and failed are always there. */
const columnsOf = (checks: readonly CheckResult[]) =>
  outcomeTotals
    .filter(
      ([outcome]) => outcome === 'pass' || outcome === 'fail' || numberOf(checks, outcome) > 0,
    )
    .map(([outcome, words]) => [outcome, columnNames[outcome] ?? words] as const)

/** One line for each section of the interface, with the number of checks by outcome. */
export const sectionTable = ({ checks }: RunFile): string[] => {
  const groups = [...checksByHeading(checks)]
  if (groups.length < 2) return []
  const counted = columnsOf(checks)
  const names = groups.map(([heading]) => heading.slice(0, maxNameLength))
  const width = Math.max(sectionName.length, ...names.map((name) => name.length))
  const cells = (values: readonly string[]) =>
    values.map((value, at) => value.padStart(counted[at]?.[1].length ?? 0)).join('  ')
  return [
    `${sectionName.padEnd(width)}  ${cells(counted.map(([, words]) => words))}`,
    ...groups.map(([, own], at) => {
      const numbers = counted.map(([outcome]) => String(numberOf(own, outcome) || '-'))
      return `${(names[at] ?? '').padEnd(width)}  ${cells(numbers)}`
    }),
  ]
}

/** Every check below its requirement, and every requirement below its section. */
export const checkTree = ({ checks }: RunFile, columns: number | null): string[] =>
  [...checksByHeading(checks)].flatMap(([heading, own]) => [
    `${heading}: ${count(own.length, 'check', 'checks')}`,
    ...[...Map.groupBy(own, ({ requirement }) => requirement).values()].flatMap((results) => [
      ...results.slice(0, 1).flatMap((result) => {
        const { says } = requirementOfCheck(result)
        return wrapped(visible(says), '  ', columns)
      }),
      ...results.map(({ id, outcome }) => `    ${outcome.padEnd(12)}  ${visible(id)}`),
    ]),
    '',
  ])

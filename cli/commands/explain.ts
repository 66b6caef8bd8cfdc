// `petvet list`: the requirements of the interface, and the checks of each.
// `petvet explain`: one of them, and how it is judged.
import { chosenBy } from '../../config/run-settings.ts'
import { permissions } from '../../engine/check/context.ts'
import { count } from '../../history/quote.ts'
import { type Pair, pairs, reasons } from '../../model/pairs.ts'
import { measureRun } from '../../proof/measure-run.ts'
import { placeInInterface } from '../../reports/by-heading.ts'
import { aligned, wrapLine, wrapped } from '../../reports/visible.ts'
import type { Level } from '../../spec/requirements/requirement.ts'
import { catalogue } from '../../suites/index.ts'
import * as cli from '../command.ts'
import {
  type Explained,
  type ExplainedCheck,
  type ExplainedRequirement,
  explainAll,
  explainedId,
} from '../explain/explain-all.ts'
import { readingColumns } from '../output/progress.ts'
import { madeUpKeys } from './serve.ts'

/** Piped text is as wide. */
const maxColumns = 80

export const explain = cli.command(
  {
    id: cli.argument('as `petvet list` prints it, or a glob', cli.required),
    json: cli.toggle('a list of explanations, as JSON'),
  },
  ({ id, json }) => {
    const found = findExplanations(id)
    const columns = Math.min(readingColumns() ?? maxColumns, maxColumns)
    const text = json
      ? JSON.stringify(found, null, 2)
      : found.map((each) => formatExplained(each, columns).join('\n')).join('\n\n')
    process.stdout.write(`${text}\n`)
    return 0
  },
)

/** Several where the id is a glob. @throws UsageError with the id that was probably meant */
export const findExplanations = (id: string): readonly Explained[] => {
  const what = 'requirement or check that petvet list prints'
  const found = chosenBy({ only: [explainedId(id)] }, [...explainAll()], ([each]) => [each], what)
  return found.map(([, each]) => each)
}

/** @param columns maximum width of a line; commands, which are pasted, are never broken */
export const formatExplained = (explained: Explained, columns: number): string[] =>
  (explained.kind === 'requirement'
    ? requirementLines(explained)
    : [nameOf(explained), ...factLines(explained.requirement), ...checkLines(explained)]
  ).flatMap((line) => (typeof line === 'string' ? [line] : wrapped(line.text, line.head, columns)))

/** A line that is not broken, or a text to be wrapped behind its head. */
type Line = string | { readonly head: string; readonly text: string }

const headOf = (label: string): string => `  ${label.padEnd(9)} `

/** A label, and the texts that belong to it. */
const row = (label: string, ...texts: readonly string[]): Line[] =>
  texts.map((text, at) => ({ head: headOf(at === 0 ? label : ''), text }))

const commandRow = (label: string, command: string): Line => `${headOf(label)}${command}`

const levels: Readonly<Record<Level, string>> = {
  must: 'the interface says so; a violation is a fail',
  should: 'HTTP or prudence says so, not the interface; a violation is a warning',
  open: 'the interface is silent; what is observed is recorded, and nothing is a violation',
}

const factLines = (facts: ExplainedCheck['requirement']): Line[] => [
  ...row('Says', facts.says, `${placeInInterface(facts)}: ${facts.id}`),
  ...row('Level', `${facts.level}: ${levels[facts.level]}`),
]

const maxLegal = 12

/** Everything about a check except its requirement. */
const checkLines = (check: ExplainedCheck): Line[] => {
  const { kind, requirement, sends, fails, inconclusive, legalVariants, mutants } = check
  const more = legalVariants.length - maxLegal
  return [
    ...row(kind === 'clause' ? 'Judges' : 'Sends', sends),
    ...row(requirement.level === 'open' ? 'Records' : 'Fails', fails),
    ...(inconclusive === null ? [] : row('Untested', `where ${inconclusive}`)),
    ...row('Needs', ...check.needs),
    ...row('Legal', ...legalVariants.slice(0, maxLegal).map(({ id, does }) => `${id}: ${does}`)),
    ...(more > 0 ? row('', `and ${count(more, 'more', 'more')}: see --json`) : []),
    ...row(
      mutants.length === 1 ? 'Mutant' : 'Mutants',
      ...mutants.map(({ id, fault }) => `${id}: ${fault}`),
    ),
    ...mutants.slice(0, 1).map(({ see }) => commandRow('See it', see)),
    commandRow('Run it', check.run),
  ]
}

const nameOf = ({ id, kind }: ExplainedCheck): string => `${id} (${kind})`

/** One or two lines for each: explained in full, they would fill screens. */
const briefly = (checks: readonly ExplainedCheck[]): Line[] =>
  checks.flatMap((check) => {
    const { sends, fails } = check
    // What distinguishes it from its neighbours, which may send the same.
    const text = sends.startsWith('The same') ? fails : sends
    return ['', `  ${nameOf(check)}`, { head: '    ', text }]
  })

const requirementLines = ({ requirement, checks }: ExplainedRequirement): Line[] => {
  const [first] = checks
  const isOnly = first !== undefined && checks.length === 1
  return [
    `${requirement.id} (requirement)`,
    ...factLines(requirement),
    ...(requirement.untestable === null ? [] : row('No check', requirement.untestable)),
    ...(isOnly ? ['', nameOf(first), ...checkLines(first)] : briefly(checks)),
    ...(checks.length > 1 ? ['', 'petvet explain ID explains one of them in full.'] : []),
  ]
}

const listFlags = {
  only: cli.texts('glob of the checks, requirements or suites to list'),
  skip: cli.texts('glob of the checks, requirements or suites to leave out'),
  level: { choices: ['must', 'should', 'open'], describe: 'requirements of this level' },
  pairs: cli.toggle('how many ordered pairs of kinds of request a run covers, instead'),
  json: cli.toggle('as JSON'),
} as const

export const list = cli.command(listFlags, async (given) => {
  if (given.pairs) {
    const measured = await measurePairs()
    const text = given.json ? JSON.stringify(measured, null, 2) : formatPairs(measured)
    process.stdout.write(`${text}\n`)
    return 0
  }
  const requirements = selected(given)
  const columns = readingColumns()
  const lines = () => requirements.flatMap(listed).flatMap((line) => wrapLine(line, columns))
  const data = requirements.map(({ requirement, checks }) => ({
    ...requirement,
    checks: checks.map(({ id, kind, needs }) => ({ id, kind, needs })),
  }))
  process.stdout.write(
    given.json
      ? `${JSON.stringify(data, null, 2)}\n`
      : `${lines().join('\n')}\n\n${formatTotal(requirements)}\n`,
  )
  return 0
})

const countLeftOut = (all: readonly Pair[], why?: Pair['leftOut']): number =>
  all.filter(({ leftOut }) => leftOut && leftOut === (why ?? leftOut)).length

/** Of each circumstance, and of all: covered by a run against the reference, all, left out. */
const measurePairs = async () => {
  const options = { allow: permissions, clockUrl: 'its own', descriptionUrl: null }
  const { run } = await measureRun(catalogue, { ...options, keys: madeUpKeys() })
  const rows = [...Map.groupBy(pairs, ({ when }) => when)].map(([when, own]) => ({
    ...{ when, covered: run.pairs?.[when]?.[0] ?? 0, all: own.length, leftOut: countLeftOut(own) },
  }))
  const covered = rows.reduce((sum, row) => sum + row.covered, 0)
  return { covered, all: pairs.length, leftOut: countLeftOut(pairs), rows, pairs }
}

const formatPairs = ({ rows, ...sum }: Awaited<ReturnType<typeof measurePairs>>): string => {
  const { covered, all, leftOut } = sum
  const kinds = [...new Set(pairs.map(({ first }) => first))]
  const table = [...rows, { when: 'all', ...sum }].map((row) => [
    ...[row.when, `${row.covered}`, `${row.all}`, `${row.leftOut}`],
  ])
  return [
    `${kinds.length} kinds of request: ${kinds.join(', ')}.`,
    '',
    ...aligned([['', 'covered', 'of', 'left out'], ...table]),
    '',
    ...Object.entries(reasons).map(
      ([why, words]) => `${countLeftOut(pairs, why as Pair['leftOut'])} left out: ${words}.`,
    ),
    `A run with all keys and the clock of the built-in reference covers ` +
      `${Math.round((100 * covered) / (all - leftOut))} % of those that are not left out; a run ` +
      'file says it in `pairs`.',
  ].join('\n')
}

/** Each with the checks that are selected; one without checks is selected by its own name alone. */
const selected = (given: cli.Given<typeof listFlags>) => {
  const rows = [...explainAll().values()]
    .filter((each) => each.kind === 'requirement')
    .flatMap(({ requirement, checks }) =>
      (checks.length > 0 ? checks : [null]).map((check) => ({ requirement, check })),
    )
  const namesOf = ({ requirement: { id }, check }: (typeof rows)[number]) => [
    ...[id, id.slice(0, id.indexOf('.')), check?.id ?? id],
  ]
  const chosen = chosenBy(given, rows, namesOf, 'check, requirement or suite')
  return [...Map.groupBy(chosen, ({ requirement }) => requirement)]
    .filter(([{ level }]) => (given.level ?? level) === level)
    .map(([requirement, own]) => ({
      ...{ requirement, checks: own.flatMap(({ check }) => check ?? []) },
    }))
}

type ListedRequirement = ReturnType<typeof selected>[number]

const listed = ({ requirement, checks }: ListedRequirement): string[] => [
  `${requirement.id} (${requirement.level})`,
  `  ${requirement.says}`,
  ...checks.map(({ id, kind, needs }) => {
    const permissions = needs.flatMap((need) => /^--allow (\w+)/.exec(need)?.[1] ?? []).join(', ')
    return `    ${id}: ${kind}${permissions === '' ? '' : `; ${permissions}`}`
  }),
  ...(requirement.untestable === null ? [] : [`    no check: ${requirement.untestable}`]),
]

const formatTotal = (all: readonly ListedRequirement[]): string => {
  const requirements = count(all.length, 'requirement', 'requirements')
  const checks = [...new Set(all.flatMap((each) => each.checks))]
  const unchecked = all.filter((each) => each.checks.length === 0).length
  const total = count(checks.length, 'check', 'checks')
  return `${requirements}, ${total}; ${unchecked} requirements without a check`
}

// The report for a terminal: what broke and how to see it again, then what was left, the verdict.
import { requirement } from '../spec/requirements.ts'
import type { Because } from '../suites/kit/outcome.ts'
import { reasons } from '../suites/kit/outcome.ts'
import type { CheckResult, RunFile } from '../suites/kit/run-file.ts'
import { tellColumn, tellKnown } from './beside.ts'
import type { KnownVerdict } from './known.ts'
import { tellLoad } from './load-table.ts'
import { tellVerdict } from './verdict-line.ts'
import { visible } from './visible.ts'

type Paint = (style: 'bold' | 'red' | 'yellow' | 'green', text: string) => string

export interface TerminalOptions {
  readonly paint: Paint
  readonly verbose: boolean
  readonly known: KnownVerdict
  /** The failures that are known of each column. */
  readonly knownOf: Readonly<Record<string, KnownVerdict>>
  /** The command that runs one check again. */
  readonly again: (checkId: string) => string
  /** Where the run file is, or null where it is not to be told. */
  readonly file: string | null
}

export const terminal = (run: RunFile, options: TerminalOptions): string => {
  const { excused } = options.known
  const broken = run.checks.filter(
    ({ id, outcome }) => (outcome === 'fail' || outcome === 'error') && !excused.has(id),
  )
  const sections = [
    broken.flatMap((result) => tellBroken(result, options)),
    tellWarnings(run, options),
    tellKnown(options.known),
    tellObservations(run),
    tellLoad(run.load ?? []),
    tellUntested(run, options),
    Object.entries(run.columns ?? {}).flatMap(([name, column]) =>
      tellColumn(name, column, options.knownOf[name]),
    ),
    run.notes.map((note) => `Note: ${visible(note)}`),
    tellVerdict(run, options.known).map((line, index) =>
      index === 0 ? options.paint(styleOf(run), line) : line,
    ),
    options.file === null ? [] : [`Report: ${visible(options.file)}`],
  ]
  const told = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n').trimEnd())
  return `${told.join('\n\n')}\n`
}

const styleOf = ({ verdict, interrupted }: RunFile) => {
  if (verdict === 'not-conformant') return 'red'
  return verdict === 'conformant' && !interrupted ? 'green' : 'yellow'
}

const tellBroken = (result: CheckResult, { again, paint }: TerminalOptions): string[] => {
  const { section, says, level } = requirement(result.requirement)
  // What came before it led to it, or is the control beside it.
  const evidence = result.evidence.at(-1)
  const hidden = result.evidence.length - 1
  const more = hidden > 0 ? ` (after ${hidden} more, in the report)` : ''
  const isError = result.outcome === 'error'
  return [
    `${paint('red', isError ? 'ERROR' : 'FAIL')}  ${paint('bold', result.id)}`,
    `  ${says}`,
    `  ${section}, ${level}: ${result.requirement}`,
    ...(isError || result.expected === undefined
      ? [`  ${isError ? 'Cause    ' : 'Seen     '} ${visible(result.detail)}`]
      : [`  Expected  ${visible(result.expected)}`, `  Actual    ${visible(result.actual ?? '')}`]),
    ...(evidence ? [`  Request   ${visible(evidence.curl)}${more}`] : []),
    `  Again     ${visible(again(result.id))}`,
    '',
  ]
}

const tellWarnings = (run: RunFile, { verbose, known, paint }: TerminalOptions): string[] => {
  const warnings = run.checks.filter(
    ({ id, outcome }) => outcome === 'warn' && !known.excused.has(id),
  )
  if (warnings.length === 0) return []
  const lines = warnings.flatMap((result) => [
    `  ${result.id}: ${visible(result.detail)}`,
    ...(verbose ? [`    ${requirement(result.requirement).says}`] : []),
    ...(verbose ? result.evidence.slice(-1).map(({ curl }) => `    ${visible(curl)}`) : []),
  ])
  return [paint('yellow', `Warnings (a should is not kept): ${warnings.length}`), ...lines]
}

const tellObservations = ({ observations }: RunFile): string[] => {
  const seen = Object.entries(observations)
  if (seen.length === 0) return []
  const width = Math.min(40, Math.max(...seen.map(([id]) => id.length)))
  return [
    'What this server does where the interface is silent:',
    ...seen.map(([id, value]) => `  ${id.padEnd(width)}  ${visible(value)}`),
  ]
}

const tellUntested = (run: RunFile, { verbose }: TerminalOptions): string[] => {
  const untested = run.checks.filter(({ outcome }) => outcome === 'untested')
  // What could not run at all has one reason, and the verdict tells it.
  if (untested.length === 0 || run.impossible !== null) return []
  const groups = reasons.flatMap((because) => {
    const group = untested.filter((result) => result.because === because)
    return group.length === 0 ? [] : tellGroup(because, group, verbose)
  })
  return [`Untested: ${untested.length}`, ...groups]
}

const lacks: Readonly<Record<Because, string>> = {
  permission: 'not allowed to (--allow)',
  key: 'a further key is missing (--key)',
  category: 'a category is missing (--category)',
  clock: 'the time at the target does not allow it',
  budget: 'the budget of requests was spent (--max-requests)',
  blocked: 'the target did not let it be asked',
  ambiguous: 'what was seen has a legal explanation',
  interrupted: 'the run was interrupted',
}

const shownIds = 6

/** The first reason speaks for its group, unless all are asked for. */
const tellGroup = (because: Because, group: CheckResult[], verbose: boolean): string[] => {
  const head = `  ${group.length} ${because}: ${lacks[because]}`
  if (verbose) return [head, ...group.map(({ id, detail }) => `    ${id}: ${visible(detail)}`)]
  const ids = group.slice(0, shownIds).map(({ id }) => id)
  const rest = group.length > shownIds ? `, and ${group.length - shownIds} more` : ''
  return [head, `    ${ids.join(', ')}${rest}`]
}
